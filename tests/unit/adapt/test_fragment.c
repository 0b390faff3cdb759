/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pieces of code are fragments, and which registers they give. */
#include "test.h"

#include <string.h>

#include "adapt/adapt.h"
#include "object/object.h"

static uint64_t address_of(const struct program *p, const char *name)
{
    const struct object_symbol *y;
    size_t n = object_symbols(program_object(p), &y);
    for (size_t i = 0; i < n; i++)
        if (y[i].name && strcmp(y[i].name, name) == 0)
            return y[i].address;
    fail_msg("%s is not there", name);
    return 0;
}

static void test_rules(void **state)
{
    static const struct {
        const char *name, *end, *why; /* NULL: it is one */
        unsigned out;
    } list[] = {
        {"to_byte", "to_byte_end", NULL, 2},
        {"turned", "turned_end", NULL, 4},
        {"distance", "distance_end", NULL, 0},
        {"loads", "loads_end", "it accesses memory", 0},
        {"leaves", "leaves_end", "it jumps out", 0},
        {"conditional", "conditional_end", "condition codes", 0},
        {"stacks", "stacks_end", "other than r0 to r12", 0},
        {"asks", "asks_end", "is no fragment", 0},
        {"to_byte_end", "to_byte", "not some instructions in a row", 0},
    };
    struct program *p = *state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct arena arena = ARENA_INIT;
        struct adapt_fragment f;
        struct error err = {0};
        bool ok =
            adapt_fragment_make(&f, p, address_of(p, list[i].name), address_of(p, list[i].end), &arena, &err);
        assert_int_equal(ok, !list[i].why);
        if (ok)
            assert_int_equal(f.out[0], list[i].out);
        else
            assert_non_null(strstr(err.text, list[i].why));
        arena_free(&arena);
    }
}

struct seen {
    struct program *p;
    unsigned n, whole;
};

static void see(void *ctx, uint64_t from, uint64_t to)
{
    struct seen *s = ctx;
    struct arena arena = ARENA_INIT;
    struct adapt_fragment f;
    struct error err = {0};
    assert_true(adapt_fragment_make(&f, s->p, from, to, &arena, &err));
    assert_in_range(to - from, 12, 80);
    s->n++;
    s->whole += from == address_of(s->p, "to_byte") && to == address_of(s->p, "to_byte_end");
    arena_free(&arena);
}

static void test_all(void **state)
{
    struct seen s = {.p = *state};
    adapt_fragments_each(s.p, see, &s);
    assert_int_equal(s.whole, 1);
    assert_true(s.n >= 4);
}

int main(int argc, char **argv)
{
    struct error err = {0};
    struct program *p =
        argc == 2 ? program_open(argv[1], &(struct program_options){.deep = false}, &err) : NULL;
    if (!p)
        return 2;
    const struct CMUnitTest tests[] = {{"test_rules", test_rules, NULL, NULL, p},
                                       {"test_all", test_all, NULL, NULL, p}};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    program_free(p);
    return failed;
}
