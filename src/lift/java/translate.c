/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytecode of one method to blocks.
 *
 * Within a block the operand stack is a list of values; what was there when the block began is read from its
 * register when it is first needed. At the end of a block, and before a call or a way out of its middle that
 * comes back, everything is put into its register. Locals always are in theirs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lift/java/translate.h"

/* ---- registers and values ---- */

unsigned tr_reg(unsigned slot)
{
    return slot * SLOT;
}

static unsigned local_reg(unsigned n)
{
    return tr_reg(REG_LOCALS + n);
}

static unsigned stack_reg(const struct tr *t, unsigned word)
{
    return tr_reg(REG_LOCALS + t->m->max_locals + word);
}

unsigned tr_width_of(char kind)
{
    return kind == 'J' || kind == 'D' ? 64 : 32;
}

static unsigned words_of(char kind)
{
    return kind == 'J' || kind == 'D' ? 2 : 1;
}

char tr_kind_of(char type)
{
    return strchr("JFD", type) ? type : type == 'L' || type == '[' ? 'A' : 'I';
}

ir_val tr_constant(struct tr *t, unsigned width, uint64_t v)
{
    return ir_const(t->b, width, v);
}

void tr_put(struct tr *t, unsigned at, ir_val v)
{
    ir_put(t->b, at, ir_zext(t->b, v, 64));
}

void tr_push(struct tr *t, char kind, ir_val v)
{
    vec_push(&t->stack, (struct operand){v, kind});
    t->words += words_of(kind);
}

static struct operand pop_any(struct tr *t)
{
    assert(t->stack.len);
    struct operand o = vec_pop(&t->stack);
    t->words -= words_of(o.kind);
    if (o.v == IR_NONE)
        o.v = ir_get(t->b, stack_reg(t, t->words), tr_width_of(o.kind));
    return o;
}

ir_val tr_pop(struct tr *t)
{
    return pop_any(t).v;
}

/* Everything on the stack into its register. */
void tr_flush(struct tr *t)
{
    unsigned word = 0;
    for (size_t i = 0; i < t->stack.len; i++) {
        struct operand *o = &t->stack.data[i];
        if (o->v != IR_NONE)
            tr_put(t, stack_reg(t, word), o->v);
        o->v = IR_NONE;
        word += words_of(o->kind);
    }
}

/* ---- blocks ---- */

ir_label tr_label_of(const struct tr *t, uint32_t pc)
{
    return t->base + pc;
}

ir_label tr_new_label(struct tr *t)
{
    return t->base + 0x10000 + t->made++;
}

void tr_begin(struct tr *t, ir_label label)
{
    ir_begin(t->b, label);
    ir_mark_insn(t->b, tr_label_of(t, t->pc), 1);
    t->open = true;
}

void tr_finish(struct tr *t, struct ir_end end)
{
    struct ir_block b;
    ir_finish(t->b, end, 1, &t->l->arena, &b);
    vec_push(&t->block, b);
    t->open = false;
}

struct ir_end tr_an_end(enum ir_end_kind kind)
{
    return (struct ir_end){
        .kind = kind, .next = IR_NONE, .label = IR_NO_LABEL, .after = IR_NO_LABEL, .result = IR_NONE};
}

void tr_end_jump(struct tr *t, ir_label to)
{
    struct ir_end e = tr_an_end(IR_END_JUMP);
    e.label = to;
    tr_finish(t, e);
}

/* The path ends here, for a reason that is told. */
void tr_end_unknown(struct tr *t, const char *why)
{
    java_note_reason(t->l, tr_label_of(t, t->pc), why);
    tr_finish(t, tr_an_end(IR_END_UNKNOWN));
}

/* ---- exceptions ---- */

static bool covers(const struct java_handler *h, uint32_t pc)
{
    return pc >= h->start && pc < h->end;
}

static bool same_handlers(const struct java_method *m, uint32_t a, uint32_t b)
{
    for (unsigned i = 0; i < m->nhandlers; i++)
        if (covers(&m->handler[i], a) != covers(&m->handler[i], b))
            return false;
    return true;
}

/* Where an exception goes that comes from this instruction. */
static ir_label search(struct tr *t)
{
    for (size_t i = 0; i < t->search.len; i++)
        if (same_handlers(t->m, t->search.data[i].pc, t->pc))
            return t->search.data[i].label;
    ir_label label = tr_new_label(t);
    vec_push(&t->search, (struct side){.label = label, .pc = t->pc});
    return label;
}

/* What the callee throws goes there. */
static void catch_at(struct tr *t, struct ir_end *call)
{
    call->unwinds = true;
    call->unwind = search(t);
    call->caught = tr_reg(REG_CAUGHT);
    call->caught_width = 64;
}

static bool has_handler(const struct tr *t)
{
    for (unsigned i = 0; i < t->m->nhandlers; i++)
        if (covers(&t->m->handler[i], t->pc))
            return true;
    return false;
}

static ir_label thrower(struct tr *t, enum vm_exception e)
{
    /* those of this instruction are the last */
    for (size_t i = t->side.len; i-- > 0 && t->side.data[i].pc == t->pc;)
        if (t->side.data[i].exception == e)
            return t->side.data[i].label;
    ir_label label = tr_new_label(t);
    vec_push(&t->side, (struct side){label, t->pc, e});
    return label;
}

void tr_throw_when(struct tr *t, ir_val cond, enum vm_exception e)
{
    uint64_t known;
    if (ir_is_const(t->b, cond, &known) && !known)
        return;
    ir_exit(t->b, cond, IR_EXIT_JUMP, thrower(t, e));
}

void tr_check_null(struct tr *t, ir_val ref)
{
    tr_throw_when(t, ir_bin(t->b, OP_EQ, ref, tr_constant(t, 32, 0)), VM_NULL);
}

/* ---- calls ---- */

/* Ends the block with a call and begins the one behind it. The callee is a method, or a value. */
void tr_call(struct tr *t, struct java_method *m, ir_val target, const ir_val *arg, unsigned nargs,
             char result)
{
    struct ir_end e = tr_an_end(IR_END_CALL);
    ir_val wide[256];
    for (unsigned i = 0; i < nargs; i++)
        wide[i] = ir_zext(t->b, arg[i], 64);
    tr_flush(t);
    if (m)
        e.label = java_address(t->l, m);
    else
        e.next = target;
    if (has_handler(t))
        catch_at(t, &e);
    if (result != 'V') {
        e.result = stack_reg(t, t->words);
        e.result_width = 64;
    }
    e.after = tr_new_label(t);
    e.args = ir_args(t->b, wide, nargs);
    e.nargs = nargs;
    tr_finish(t, e);
    if (result != 'V')
        tr_push(t, tr_kind_of(result), IR_NONE);
    tr_begin(t, e.after);
}

/* Calls a method made for it, unless that was done: to initialise a class, to make a literal. */
void tr_ensure(struct tr *t, uint32_t id, struct java_method *m)
{
    tr_flush(t);
    ir_val ready = ir_load(t->b, JAVA_READY, tr_constant(t, 32, id), 8, IR_NONE, IR_NONE);
    ir_label make = tr_new_label(t), on = tr_new_label(t);
    ir_exit(t->b, ir_un(t->b, OP_NOT, ir_bin(t->b, OP_EQ, ready, tr_constant(t, 8, 1))), IR_EXIT_JUMP, make);
    tr_end_jump(t, on);
    tr_begin(t, make);
    struct ir_end e = tr_an_end(IR_END_CALL);
    e.label = java_address(t->l, m);
    e.after = on;
    if (has_handler(t))
        catch_at(t, &e);
    tr_finish(t, e);
    tr_begin(t, on);
}

void tr_initialise(struct tr *t, struct java_class *c)
{
    /* what runs here has begun to be initialised, and so have its superclasses */
    if (c->component || (t->c->origin && java_subclass(t->c, c) && !(c->flags & JAVA_INTERFACE)))
        return;
    struct java_method *m = synth_initialiser(t->l, c);
    if (m)
        tr_ensure(t, c->id, m);
}

struct java_class *tr_class_at(struct tr *t, const char *name)
{
    struct error err = {0};
    struct java_class *c = java_world_class(t->l->w, name, &err);
    if (!c)
        tr_end_unknown(t, err.text);
    return c;
}

/* ---- calls of methods ---- */

static const char *result_of(const char *desc)
{
    return strchr(desc, ')') + 1;
}

static unsigned take_arguments(struct tr *t, const char *desc, bool receiver, ir_val *arg)
{
    unsigned words, count;
    java_signature(desc, &words, &count);
    count += receiver;
    for (unsigned i = count; i-- > 0;)
        arg[i] = tr_pop(t);
    return count;
}

/* A method of a class that is not at hand, where calls of it mean something all the same. */
static struct java_method *absent(struct tr *t, const struct java_cp *e)
{
    struct java_method *m;
    const char *key = arena_printf(&t->l->arena, "absent %s.%s%s", e->owner, e->text, e->desc);
    if (synth_known(t->l, key, &m))
        return m;
    struct java_class *c = arena_new(&t->l->arena, struct java_class);
    c->name = e->owner;
    c->origin = "";
    m = arena_new(&t->l->arena, struct java_method);
    *m = (struct java_method){
        .owner = c, .name = e->text, .desc = e->desc, .flags = JAVA_STATIC | JAVA_NATIVE};
    return synth_keep(t->l, key, m);
}

static void invoke(struct tr *t, unsigned op)
{
    unsigned index = java_u16(t->m->code + t->pc + 1);
    const struct java_cp *e = &t->c->cp[index];
    ir_val arg[256];
    struct java_method *m = NULL;
    if (op == J_INVOKESTATIC && e->tag == JAVA_CP_METHOD && e->a == 0) {
        /* of a method made here: the class is known by its number alone */
        m = (struct java_method *)(uintptr_t)e->bits;
        unsigned n = take_arguments(t, m->desc, false, arg);
        tr_call(t, m, IR_NONE, arg, n, *result_of(m->desc));
        return;
    }
    struct error err = {0};
    struct java_class *c = java_world_class(t->l->w, e->owner, &err);
    if (c)
        m = java_method(c, e->text, e->desc);
    else if (op == J_INVOKESTATIC && model_known(e->owner, e->text, e->desc))
        m = absent(t, e);
    if (!m || (op == J_INVOKESTATIC) != ((m->flags & JAVA_STATIC) != 0)) {
        tr_end_unknown(t, c ? arena_printf(&t->l->arena, "no method %s.%s%s", e->owner, e->text, e->desc)
                            : err.text);
        return;
    }
    if (op == J_INVOKESTATIC) {
        if (c && !model_known(m->owner->name, m->name, m->desc))
            tr_initialise(t, m->owner);
        unsigned n = take_arguments(t, e->desc, false, arg);
        tr_call(t, m, IR_NONE, arg, n, *result_of(e->desc));
        return;
    }
    unsigned n = take_arguments(t, e->desc, true, arg);
    tr_check_null(t, arg[0]);
    if (op == J_INVOKESPECIAL) {
        /* super.f() means the superclass of where it is written */
        bool super = strcmp(m->name, "<init>") != 0 && !(m->flags & JAVA_PRIVATE) && t->c->super &&
                     !(c->flags & JAVA_INTERFACE) && c != t->c && java_subclass(t->c, c);
        struct java_method *real = super ? java_method(t->c->super, e->text, e->desc) : m;
        m = real ? real : m;
        if (m->flags & JAVA_ABSTRACT)
            m = synth_unknown(t->l, m, "a call of an abstract method");
        tr_call(t, m, IR_NONE, arg, n, *result_of(e->desc));
        return;
    }
    bool only = m->flags & (JAVA_PRIVATE | JAVA_FINAL) || m->owner->flags & JAVA_FINAL;
    if (only && !(m->flags & JAVA_ABSTRACT)) {
        tr_call(t, m, IR_NONE, arg, n, *result_of(e->desc));
        return;
    }
    ir_val which =
        ir_bin(t->b, OP_CONCAT, tr_constant(t, 32, java_selector(t->l, m)), tr_class_of(t, arg[0]));
    ir_val target = ir_load(t->b, JAVA_DISPATCH, which, 64, IR_NONE, IR_NONE);
    tr_call(t, NULL, target, arg, n, *result_of(e->desc));
}

static void invoke_dynamic(struct tr *t)
{
    const char *why = NULL;
    ir_val arg[256];
    struct java_method *m = dynamic_method(t->l, t->c, java_u16(t->m->code + t->pc + 1), &why);
    if (!m) {
        tr_end_unknown(t, why);
        return;
    }
    unsigned n = take_arguments(t, m->desc, false, arg);
    if (strcmp(m->name, "concat") == 0 && !m->owner->origin && message_joined(t->l, t->m, t->pc, m->desc))
        tr_push_literal(t, java_message, strlen(java_message));
    else
        tr_call(t, m, IR_NONE, arg, n, *result_of(m->desc));
}

/* ---- control ---- */

static void branch(struct tr *t, unsigned op, int64_t to, ir_label next)
{
    ir_val y = tr_constant(t, 32, 0), c;
    unsigned what = op - J_IFEQ;
    if (op >= J_IF_ICMPEQ && op <= J_IF_ACMPNE) {
        y = tr_pop(t);
        what = (op - J_IF_ICMPEQ) % 6;
    }
    if (op == J_IFNULL || op == J_IFNONNULL)
        what = op - J_IFNULL;
    ir_val x = tr_pop(t);
    if (what < 2)
        c = ir_bin(t->b, OP_EQ, x, y);
    else if (what < 4)
        c = ir_bin(t->b, OP_SLT, x, y);
    else
        c = ir_bin(t->b, OP_SLT, y, x);
    if (what == 1 || what == 3 || what == 5)
        c = ir_un(t->b, OP_NOT, c);
    tr_flush(t);
    ir_exit(t->b, c, IR_EXIT_JUMP, tr_label_of(t, (uint32_t)to));
    tr_end_jump(t, next);
}

static void switch_op(struct tr *t)
{
    uint32_t n = java_switch_cases(t->m, t->pc);
    int32_t value;
    int64_t other = java_switch_case(t->m, t->pc, n, &value);
    struct map seen = {0};
    ir_val x = tr_pop(t);
    tr_flush(t);
    /* cases that go to one place are one way there */
    for (uint32_t i = 0; i < n; i++) {
        int64_t to = java_switch_case(t->m, t->pc, i, &value);
        if (to == other || map_get(&seen, (uint64_t)to, NULL))
            continue;
        map_set(&seen, (uint64_t)to, 1);
        ir_val any = IR_NONE;
        for (uint32_t k = i; k < n; k++) {
            if (java_switch_case(t->m, t->pc, k, &value) != to)
                continue;
            ir_val is = ir_bin(t->b, OP_EQ, x, tr_constant(t, 32, (uint32_t)value));
            any = any == IR_NONE ? is : ir_bin(t->b, OP_OR, any, is);
        }
        ir_exit(t->b, any, IR_EXIT_JUMP, tr_label_of(t, (uint32_t)to));
    }
    tr_end_jump(t, tr_label_of(t, (uint32_t)other));
    map_free(&seen);
}

static void return_op(struct tr *t, unsigned op)
{
    if (op != J_RETURN) {
        ir_val v = tr_pop(t);
        char type = *result_of(t->m->desc);
        if (type == 'Z' || type == 'B' || type == 'S' || type == 'C')
            v = tr_widen(t, tr_narrow(t, v, type), type);
        tr_put(t, tr_reg(REG_RESULT), v);
    }
    tr_finish(t, tr_an_end(IR_END_RET));
}

static void throw_op(struct tr *t)
{
    ir_val ref = tr_pop(t);
    tr_check_null(t, ref);
    ir_val first = ir_load(t->b, JAVA_THROWN, ref, 64, IR_NONE, IR_NONE);
    ir_store(t->b, JAVA_THROWN, ref,
             ir_ite(t->b, ir_bin(t->b, OP_EQ, first, tr_constant(t, 64, 0)),
                    tr_constant(t, 64, tr_label_of(t, t->pc)), first),
             IR_NONE);
    tr_put(t, tr_reg(REG_CAUGHT), ref);
    tr_end_jump(t, search(t));
}

/* A subroutine's return address is where its code goes on, as a number. */
static void ret_op(struct tr *t, unsigned n)
{
    ir_val to = ir_get(t->b, local_reg(n), 32);
    tr_flush(t);
    struct ir_end e = tr_an_end(IR_END_JUMP);
    e.next = ir_bin(t->b, OP_ADD, ir_zext(t->b, to, 64), tr_constant(t, 64, t->base));
    for (size_t i = 0; i < t->checked.subroutine.len; i++)
        vec_push(&t->jump,
                 (struct java_jump){(uint32_t)t->block.len, tr_label_of(t, t->checked.subroutine.data[i])});
    tr_finish(t, e);
}

static void stack_op(struct tr *t, unsigned op)
{
    struct operand a = pop_any(t), b, c, d;
    bool wide = words_of(a.kind) == 2;
    switch (op) {
    case J_POP:
        return;
    case J_POP2:
        if (!wide)
            pop_any(t);
        return;
    case J_DUP:
        tr_push(t, a.kind, a.v);
        tr_push(t, a.kind, a.v);
        return;
    case J_SWAP:
    case J_DUP_X1:
        b = pop_any(t);
        tr_push(t, a.kind, a.v);
        tr_push(t, b.kind, b.v);
        if (op == J_DUP_X1)
            tr_push(t, a.kind, a.v);
        return;
    case J_DUP_X2:
        b = pop_any(t);
        if (words_of(b.kind) == 1) {
            c = pop_any(t);
            tr_push(t, a.kind, a.v);
            tr_push(t, c.kind, c.v);
        } else {
            tr_push(t, a.kind, a.v);
        }
        tr_push(t, b.kind, b.v);
        tr_push(t, a.kind, a.v);
        return;
    }
    /* dup2 and its kin: one wide value or two others are copied, below none, one or two words */
    if (!wide)
        b = pop_any(t);
    unsigned below = op - J_DUP2, n = 0;
    struct operand under[2];
    while (below) {
        d = under[n++] = pop_any(t);
        below -= words_of(d.kind) > below ? below : words_of(d.kind);
    }
    for (unsigned twice = 0; twice < 2; twice++) {
        if (!wide)
            tr_push(t, b.kind, b.v);
        tr_push(t, a.kind, a.v);
        for (; n; n--)
            tr_push(t, under[n - 1].kind, under[n - 1].v);
    }
}

/* ---- constants ---- */

static void load_constant(struct tr *t, unsigned index)
{
    const struct java_cp *e = &t->c->cp[index];
    switch (e->tag) {
    case JAVA_CP_INTEGER:
        tr_push(t, 'I', tr_constant(t, 32, e->bits));
        return;
    case JAVA_CP_FLOAT:
        tr_push(t, 'F', tr_constant(t, 32, e->bits));
        return;
    case JAVA_CP_LONG:
        tr_push(t, 'J', tr_constant(t, 64, e->bits));
        return;
    case JAVA_CP_DOUBLE:
        tr_push(t, 'D', tr_constant(t, 64, e->bits));
        return;
    case JAVA_CP_STRING:
        tr_push_literal(t, e->text, e->len);
        return;
    case JAVA_CP_CLASS: {
        struct java_class *c = tr_class_at(t, e->text);
        if (c)
            tr_push_mirror(t, c);
        return;
    }
    }
    tr_end_unknown(t, "a constant that is computed when it is first used, or a method handle");
}

/* ---- one instruction ---- */

static void local_get(struct tr *t, unsigned n, char kind)
{
    tr_push(t, kind, ir_get(t->b, local_reg(n), tr_width_of(kind)));
}

static void local_set(struct tr *t, unsigned n)
{
    tr_put(t, local_reg(n), tr_pop(t));
}

static void increase(struct tr *t, unsigned n, int32_t by)
{
    ir_val v = ir_bin(t->b, OP_ADD, ir_get(t->b, local_reg(n), 32), tr_constant(t, 32, (uint32_t)by));
    tr_put(t, local_reg(n), v);
}

static struct java_class *primitive_array(struct tr *t, unsigned type)
{
    static const char *const name[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
    return tr_class_at(t, name[type - 4]);
}

static void class_op(struct tr *t, unsigned op)
{
    const char *name = t->c->cp[java_u16(t->m->code + t->pc + 1)].text;
    struct java_class *c = tr_class_at(t, name);
    struct error err = {0};
    if (!c)
        return;
    if (op == J_NEW) {
        if (c->flags & (JAVA_ABSTRACT | JAVA_INTERFACE) || c->component) {
            tr_end_unknown(t, "an object of an abstract class");
            return;
        }
        tr_initialise(t, c);
        tr_push(t, 'A', tr_make(t, tr_constant(t, 32, c->id)));
        return;
    }
    if (op == J_ANEWARRAY) {
        struct java_class *array = java_world_array(t->l->w, c, &err);
        if (array)
            tr_new_array(t, array);
        else
            tr_end_unknown(t, err.text);
        return;
    }
    ir_val ref = tr_pop(t), null = ir_bin(t->b, OP_EQ, ref, tr_constant(t, 32, 0));
    ir_val is = tr_is_subclass(t, tr_constant(t, 32, c->id), tr_class_of(t, ref));
    if (op == J_CHECKCAST) {
        tr_throw_when(t, ir_un(t->b, OP_NOT, ir_bin(t->b, OP_OR, null, is)), VM_CAST);
        tr_push(t, 'A', ref);
    } else {
        tr_push(t, 'I', ir_zext(t->b, ir_bin(t->b, OP_AND, is, ir_un(t->b, OP_NOT, null)), 32));
    }
}

static void many_arrays(struct tr *t)
{
    const uint8_t *p = t->m->code + t->pc;
    const char *name = t->c->cp[java_u16(p + 1)].text;
    ir_val arg[256];
    for (unsigned i = p[3]; i-- > 0;)
        arg[i] = tr_pop(t);
    tr_call(t, synth_many(t->l, name, p[3]), IR_NONE, arg, p[3], 'L');
}

static void wide_op(struct tr *t, const uint8_t *p)
{
    static const char kinds[] = "IJFDA";
    unsigned n = java_u16(p + 2);
    if (p[1] >= J_ILOAD && p[1] <= J_ALOAD)
        local_get(t, n, kinds[p[1] - J_ILOAD]);
    else if (p[1] >= J_ISTORE && p[1] <= J_ASTORE)
        local_set(t, n);
    else if (p[1] == J_IINC)
        increase(t, n, java_s16(p + 4));
    else
        ret_op(t, n);
}

static void translate_insn(struct tr *t, ir_label next)
{
    static const char kinds[] = "IJFDA";
    const uint8_t *p = t->m->code + t->pc;
    unsigned op = p[0];
    if (op == J_OWN)
        tr_own_op(t);
    else if (op == J_ACONST_NULL)
        tr_push(t, 'A', tr_constant(t, 32, 0));
    else if (op >= 2 && op <= 8)
        tr_push(t, 'I', tr_constant(t, 32, (uint32_t)((int)op - J_ICONST_0)));
    else if (op == 9 || op == 10)
        tr_push(t, 'J', tr_constant(t, 64, op - 9u));
    else if (op >= 11 && op <= 13)
        tr_push(t, 'F', tr_constant(t, 32, op == 11 ? 0 : op == 12 ? 0x3f800000 : 0x40000000));
    else if (op == 14 || op == 15)
        tr_push(t, 'D', tr_constant(t, 64, op == 14 ? 0 : UINT64_C(0x3ff0000000000000)));
    else if (op == J_BIPUSH)
        tr_push(t, 'I', tr_constant(t, 32, (uint32_t)(int8_t)p[1]));
    else if (op == J_SIPUSH)
        tr_push(t, 'I', tr_constant(t, 32, (uint32_t)java_s16(p + 1)));
    else if (op >= J_LDC && op <= J_LDC2_W)
        load_constant(t, op == J_LDC ? p[1] : java_u16(p + 1));
    else if (op >= J_ILOAD && op <= J_ALOAD)
        local_get(t, p[1], kinds[op - J_ILOAD]);
    else if (op >= J_ILOAD_0 && op < J_IALOAD)
        local_get(t, (op - J_ILOAD_0) % 4, kinds[(op - J_ILOAD_0) / 4]);
    else if (op >= J_IALOAD && op <= J_SALOAD)
        tr_array_load(t, op);
    else if (op >= J_ISTORE && op <= J_ASTORE)
        local_set(t, p[1]);
    else if (op >= J_ISTORE_0 && op < J_IASTORE)
        local_set(t, (op - J_ISTORE_0) % 4);
    else if (op == J_BASTORE)
        tr_byte_store(t);
    else if (op >= J_IASTORE && op <= J_SASTORE)
        tr_array_store(t, op);
    else if (op >= J_POP && op <= J_SWAP)
        stack_op(t, op);
    else if (op >= J_IADD && op < J_INEG)
        tr_binary(t, op);
    else if (op >= J_INEG && op < J_ISHL)
        tr_negate(t, op);
    else if (op >= J_ISHL && op <= J_LXOR)
        tr_shift_or_logic(t, op);
    else if (op == J_IINC)
        increase(t, p[1], (int8_t)p[2]);
    else if (op >= J_I2L && op <= J_I2S)
        tr_convert(t, op);
    else if (op >= J_LCMP && op <= J_DCMPG)
        tr_compare(t, op);
    else if ((op >= J_IFEQ && op <= J_IF_ACMPNE) || op == J_IFNULL || op == J_IFNONNULL)
        branch(t, op, (int64_t)t->pc + java_s16(p + 1), next);
    else if (op == J_GOTO || op == J_GOTO_W || op == J_JSR || op == J_JSR_W) {
        bool near = op == J_GOTO || op == J_JSR;
        if (op == J_JSR || op == J_JSR_W)
            tr_push(t, 'R', tr_constant(t, 32, t->pc + t->length));
        tr_flush(t);
        tr_end_jump(t, tr_label_of(t, (uint32_t)((int64_t)t->pc + (near ? java_s16(p + 1) : java_s32(p + 1)))));
    } else if (op == J_RET)
        ret_op(t, p[1]);
    else if (op == J_TABLESWITCH || op == J_LOOKUPSWITCH)
        switch_op(t);
    else if (op >= J_IRETURN && op <= J_RETURN)
        return_op(t, op);
    else if (op >= J_GETSTATIC && op <= J_PUTFIELD)
        tr_field_op(t, op);
    else if (op >= J_INVOKEVIRTUAL && op <= J_INVOKEINTERFACE)
        invoke(t, op);
    else if (op == J_INVOKEDYNAMIC)
        invoke_dynamic(t);
    else if (op == J_NEW || op == J_ANEWARRAY || op == J_CHECKCAST || op == J_INSTANCEOF)
        class_op(t, op);
    else if (op == J_NEWARRAY) {
        struct java_class *array = primitive_array(t, p[1]);
        if (array)
            tr_new_array(t, array);
    } else if (op == J_ARRAYLENGTH) {
        ir_val ref = tr_pop(t);
        tr_check_null(t, ref);
        tr_push(t, 'I', tr_length_of(t, ref));
    } else if (op == J_ATHROW)
        throw_op(t);
    else if (op == J_MONITORENTER || op == J_MONITOREXIT) {
        tr_check_null(t, tr_pop(t));
        java_model_used(t->l, "monitors are ignored: there is one thread");
    } else if (op == J_WIDE)
        wide_op(t, p);
    else if (op == J_MULTIANEWARRAY)
        many_arrays(t);
}

/* ---- a method ---- */

static void load_stack(struct tr *t, const char *kinds)
{
    vec_clear(&t->stack);
    t->words = 0;
    for (; *kinds; kinds++)
        if (*kinds != '2')
            tr_push(t, *kinds, IR_NONE);
}

/* From a leader to the end of its block. */
static void translate_block(struct tr *t, uint32_t pc)
{
    t->pc = pc;
    tr_begin(t, tr_label_of(t, pc));
    load_stack(t, t->checked.stack[pc]);
    while (t->open) {
        t->length = java_length(t->m, t->pc);
        uint32_t next = t->pc + t->length;
        if (t->pc != pc)
            ir_mark_insn(t->b, tr_label_of(t, t->pc), 1);
        uint32_t given = message_made(t->l, t->m, t->pc);
        if (given) {
            tr_push_literal(t, java_message, strlen(java_message));
            next = given;
        } else {
            translate_insn(t, tr_label_of(t, next));
        }
        if (!t->open)
            break;
        t->pc = next;
        if (t->checked.leader[next]) {
            tr_flush(t);
            tr_end_jump(t, tr_label_of(t, next));
        }
    }
}

static void exception_block(struct tr *t, const struct side s)
{
    struct ir_end e = tr_an_end(IR_END_CALL);
    t->pc = s.pc;
    tr_begin(t, s.label);
    bool bounds = s.exception == VM_BOUNDS;
    ir_val none = tr_constant(t, 64, 0);
    ir_val arg[3] = {tr_constant(t, 64, tr_label_of(t, s.pc)),
                     bounds ? ir_get(t->b, tr_reg(REG_A), 64) : none,
                     bounds ? ir_get(t->b, tr_reg(REG_B), 64) : none};
    e.label = java_address(t->l, synth_exception(t->l, s.exception));
    e.args = ir_args(t->b, arg, 3);
    e.nargs = 3;
    e.result = tr_reg(REG_CAUGHT);
    e.result_width = 64;
    e.after = search(t);
    catch_at(t, &e);
    tr_finish(t, e);
}

static void search_block(struct tr *t, const struct side s)
{
    struct error err = {0};
    t->pc = s.pc;
    tr_begin(t, s.label);
    ir_val caught = ir_get(t->b, tr_reg(REG_CAUGHT), 64);
    if (t->m->nhandlers)
        ir_put(t->b, stack_reg(t, 0), caught);
    ir_val class = tr_class_of(t, ir_extract(t->b, caught, 0, 32));
    for (unsigned i = 0; i < t->m->nhandlers; i++) {
        const struct java_handler *h = &t->m->handler[i];
        if (!covers(h, s.pc))
            continue;
        if (!h->type) {
            tr_end_jump(t, tr_label_of(t, h->at));
            return;
        }
        struct java_class *c = java_world_class(t->l->w, h->type, &err);
        if (!c) {
            tr_end_unknown(t, err.text);
            return;
        }
        ir_exit(t->b, tr_is_subclass(t, tr_constant(t, 32, c->id), class), IR_EXIT_JUMP,
                tr_label_of(t, h->at));
    }
    struct ir_end e = tr_an_end(IR_END_THROW);
    e.next = caught;
    tr_finish(t, e);
}

/* A body that ends at once. */
static void no_body(struct tr *t, const char *why)
{
    t->pc = 0;
    tr_begin(t, tr_label_of(t, 0));
    tr_end_unknown(t, why);
}

static const char *cannot(const struct java_method *m, struct arena *arena)
{
    enum { SLOTS_MAX = 4096 };
    if (m->flags & JAVA_NATIVE)
        return arena_printf(arena, "native method %s.%s%s", m->owner->name, m->name, m->desc);
    if (!m->code)
        return arena_printf(arena, "no code of %s.%s%s", m->owner->name, m->name, m->desc);
    if (m->max_locals + m->max_stack > SLOTS_MAX)
        return arena_printf(arena, "%s.%s has too many locals", m->owner->name, m->name);
    return NULL;
}

struct java_code *java_translate(struct java_lift *l, struct java_method *m)
{
    struct tr t = {.l = l, .m = m, .c = m->owner, .b = l->b, .base = java_address(l, m)};
    unsigned words, count;
    const char *why = cannot(m, &l->arena);
    java_signature(m->desc, &words, &count);
    count += !(m->flags & JAVA_STATIC);
    if (!why) {
        java_check(m, &t.checked);
        if (t.checked.why)
            why = arena_printf(&l->arena, "%s.%s%s is not well formed: %s (at %u)", m->owner->name, m->name,
                               m->desc, t.checked.why, t.checked.why_pc);
    }
    struct java_code *out = arena_new(&l->arena, struct java_code);
    bool ok = !why;
    if (ok) {
        for (uint32_t pc = 0; pc < m->ncode; pc++)
            if (t.checked.leader[pc] && t.checked.stack[pc])
                translate_block(&t, pc);
        for (size_t i = 0; i < t.side.len; i++)
            exception_block(&t, t.side.data[i]);
        for (size_t i = 0; i < t.search.len; i++)
            search_block(&t, t.search.data[i]);
    } else {
        no_body(&t, why);
    }
    out->machine = java_machine(l, REG_LOCALS + (ok ? m->max_locals + m->max_stack : words + 1u));
    out->input = arena_array(&l->arena, uint32_t, count + 1);
    out->ninputs = count;
    unsigned word = 0, n = 0;
    if (!(m->flags & JAVA_STATIC))
        out->input[n++] = local_reg(word++);
    for (const char *p = m->desc + 1; *p != ')'; n++) {
        out->input[n] = local_reg(word);
        word += words_of(tr_kind_of(java_type(p, &p)));
    }
    out->method = m;
    out->nblocks = (uint32_t)t.block.len;
    out->block = arena_dup(&l->arena, t.block.data, t.block.len * sizeof *t.block.data);
    out->njumps = (uint32_t)t.jump.len;
    out->jump = arena_dup(&l->arena, t.jump.data, t.jump.len * sizeof *t.jump.data);
    vec_free(&t.stack);
    vec_free(&t.block);
    vec_free(&t.jump);
    vec_free(&t.side);
    vec_free(&t.search);
    java_checked_free(&t.checked);
    return out;
}
