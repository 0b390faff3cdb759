/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of a small heap: which pointers are varied, how far, and what a process has to be told. Places in an
 * input. */
#include <string.h>

#include "lift/lift.h"
#include "poc/input.h"
#include "test.h"

static const struct object_type_info number = {.kind = TYPE_INT, .size = 4};
extern const struct object_type_info node;
static const struct object_type_info pointer = {.kind = TYPE_POINTER, .size = 8, .target = &node};
static const struct object_field field[] = {{"v", 0, 0, 0, &number}, {"next", 8, 0, 0, &pointer}};
const struct object_type_info node = {.kind = TYPE_STRUCT, .size = 16, .field = field, .nfields = 2};

enum { POOL = 0x100000, HEAP = 0x200000, SLOT = 4096, SLOTS = 8 };

/* Two nodes, the first one the argument, the last one NULL behind. */
struct world {
    uint8_t registers[4096];
    uint8_t heap[SLOTS][SLOT];
    struct snapshot_part part[SLOTS + 1];
    struct snapshot s;
    struct poc_argument arg;
    struct poc_abstract a;
    struct poc_side side;
    struct poc_options opt;
    struct poc_shapes all;
};

static uint64_t chunk(unsigned i)
{
    return HEAP + (uint64_t)i * 2 * SLOT + SLOT - 16;
}

static struct world *world_new(unsigned k)
{
    struct world *w = xcalloc(1, sizeof *w);
    struct snapshot *s = &w->s;
    *s = (struct snapshot){.m = lift_machine(MACHINE_AMD64),
                           .part = w->part,
                           .registers = w->registers,
                           .guarded = true,
                           .pool_at = POOL};
    s->pool.cls[0] = (struct guard_class){.base = HEAP, .bytes = SLOT, .slots = SLOTS, .used = 2};
    for (unsigned i = 0; i < 2; i++) {
        s->pool.size[i] = 16;
        s->pool.state[i] = GUARD_LIVE;
    }
    w->part[s->nparts++] = (struct snapshot_part){
        .low = POOL, .high = POOL + sizeof s->pool, .byte = (uint8_t *)&s->pool, .write = true};
    for (unsigned i = 0; i < SLOTS; i++)
        w->part[s->nparts++] = (struct snapshot_part){
            .low = chunk(i) + 16 - SLOT, .high = chunk(i) + 16, .byte = w->heap[i], .write = true};
    uint64_t next = chunk(1);
    memcpy(&w->heap[0][SLOT - 8], &next, 8);
    w->arg =
        (struct poc_argument){.name = "n", .type = &pointer, .bits = 64, .pointer = true, .value = chunk(0)};
    w->a = (struct poc_abstract){.s = s, .argument = &w->arg, .narguments = 1};
    vec_push(&w->a.object,
             (struct poc_object){.base = chunk(0), .size = 16, .type = &node, .name = "n", .from = SIZE_MAX});
    vec_push(&w->a.object,
             (struct poc_object){
                 .base = chunk(1), .size = 16, .type = &node, .name = "n->next", .leaf = true, .depth = 1});
    w->opt.k = k;
    w->side = (struct poc_side){.s = s, .a = &w->a, .opt = &w->opt};
    return w;
}

static void world_free(struct world *w)
{
    vec_free(&w->a.object);
    map_free(&w->a.closed);
    map_free(&w->side.touched);
    poc_shapes_free(&w->all);
    arena_free(&w->a.arena);
    free(w);
}

static void test_what_is_varied(void **state)
{
    (void)state;
    struct world *w = world_new(3);
    struct arena arena = ARENA_INIT;
    /* only what was read, and leaves */
    poc_shapes_grow(&w->all, NULL, &w->side);
    assert_int_equal(w->all.shape.len, 0);
    map_set(&w->side.touched, chunk(0) + 8, 1);
    poc_shapes_grow(&w->all, NULL, &w->side);
    assert_int_equal(w->all.shape.len, 1);
    assert_string_equal(poc_shape_text(&w->all.shape.data[0], &arena), "n->next = NULL");
    map_set(&w->side.touched, chunk(1) + 8, 1);
    poc_shapes_grow(&w->all, NULL, &w->side);
    assert_int_equal(w->all.shape.len, 2); /* the first is there already */
    assert_string_equal(poc_shape_text(&w->all.shape.data[1], &arena), "n->next->next = a new object");
    assert_int_equal(w->all.shape.data[1].fresh.data[0].size, 16);
    assert_null(w->all.bound);
    arena_free(&arena);
    world_free(w);
}

static void test_bound(void **state)
{
    (void)state;
    struct world *w = world_new(0);
    map_set(&w->side.touched, chunk(1) + 8, 1);
    poc_shapes_grow(&w->all, NULL, &w->side);
    assert_int_equal(w->all.shape.len, 0);
    w->opt.k = 1;
    poc_shapes_grow(&w->all, NULL, &w->side);
    assert_int_equal(w->all.shape.len, 1);
    assert_null(w->all.bound);
    /* behind the new object is none */
    poc_patches patch = VEC_INIT;
    struct snapshot own;
    struct poc_shape from = w->all.shape.data[0];
    assert_true(poc_shape_patches(&from, NULL, &w->s, &w->s, NULL, &patch));
    assert_true(poc_shape_snapshot(&patch, &w->s, &own));
    uint64_t base = from.fresh.data[0].base;
    assert_int_equal(base, chunk(2));
    assert_int_equal(own.pool.cls[0].used, 3);
    assert_int_equal(own.pool.state[2], GUARD_LIVE);
    assert_int_equal(own.pool.size[2], 16);
    assert_int_equal(w->s.pool.cls[0].used, 2);
    w->a.s = w->side.s = &own;
    vec_push(&w->a.object, (struct poc_object){
                               .base = base, .size = 16, .type = &node, .name = "n->next->next", .from = 1});
    assert_int_equal(poc_word_at(&w->a, chunk(1) + 8), base);
    map_set(&w->side.touched, base + 8, 1);
    poc_shapes_grow(&w->all, &from, &w->side);
    assert_non_null(w->all.bound);
    snapshot_free(&own);
    vec_free(&patch);
    world_free(w);
}

/* Two pointers into one object stay in order, unless that is not wanted. */
static void test_order(void **state)
{
    (void)state;
    for (unsigned no_order = 0; no_order < 2; no_order++) {
        struct world *w = world_new(1);
        uint64_t inside = chunk(1) + 4;
        memcpy(&w->heap[0][SLOT - 16], &inside, 8);
        w->opt.no_order = no_order;
        map_set(&w->side.touched, chunk(0), 1);
        poc_shapes_grow(&w->all, NULL, &w->side);
        assert_int_equal(w->all.shape.len, 1);
        assert_int_equal(w->all.shape.data[0].link.len, no_order ? 1 : 2);
        world_free(w);
    }
}

static void test_empty(void **state)
{
    (void)state;
    struct world *w = world_new(2);
    poc_shapes_empty(&w->all, &w->a);
    assert_int_equal(w->all.shape.len, 1);
    struct poc_shape from = w->all.shape.data[0];
    assert_int_equal(from.link.data[0].value, 0);
    /* what was made NULL is filled again */
    w->arg.value = 0;
    w->a.object.len = 0;
    poc_shapes_grow(&w->all, &from, &w->side);
    assert_int_equal(w->all.shape.len, 2);
    assert_int_equal(w->all.shape.data[1].link.len, 1);
    assert_int_equal(w->all.shape.data[1].link.data[0].value, chunk(2));
    world_free(w);
}

static void test_places(void **state)
{
    (void)state;
    struct poc_crash a = {.kind = POC_NULL, .function = "f"}, b = a;
    assert_true(poc_crash_here(&a, &b));
    a.line = b.line = 3, a.column = 7, b.column = 9;
    assert_true(poc_crash_same(&a, &b));
    assert_false(poc_crash_here(&a, &b));
    a.base = b.base = 64, a.size = b.size = 8; /* of one chunk */
    assert_true(poc_crash_here(&a, &b));
    b.base = 128;
    assert_false(poc_crash_here(&a, &b));
    b.function = "g";
    assert_false(poc_crash_same(&a, &b));
}

/* Where the contents of a block stand: in files only, also where they overlap; those of an empty one nowhere.
 */
static void test_places_in_the_input(void **state)
{
    (void)state;
    struct piece piece[] = {{.data = (char *)"aaa", .len = 3},
                            {.data = (char *)"baaa", .len = 4, .file = true},
                            {.data = (char *)"aa", .len = 2, .standard = true}};
    struct input in = {.piece = piece, .n = 3};
    static const struct input_place want[] = {{1, 1, 3}, {1, 2, 4}, {2, 0, 2}};
    struct input_place at = {0};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(input_place(&in, "aa", 2, &at));
        assert_memory_equal(&at, &want[i], sizeof at);
    }
    assert_false(input_place(&in, "aa", 2, &at));
    at = (struct input_place){0};
    assert_false(input_place(&in, "", 0, &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_varied), cmocka_unit_test(test_bound),
        cmocka_unit_test(test_order),          cmocka_unit_test(test_empty),
        cmocka_unit_test(test_places),         cmocka_unit_test(test_places_in_the_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
