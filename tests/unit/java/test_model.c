/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of the JDK's methods: each row of the table names one, and its body is bytecode like any other. Whether it does what
 * the method does is shown by running programs on a virtual machine, too (tests/java). */
#include <string.h>

#include "base/buf.h"
#include "lift/java/check.h"
#include "lift/java/internal.h"
#include "test.h"

struct fixture {
    struct java_path *path;
    struct java_world world;
    struct java_lift *lift;
};

static void begin(struct fixture *f)
{
    struct error err = {0};
    f->path = java_path_new();
    if (!java_path_jdk(f->path, NULL, &err))
        fail_msg("%s", err.text);
    java_world_init(&f->world, f->path);
    f->lift = java_lift_new(&f->world, true);
}

static void end(struct fixture *f)
{
    java_lift_free(f->lift);
    java_world_free(&f->world);
    java_path_free(f->path);
}

static bool is_input(const char *owner)
{
    return strncmp(owner, "java/", 5) != 0 && strncmp(owner, "jdk/", 4) != 0 && strncmp(owner, "sun/", 4) != 0;
}

/* The code of the model, which the check accepts and whose IR is valid. */
static void check_model(struct fixture *f, struct java_method *m)
{
    struct java_method *model = model_of(f->lift, m);
    if (!model)
        fail_msg("%s.%s has no model", m->owner->name, m->name);
    struct java_checked checked = {0};
    java_check(model, &checked);
    if (checked.why)
        fail_msg("%s.%s: %s at %u", m->owner->name, m->name, checked.why, checked.why_pc);
    java_checked_free(&checked);
    const struct java_code *code = java_code(f->lift, java_address(f->lift, model));
    struct ir_machine machine = *code->machine;
    machine.throws = 64; /* references; the machine says 0, as every call is followed */
    for (uint32_t i = 0; i < code->nblocks; i++) {
        struct ir_pures pures = {0};
        struct buf why = BUF_INIT;
        if (!ir_validate(&code->block[i], &machine, &pures, &why))
            fail_msg("%s.%s: %s", m->owner->name, m->name, buf_text(&why));
        buf_free(&why);
    }
}

static void every_row_stands_for_a_method(void **state)
{
    (void)state;
    struct fixture f;
    const char *owner, *name, *desc;
    begin(&f);
    /* methods that are private to the JDK come and go */
    bool tested = strstr(java_path_home(f.path), "17") != NULL;
    for (size_t i = 0; model_row(i, &owner, &name, &desc); i++) {
        struct error err = {0};
        if (!owner || is_input(owner))
            continue;
        struct java_class *c = java_world_class(&f.world, owner, &err);
        unsigned found = 0;
        for (unsigned k = 0; c && k < c->nmethods; k++) {
            struct java_method *m = &c->method[k];
            if (strcmp(m->name, name) != 0 || (desc && strcmp(m->desc, desc) != 0))
                continue;
            found++;
            check_model(&f, m);
        }
        if (!found && tested)
            fail_msg("%s.%s%s: no such method", owner, name, desc ? desc : "");
    }
    end(&f);
}

static void what_has_no_row_is_itself(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct java_class *c = java_world_class(&f.world, "java/lang/Math", NULL);
    assert_null(model_of(f.lift, java_method(c, "max", "(II)I")));
    assert_non_null(model_of(f.lift, java_method(c, "sqrt", "(D)D")));
    assert_false(java_has_model(f.lift, java_method(c, "max", "(II)I")));
    end(&f);
}

static void inputs_are_known_without_their_class(void **state)
{
    (void)state;
    assert_true(model_known("assay/Input", "anyInt", "()I"));
    assert_true(model_known("org/sosy_lab/sv_benchmarks/Verifier", "nondetLong", "()J"));
    assert_true(model_known("gov/nasa/jpf/symbc/Debug", "makeSymbolicReal", "(Ljava/lang/String;)D"));
    assert_false(model_known("assay/Input", "anyInt", "()J"));
    assert_false(model_known("java/lang/System", "nanoTime", "()J"));
}

/* What is taken for something simpler is listed, once; what is exact is not. */
static void use_is_listed(void **state)
{
    (void)state;
    struct fixture f;
    const char *const *list;
    begin(&f);
    struct java_class *object = java_world_class(&f.world, "java/lang/Object", NULL);
    model_of(f.lift, java_method(object, "getClass", "()Ljava/lang/Class;"));
    assert_int_equal(java_models_used(f.lift, &list), 0);
    for (unsigned i = 0; i < 2; i++)
        model_of(f.lift, java_method(object, "hashCode", "()I"));
    assert_int_equal(java_models_used(f.lift, &list), 1);
    assert_non_null(strstr(list[0], "hash codes"));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_stands_for_a_method),
        cmocka_unit_test(what_has_no_row_is_itself),
        cmocka_unit_test(inputs_are_known_without_their_class),
        cmocka_unit_test(use_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
