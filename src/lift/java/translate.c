/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytecode of one method to blocks.
 *
 * Within a block the operand stack is a list of values; what was there when the block began is read from its
 * register when it is first needed. At the end of a block, and before a call or a way out of its middle that
 * comes back, everything is put into its register. Locals always are in theirs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lift/java/check.h"
#include "lift/java/internal.h"

/* A value on the operand stack, which takes one or two words. */
struct operand {
    ir_val v; /* IR_NONE: it is in its register */
    char kind;
};

/* A block that is made when all others are: an exception that the machine throws, or the search for its
 * handler. */
struct side {
    ir_label label;
    uint32_t pc;
    enum vm_exception exception;
};

struct tr {
    struct java_lift *l;
    struct java_method *m;
    struct java_class *c;
    struct ir_builder *b;
    struct java_checked checked;
    uint64_t base; /* address of the method */
    uint32_t made; /* labels that are no instruction's */
    uint32_t pc, length;
    VEC(struct operand) stack;
    unsigned words; /* on the stack */
    VEC(struct ir_block) block;
    VEC(struct java_jump) jump;
    VEC(struct side) side, search;
    bool open; /* a block is being made */
};

/* ---- registers and values ---- */

static unsigned reg(unsigned slot)
{
    return slot * SLOT;
}

static unsigned local_reg(unsigned n)
{
    return reg(REG_LOCALS + n);
}

static unsigned stack_reg(const struct tr *t, unsigned word)
{
    return reg(REG_LOCALS + t->m->max_locals + word);
}

static unsigned width_of(char kind)
{
    return kind == 'J' || kind == 'D' ? 64 : 32;
}

static unsigned words_of(char kind)
{
    return kind == 'J' || kind == 'D' ? 2 : 1;
}

static char kind_of(char type)
{
    return strchr("JFD", type) ? type : type == 'L' || type == '[' ? 'A' : 'I';
}

static ir_val constant(struct tr *t, unsigned width, uint64_t v)
{
    return ir_const(t->b, width, v);
}

static void put(struct tr *t, unsigned at, ir_val v)
{
    ir_put(t->b, at, ir_zext(t->b, v, 64));
}

static void push(struct tr *t, char kind, ir_val v)
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
        o.v = ir_get(t->b, stack_reg(t, t->words), width_of(o.kind));
    return o;
}

static ir_val pop(struct tr *t)
{
    return pop_any(t).v;
}

/* Everything on the stack into its register. */
static void flush(struct tr *t)
{
    unsigned word = 0;
    for (size_t i = 0; i < t->stack.len; i++) {
        struct operand *o = &t->stack.data[i];
        if (o->v != IR_NONE)
            put(t, stack_reg(t, word), o->v);
        o->v = IR_NONE;
        word += words_of(o->kind);
    }
}

/* ---- blocks ---- */

static ir_label label_of(const struct tr *t, uint32_t pc)
{
    return t->base + pc;
}

static ir_label new_label(struct tr *t)
{
    return t->base + 0x10000 + t->made++;
}

static void begin(struct tr *t, ir_label label)
{
    ir_begin(t->b, label);
    ir_mark_insn(t->b, label_of(t, t->pc), 1);
    t->open = true;
}

static void finish(struct tr *t, struct ir_end end)
{
    struct ir_block b;
    ir_finish(t->b, end, 1, &t->l->arena, &b);
    vec_push(&t->block, b);
    t->open = false;
}

static struct ir_end an_end(enum ir_end_kind kind)
{
    return (struct ir_end){
        .kind = kind, .next = IR_NONE, .label = IR_NO_LABEL, .after = IR_NO_LABEL, .result = IR_NONE};
}

static void end_jump(struct tr *t, ir_label to)
{
    struct ir_end e = an_end(IR_END_JUMP);
    e.label = to;
    finish(t, e);
}

/* The path ends here, for a reason that is told. */
static void end_unknown(struct tr *t, const char *why)
{
    java_note_reason(t->l, label_of(t, t->pc), why);
    finish(t, an_end(IR_END_UNKNOWN));
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
    ir_label label = new_label(t);
    vec_push(&t->search, (struct side){.label = label, .pc = t->pc});
    return label;
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
    ir_label label = new_label(t);
    vec_push(&t->side, (struct side){label, t->pc, e});
    return label;
}

static void throw_when(struct tr *t, ir_val cond, enum vm_exception e)
{
    uint64_t known;
    if (ir_is_const(t->b, cond, &known) && !known)
        return;
    ir_exit(t->b, cond, IR_EXIT_JUMP, thrower(t, e));
}

static void check_null(struct tr *t, ir_val ref)
{
    throw_when(t, ir_bin(t->b, OP_EQ, ref, constant(t, 32, 0)), VM_NULL);
}

/* ---- calls ---- */

/* Ends the block with a call and begins the one behind it. The callee is a method, or a value. */
static void call(struct tr *t, struct java_method *m, ir_val target, const ir_val *arg, unsigned nargs,
                 char result)
{
    struct ir_end e = an_end(IR_END_CALL);
    ir_val wide[256];
    for (unsigned i = 0; i < nargs; i++)
        wide[i] = ir_zext(t->b, arg[i], 64);
    flush(t);
    if (m)
        e.label = java_address(t->l, m);
    else
        e.next = target;
    if (has_handler(t)) {
        e.unwinds = true;
        e.unwind = search(t);
        e.caught = reg(REG_CAUGHT);
        e.caught_width = 64;
    }
    if (result != 'V') {
        e.result = stack_reg(t, t->words);
        e.result_width = 64;
    }
    e.after = new_label(t);
    e.args = ir_args(t->b, wide, nargs);
    e.nargs = nargs;
    finish(t, e);
    if (result != 'V')
        push(t, kind_of(result), IR_NONE);
    begin(t, e.after);
}

/* Calls a method made for it, unless that was done: to initialise a class, to make a literal. */
static void ensure(struct tr *t, uint32_t id, struct java_method *m)
{
    flush(t);
    ir_val ready = ir_load(t->b, JAVA_READY, constant(t, 32, id), 8, IR_NONE, IR_NONE);
    ir_label make = new_label(t), on = new_label(t);
    ir_exit(t->b, ir_un(t->b, OP_NOT, ir_bin(t->b, OP_EQ, ready, constant(t, 8, 1))), IR_EXIT_JUMP, make);
    end_jump(t, on);
    begin(t, make);
    struct ir_end e = an_end(IR_END_CALL);
    e.label = java_address(t->l, m);
    e.after = on;
    if (has_handler(t)) {
        e.unwinds = true;
        e.unwind = search(t);
        e.caught = reg(REG_CAUGHT);
        e.caught_width = 64;
    }
    finish(t, e);
    begin(t, on);
}

static void initialise(struct tr *t, struct java_class *c)
{
    /* what runs here has begun to be initialised, and so have its superclasses */
    if (c->component || (t->c->origin && java_subclass(t->c, c) && !(c->flags & JAVA_INTERFACE)))
        return;
    struct java_method *m = synth_initialiser(t->l, c);
    if (m)
        ensure(t, c->id, m);
}

static struct java_class *class_at(struct tr *t, const char *name)
{
    struct error err = {0};
    struct java_class *c = java_world_class(t->l->w, name, &err);
    if (!c)
        end_unknown(t, err.text);
    return c;
}

/* ---- heap ---- */

/* Which box a reference is: the bits above the value are known then. */
static ir_val is_box(struct tr *t, ir_val ref, enum java_box box)
{
    return ir_bin(t->b, OP_EQ, ir_extract(t->b, ref, 8, 24), constant(t, 24, JAVA_FIRST_BOX >> 8 | box));
}

static ir_val class_of(struct tr *t, ir_val ref)
{
    uint64_t known;
    if (ir_is_const(t->b, ref, &known) && known < JAVA_FIRST_BOX)
        return ir_load(t->b, JAVA_CLASS, ref, 32, IR_NONE, IR_NONE);
    ir_val box = ir_bin(t->b, OP_EQ, ir_extract(t->b, ref, 16, 16), constant(t, 16, JAVA_FIRST_BOX >> 16));
    ir_val class = constant(t, 32, 0);
    for (unsigned i = 0; i < JAVA_BOXES; i++) {
        const struct java_class *c = java_world_class(t->l->w, java_boxed[i].class, NULL);
        class = ir_ite(t->b, is_box(t, ref, (enum java_box)i), constant(t, 32, c ? c->id : 0), class);
    }
    return ir_load(t->b, JAVA_CLASS, ref, 32, ir_un(t->b, OP_NOT, box), class);
}

/* What a box holds. */
static ir_val boxed(struct tr *t, ir_val ref, const struct java_field *f, uint32_t space)
{
    unsigned width = java_width(f->desc[0]);
    for (unsigned i = 0; i < JAVA_BOXES; i++)
        if (strcmp(f->owner->name, java_boxed[i].class) == 0 && strcmp(f->name, "value") == 0 &&
            f->desc[0] == java_boxed[i].type) {
            ir_val low = ir_extract(t->b, ref, 0, 8), is = is_box(t, ref, (enum java_box)i);
            low = i == JAVA_BOX_CHAR ? ir_zext(t->b, low, width) : ir_sext(t->b, low, width);
            return ir_load(t->b, space, ref, width, ir_un(t->b, OP_NOT, is), low);
        }
    return ir_load(t->b, space, ref, width, IR_NONE, IR_NONE);
}

static ir_val make(struct tr *t, ir_val class)
{
    ir_val lowest = constant(t, 32, JAVA_FIRST_OBJECT);
    ir_val ref = ir_event(
        t->b,
        &(struct ir_event){.name = "new", .guard = IR_NONE, .makes = IR_MAKES_NUMBER, .mem_addr = IR_NONE},
        &lowest, 1, 32);
    ir_store(t->b, JAVA_CLASS, ref, class, IR_NONE);
    return ref;
}

static ir_val is_subclass(struct tr *t, ir_val of, ir_val class)
{
    ir_val v = ir_load(t->b, JAVA_SUBCLASS, ir_bin(t->b, OP_CONCAT, of, class), 8, IR_NONE, IR_NONE);
    return ir_extract(t->b, v, 0, 1);
}

static ir_val length_of(struct tr *t, ir_val ref)
{
    return ir_load(t->b, JAVA_LENGTH, ref, 32, IR_NONE, IR_NONE);
}

/* A value as it is on the stack from a cell, and back. */
static ir_val widen(struct tr *t, ir_val v, char type)
{
    if (type == 'B' || type == 'S' || type == 'Z')
        return ir_sext(t->b, v, 32);
    return type == 'C' ? ir_zext(t->b, v, 32) : v;
}

static ir_val narrow(struct tr *t, ir_val v, char type)
{
    if (type == 'Z')
        return ir_zext(t->b, ir_extract(t->b, v, 0, 1), 8);
    unsigned width = java_width(type);
    return width < ir_width(t->b, v) ? ir_extract(t->b, v, 0, width) : v;
}

static char element_type(unsigned element)
{
    return ".BCSIJFDL"[element];
}

static ir_val element_get(struct tr *t, unsigned element, ir_val ref, ir_val index)
{
    ir_val v = ir_load(t->b, java_element_space(element), ir_bin(t->b, OP_CONCAT, ref, index),
                       java_element_width(element), IR_NONE, IR_NONE);
    return widen(t, v, element_type(element));
}

static void element_set(struct tr *t, unsigned element, ir_val ref, ir_val index, ir_val v)
{
    ir_store(t->b, java_element_space(element), ir_bin(t->b, OP_CONCAT, ref, index),
             narrow(t, v, element_type(element)), IR_NONE);
}

static void check_index(struct tr *t, ir_val ref, ir_val index)
{
    check_null(t, ref);
    ir_val length = length_of(t, ref);
    put(t, reg(REG_A), index);
    put(t, reg(REG_B), length);
    throw_when(t, ir_bin(t->b, OP_ULE, length, index), VM_BOUNDS);
}

static const uint8_t array_ops[] = {JAVA_INTS,       JAVA_LONGS, JAVA_FLOATS, JAVA_DOUBLES,
                                    JAVA_REFERENCES, JAVA_BYTES, JAVA_CHARS,  JAVA_SHORTS};

static void array_load(struct tr *t, unsigned op)
{
    static const char kinds[] = "IJFDAIII";
    ir_val index = pop(t), ref = pop(t);
    check_index(t, ref, index);
    push(t, kinds[op - J_IALOAD], element_get(t, array_ops[op - J_IALOAD], ref, index));
}

static void array_store(struct tr *t, unsigned op)
{
    ir_val v = pop(t), index = pop(t), ref = pop(t);
    check_index(t, ref, index);
    if (op == J_AASTORE) {
        ir_val to = ir_load(t->b, JAVA_COMPONENT, class_of(t, ref), 32, IR_NONE, IR_NONE);
        ir_val fits = is_subclass(t, to, class_of(t, v));
        ir_val null = ir_bin(t->b, OP_EQ, v, constant(t, 32, 0));
        throw_when(t, ir_un(t->b, OP_NOT, ir_bin(t->b, OP_OR, null, fits)), VM_STORE);
    }
    element_set(t, array_ops[op - J_IASTORE], ref, index, v);
}

/* bastore stores the low bit of an int into an array of booleans. javac never needs that: it has it done
 * before; what else might is masked here. */
static void byte_store(struct tr *t)
{
    ir_val v = pop(t), index = pop(t), ref = pop(t);
    struct error err = {0};
    const struct java_class *bools = java_world_class(t->l->w, "[Z", &err);
    check_index(t, ref, index);
    if (bools) {
        ir_val is = ir_bin(t->b, OP_EQ, class_of(t, ref), constant(t, 32, bools->id));
        v = ir_ite(t->b, is, ir_bin(t->b, OP_AND, v, constant(t, 32, 1)), v);
    }
    element_set(t, JAVA_BYTES, ref, index, v);
}

static void new_array(struct tr *t, struct java_class *array)
{
    ir_val n = pop(t);
    throw_when(t, ir_bin(t->b, OP_SLT, n, constant(t, 32, 0)), VM_SIZE);
    ir_val ref = make(t, constant(t, 32, array->id));
    ir_store(t->b, JAVA_LENGTH, ref, n, IR_NONE);
    push(t, 'A', ref);
}

static void push_literal(struct tr *t, const char *text, size_t n)
{
    uint32_t ref = synth_literal(t->l, text, n);
    ensure(t, ref, t->l->literal.data[ref - JAVA_FIRST_LITERAL]);
    push(t, 'A', constant(t, 32, ref));
}

static void push_mirror(struct tr *t, struct java_class *of)
{
    struct java_class *mirror = class_at(t, "java/lang/Class");
    if (!mirror)
        return;
    if (of->id >= JAVA_FIRST_LITERAL) {
        end_unknown(t, "too many classes");
        return;
    }
    ir_store(t->b, JAVA_CLASS, constant(t, 32, of->id), constant(t, 32, mirror->id), IR_NONE);
    push(t, 'A', constant(t, 32, of->id));
}

/* ---- fields ---- */

static void field_op(struct tr *t, unsigned op)
{
    const struct java_cp *e = java_cp(t->c, java_u16(t->m->code + t->pc + 1), JAVA_CP_FIELD);
    bool store = op == J_PUTSTATIC || op == J_PUTFIELD, fixed = op == J_GETSTATIC || op == J_PUTSTATIC;
    struct java_class *c = class_at(t, e->owner);
    if (!c)
        return;
    struct java_field *f = java_field(c, e->text, e->desc);
    uint32_t space = f ? java_field_space(t->l, f) : 0;
    if (!f || !space || fixed != ((f->flags & JAVA_STATIC) != 0)) {
        end_unknown(t, arena_printf(&t->l->arena, "no field %s.%s", e->owner, e->text));
        return;
    }
    char type = f->desc[0];
    if (op == J_GETSTATIC && strcmp(f->owner->name, "java/lang/System") == 0 && strcmp(f->name, "in") == 0) {
        end_unknown(t, "System.in");
        return;
    }
    if (op == J_GETSTATIC && strcmp(f->owner->name, "java/lang/System") == 0 &&
        (strcmp(f->name, "out") == 0 || strcmp(f->name, "err") == 0)) {
        uint32_t ref = synth_object(t->l, f->name, "java/io/PrintStream");
        ensure(t, ref, t->l->literal.data[ref - JAVA_FIRST_LITERAL]);
        push(t, 'A', constant(t, 32, ref));
        return;
    }
    if (op == J_GETSTATIC && f->constant && f->flags & JAVA_FINAL) {
        const struct java_cp *v = &f->owner->cp[f->constant];
        if (v->tag == JAVA_CP_STRING && type == 'L') {
            push_literal(t, v->text, v->len);
            return;
        }
        if (v->tag >= JAVA_CP_INTEGER && v->tag <= JAVA_CP_DOUBLE &&
            width_of(kind_of(type)) == (v->tag == JAVA_CP_LONG || v->tag == JAVA_CP_DOUBLE ? 64 : 32)) {
            push(t, kind_of(type), constant(t, width_of(kind_of(type)), v->bits));
            return;
        }
    }
    if (fixed) {
        initialise(t, f->owner);
        if (store) {
            ir_val v = pop(t);
            ir_store(t->b, space, constant(t, 32, 0), narrow(t, v, type), IR_NONE);
        } else {
            ir_val v = ir_load(t->b, space, constant(t, 32, 0), java_width(type), IR_NONE, IR_NONE);
            push(t, kind_of(type), widen(t, v, type));
        }
        return;
    }
    ir_val v = store ? pop(t) : IR_NONE, ref = pop(t);
    check_null(t, ref);
    if (store)
        ir_store(t->b, space, ref, narrow(t, v, type), IR_NONE);
    else
        push(t, kind_of(type), widen(t, boxed(t, ref, f, space), type));
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
        arg[i] = pop(t);
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
        call(t, m, IR_NONE, arg, n, *result_of(m->desc));
        return;
    }
    struct error err = {0};
    struct java_class *c = java_world_class(t->l->w, e->owner, &err);
    if (c)
        m = java_method(c, e->text, e->desc);
    else if (op == J_INVOKESTATIC && model_known(e->owner, e->text, e->desc))
        m = absent(t, e);
    if (!m || (op == J_INVOKESTATIC) != ((m->flags & JAVA_STATIC) != 0)) {
        end_unknown(t, c ? arena_printf(&t->l->arena, "no method %s.%s%s", e->owner, e->text, e->desc)
                         : err.text);
        return;
    }
    if (op == J_INVOKESTATIC) {
        if (c && !model_known(m->owner->name, m->name, m->desc))
            initialise(t, m->owner);
        unsigned n = take_arguments(t, e->desc, false, arg);
        call(t, m, IR_NONE, arg, n, *result_of(e->desc));
        return;
    }
    unsigned n = take_arguments(t, e->desc, true, arg);
    check_null(t, arg[0]);
    if (op == J_INVOKESPECIAL) {
        /* super.f() means the superclass of where it is written */
        bool super = strcmp(m->name, "<init>") != 0 && !(m->flags & JAVA_PRIVATE) && t->c->super &&
                     !(c->flags & JAVA_INTERFACE) && c != t->c && java_subclass(t->c, c);
        struct java_method *real = super ? java_method(t->c->super, e->text, e->desc) : m;
        m = real ? real : m;
        if (m->flags & JAVA_ABSTRACT)
            m = synth_unknown(t->l, m, "a call of an abstract method");
        call(t, m, IR_NONE, arg, n, *result_of(e->desc));
        return;
    }
    bool only = m->flags & (JAVA_PRIVATE | JAVA_FINAL) || m->owner->flags & JAVA_FINAL;
    if (only && !(m->flags & JAVA_ABSTRACT)) {
        call(t, m, IR_NONE, arg, n, *result_of(e->desc));
        return;
    }
    ir_val which = ir_bin(t->b, OP_CONCAT, constant(t, 32, java_selector(t->l, m)), class_of(t, arg[0]));
    ir_val target = ir_load(t->b, JAVA_DISPATCH, which, 64, IR_NONE, IR_NONE);
    call(t, NULL, target, arg, n, *result_of(e->desc));
}

static void invoke_dynamic(struct tr *t)
{
    const char *why = NULL;
    ir_val arg[256];
    struct java_method *m = dynamic_method(t->l, t->c, java_u16(t->m->code + t->pc + 1), &why);
    if (!m) {
        end_unknown(t, why);
        return;
    }
    unsigned n = take_arguments(t, m->desc, false, arg);
    if (strcmp(m->name, "concat") == 0 && !m->owner->origin && message_joined(t->l, t->m, t->pc, m->desc))
        push_literal(t, java_message, strlen(java_message));
    else
        call(t, m, IR_NONE, arg, n, *result_of(m->desc));
}

/* ---- arithmetic ---- */

static ir_val nearest(struct tr *t)
{
    return constant(t, OP_RM_WIDTH, OP_RNE);
}

static ir_val sign_bit(struct tr *t, unsigned width)
{
    return constant(t, width, UINT64_C(1) << (width - 1));
}

/* What C calls fmod, of the IEEE remainder, which lies between -|y|/2 and |y|/2: adding |y| to a negative one
 * is exact, for what it gives is the exact result. */
static ir_val remainder_of(struct tr *t, ir_val x, ir_val y, unsigned width)
{
    ir_val sign = ir_bin(t->b, OP_AND, x, sign_bit(t, width));
    ir_val magnitude = constant(t, width, width == 64 ? INT64_MAX : INT32_MAX);
    ir_val ax = ir_bin(t->b, OP_AND, x, magnitude), ay = ir_bin(t->b, OP_AND, y, magnitude);
    ir_val r = ir_op(t->b, OP_FREM, width, (ir_val[]){ax, ay}, 2);
    ir_val negative = ir_op(t->b, OP_FLT, 1, (ir_val[]){r, constant(t, width, 0)}, 2);
    ir_val up = ir_op(t->b, OP_FADD, width, (ir_val[]){nearest(t), r, ay}, 3);
    ir_val out = ir_ite(t->b, negative, up, r);
    ir_val nan = ir_op(t->b, OP_FUNORD, 1, (ir_val[]){out, out}, 2);
    ir_val signed_out = ir_bin(t->b, OP_OR, ir_bin(t->b, OP_AND, out, magnitude), sign);
    return ir_ite(t->b, nan, out, signed_out);
}

static void binary(struct tr *t, unsigned op)
{
    static const enum op integer[] = {OP_ADD, OP_SUB, OP_MUL, OP_SDIV, OP_SREM};
    static const enum op floating[] = {OP_FADD, OP_FSUB, OP_FMUL, OP_FDIV, OP_FREM};
    unsigned what = (op - J_IADD) / 4;
    char kind = "IJFD"[(op - J_IADD) % 4];
    unsigned width = width_of(kind);
    ir_val y = pop(t), x = pop(t);
    if (kind == 'I' || kind == 'J') {
        if (integer[what] == OP_SDIV || integer[what] == OP_SREM)
            throw_when(t, ir_bin(t->b, OP_EQ, y, constant(t, width, 0)), VM_DIVIDE);
        push(t, kind, ir_bin(t->b, integer[what], x, y));
    } else if (floating[what] == OP_FREM) {
        push(t, kind, remainder_of(t, x, y, width));
    } else {
        push(t, kind, ir_op(t->b, floating[what], width, (ir_val[]){nearest(t), x, y}, 3));
    }
}

static void negate(struct tr *t, unsigned op)
{
    char kind = "IJFD"[op - J_INEG];
    ir_val x = pop(t);
    if (kind == 'I' || kind == 'J')
        push(t, kind, ir_un(t->b, OP_NEG, x));
    else
        push(t, kind, ir_bin(t->b, OP_XOR, x, sign_bit(t, width_of(kind))));
}

static void shift_or_logic(struct tr *t, unsigned op)
{
    static const enum op ops[] = {OP_SHL, OP_ASHR, OP_LSHR, OP_AND, OP_OR, OP_XOR};
    char kind = (op - J_ISHL) % 2 ? 'J' : 'I';
    unsigned what = (op - J_ISHL) / 2, width = width_of(kind);
    ir_val y = pop(t), x = pop(t);
    if (what < 3)
        y = ir_zext(t->b, ir_bin(t->b, OP_AND, y, constant(t, 32, width - 1)), width);
    push(t, kind, ir_bin(t->b, ops[what], x, y));
}

static void convert(struct tr *t, unsigned op)
{
    char from = java_effect[op][0], to = java_effect[op][2];
    ir_val x = pop(t), v;
    unsigned width = width_of(to);
    bool from_int = from == 'I' || from == 'J', to_int = to == 'I' || to == 'J';
    if (op >= J_I2B && op <= J_I2S) {
        v = ir_extract(t->b, x, 0, op == J_I2B ? 8 : 16);
        v = op == J_I2C ? ir_zext(t->b, v, 32) : ir_sext(t->b, v, 32);
    } else if (from_int && to_int) {
        v = to == 'J' ? ir_sext(t->b, x, 64) : ir_extract(t->b, x, 0, 32);
    } else if (from_int) {
        v = ir_op(t->b, OP_S2F, width, (ir_val[]){nearest(t), x}, 2);
    } else if (to_int) {
        v = ir_op(t->b, OP_F2S, width, (ir_val[]){constant(t, OP_RM_WIDTH, OP_RTZ), x}, 2);
    } else {
        v = ir_op(t->b, OP_F2F, width, (ir_val[]){nearest(t), x}, 2);
    }
    push(t, to, v);
}

static void compare(struct tr *t, unsigned op)
{
    ir_val y = pop(t), x = pop(t), less = constant(t, 32, UINT32_MAX), equal = constant(t, 32, 0),
           more = constant(t, 32, 1), v;
    if (op == J_LCMP) {
        v = ir_ite(t->b, ir_bin(t->b, OP_EQ, x, y), equal, more);
        v = ir_ite(t->b, ir_bin(t->b, OP_SLT, x, y), less, v);
    } else {
        bool greater = op == J_FCMPG || op == J_DCMPG;
        v = ir_ite(t->b, ir_op(t->b, OP_FEQ, 1, (ir_val[]){x, y}, 2), equal, more);
        v = ir_ite(t->b, ir_op(t->b, OP_FLT, 1, (ir_val[]){x, y}, 2), less, v);
        v = ir_ite(t->b, ir_op(t->b, OP_FUNORD, 1, (ir_val[]){x, y}, 2), greater ? more : less, v);
    }
    push(t, 'I', v);
}

/* ---- control ---- */

static void branch(struct tr *t, unsigned op, int64_t to, ir_label next)
{
    ir_val y = constant(t, 32, 0), c;
    unsigned what = op - J_IFEQ;
    if (op >= J_IF_ICMPEQ && op <= J_IF_ACMPNE) {
        y = pop(t);
        what = (op - J_IF_ICMPEQ) % 6;
    }
    if (op == J_IFNULL || op == J_IFNONNULL)
        what = op - J_IFNULL;
    ir_val x = pop(t);
    if (what < 2)
        c = ir_bin(t->b, OP_EQ, x, y);
    else if (what < 4)
        c = ir_bin(t->b, OP_SLT, x, y);
    else
        c = ir_bin(t->b, OP_SLT, y, x);
    if (what == 1 || what == 3 || what == 5)
        c = ir_un(t->b, OP_NOT, c);
    flush(t);
    ir_exit(t->b, c, IR_EXIT_JUMP, label_of(t, (uint32_t)to));
    end_jump(t, next);
}

static void switch_op(struct tr *t, unsigned op)
{
    const uint8_t *code = t->m->code;
    uint32_t at = (t->pc + 4) & ~3u;
    ir_val x = pop(t);
    flush(t);
    int32_t low = java_s32(code + at + 4);
    uint32_t n = op == J_TABLESWITCH ? (uint32_t)(java_s32(code + at + 8) - low + 1) : (uint32_t)low;
    uint32_t other = (uint32_t)((int64_t)t->pc + java_s32(code + at));
    /* cases that go to one place are one way there */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t where = op == J_TABLESWITCH ? at + 12 + 4 * i : at + 12 + 8 * i;
        uint32_t to = (uint32_t)((int64_t)t->pc + java_s32(code + where));
        bool before = to == other;
        for (uint32_t k = 0; k < i && !before; k++)
            before =
                (uint32_t)((int64_t)t->pc +
                           java_s32(code + (op == J_TABLESWITCH ? at + 12 + 4 * k : at + 12 + 8 * k))) == to;
        if (before)
            continue;
        ir_val any = IR_NONE;
        for (uint32_t k = i; k < n; k++) {
            uint32_t place = op == J_TABLESWITCH ? at + 12 + 4 * k : at + 12 + 8 * k;
            if ((uint32_t)((int64_t)t->pc + java_s32(code + place)) != to)
                continue;
            uint32_t value = op == J_TABLESWITCH ? (uint32_t)low + k : (uint32_t)java_s32(code + place - 4);
            ir_val is = ir_bin(t->b, OP_EQ, x, constant(t, 32, value));
            any = any == IR_NONE ? is : ir_bin(t->b, OP_OR, any, is);
        }
        ir_exit(t->b, any, IR_EXIT_JUMP, label_of(t, to));
    }
    end_jump(t, label_of(t, other));
}

static void return_op(struct tr *t, unsigned op)
{
    if (op != J_RETURN) {
        ir_val v = pop(t);
        char type = *result_of(t->m->desc);
        if (type == 'Z' || type == 'B' || type == 'S' || type == 'C')
            v = widen(t, narrow(t, v, type), type);
        put(t, reg(REG_RESULT), v);
    }
    finish(t, an_end(IR_END_RET));
}

static void throw_op(struct tr *t)
{
    ir_val ref = pop(t);
    check_null(t, ref);
    ir_val first = ir_load(t->b, JAVA_THROWN, ref, 64, IR_NONE, IR_NONE);
    ir_store(t->b, JAVA_THROWN, ref,
             ir_ite(t->b, ir_bin(t->b, OP_EQ, first, constant(t, 64, 0)), constant(t, 64, label_of(t, t->pc)),
                    first),
             IR_NONE);
    put(t, reg(REG_CAUGHT), ref);
    end_jump(t, search(t));
}

/* A subroutine's return address is where its code goes on, as a number. */
static void ret_op(struct tr *t, unsigned n)
{
    ir_val to = ir_get(t->b, local_reg(n), 32);
    flush(t);
    struct ir_end e = an_end(IR_END_JUMP);
    e.next = ir_bin(t->b, OP_ADD, ir_zext(t->b, to, 64), constant(t, 64, t->base));
    for (size_t i = 0; i < t->checked.subroutine.len; i++)
        vec_push(&t->jump,
                 (struct java_jump){(uint32_t)t->block.len, label_of(t, t->checked.subroutine.data[i])});
    finish(t, e);
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
        push(t, a.kind, a.v);
        push(t, a.kind, a.v);
        return;
    case J_SWAP:
    case J_DUP_X1:
        b = pop_any(t);
        push(t, a.kind, a.v);
        push(t, b.kind, b.v);
        if (op == J_DUP_X1)
            push(t, a.kind, a.v);
        return;
    case J_DUP_X2:
        b = pop_any(t);
        if (words_of(b.kind) == 1) {
            c = pop_any(t);
            push(t, a.kind, a.v);
            push(t, c.kind, c.v);
        } else {
            push(t, a.kind, a.v);
        }
        push(t, b.kind, b.v);
        push(t, a.kind, a.v);
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
            push(t, b.kind, b.v);
        push(t, a.kind, a.v);
        for (; n; n--)
            push(t, under[n - 1].kind, under[n - 1].v);
    }
}

/* ---- constants ---- */

static void load_constant(struct tr *t, unsigned index)
{
    const struct java_cp *e = &t->c->cp[index];
    switch (e->tag) {
    case JAVA_CP_INTEGER:
        push(t, 'I', constant(t, 32, e->bits));
        return;
    case JAVA_CP_FLOAT:
        push(t, 'F', constant(t, 32, e->bits));
        return;
    case JAVA_CP_LONG:
        push(t, 'J', constant(t, 64, e->bits));
        return;
    case JAVA_CP_DOUBLE:
        push(t, 'D', constant(t, 64, e->bits));
        return;
    case JAVA_CP_STRING:
        push_literal(t, e->text, e->len);
        return;
    case JAVA_CP_CLASS: {
        struct java_class *c = class_at(t, e->text);
        if (c)
            push_mirror(t, c);
        return;
    }
    }
    end_unknown(t, "a constant that is computed when it is first used, or a method handle");
}

/* ---- instructions of methods made here ---- */

static void input(struct tr *t, unsigned own, const char *name)
{
    static const char types[] = "IBCSZJFD";
    char type = types[own - OWN_INPUT_I];
    unsigned width = type == 'Z' ? 8 : java_width(type);
    name = arena_printf(&t->l->arena, "%c:%s", type, name);
    ir_val v = ir_event(t->b,
                        &(struct ir_event){.name = name,
                                           .guard = IR_NONE,
                                           .makes = IR_MAKES_SYMBOL,
                                           .observable = true,
                                           .mem_addr = IR_NONE},
                        NULL, 0, width);
    if (type == 'Z')
        v = ir_zext(t->b, ir_extract(t->b, v, 0, 1), 32);
    else
        v = widen(t, v, type);
    push(t, kind_of(type), v);
}

static void own_op(struct tr *t)
{
    const uint8_t *p = t->m->code + t->pc;
    unsigned own = p[1];
    const char *text = java_own_has_operand(own) ? t->c->cp[java_u16(p + 2)].text : NULL;
    ir_val a, b, c;
    if (own >= OWN_GET_BYTE && own <= OWN_GET_REFERENCE) {
        unsigned e = own - OWN_GET_BYTE + JAVA_BYTES;
        b = pop(t);
        a = pop(t);
        push(t, strchr(java_own_effect[own], '>')[1], element_get(t, e, a, b));
        return;
    }
    if (own >= OWN_SET_BYTE && own <= OWN_SET_REFERENCE) {
        c = pop(t);
        b = pop(t);
        a = pop(t);
        element_set(t, own - OWN_SET_BYTE + JAVA_BYTES, a, b, c);
        return;
    }
    if (own >= OWN_INPUT_I && own <= OWN_INPUT_D) {
        input(t, own, text);
        return;
    }
    switch (own) {
    case OWN_CLASS_OF:
        push(t, 'I', class_of(t, pop(t)));
        return;
    case OWN_SET_CLASS:
    case OWN_SET_LENGTH:
        b = pop(t);
        a = pop(t);
        ir_store(t->b, own == OWN_SET_CLASS ? JAVA_CLASS : JAVA_LENGTH, a, b, IR_NONE);
        return;
    case OWN_NEW:
        push(t, 'A', make(t, pop(t)));
        return;
    case OWN_ELEMENT:
        push(t, 'I', ir_load(t->b, JAVA_ELEMENT, pop(t), 32, IR_NONE, IR_NONE));
        return;
    case OWN_ARRAY_OF:
        push(t, 'I', ir_load(t->b, JAVA_ARRAY_OF, pop(t), 32, IR_NONE, IR_NONE));
        return;
    case OWN_COMPONENT:
        push(t, 'I', ir_load(t->b, JAVA_COMPONENT, pop(t), 32, IR_NONE, IR_NONE));
        return;
    case OWN_SUBCLASS:
        b = pop(t);
        a = pop(t);
        push(t, 'I', ir_zext(t->b, is_subclass(t, a, b), 32));
        return;
    case OWN_READY:
        push(t, 'I', ir_zext(t->b, ir_load(t->b, JAVA_READY, pop(t), 8, IR_NONE, IR_NONE), 32));
        return;
    case OWN_SET_READY:
        b = pop(t);
        a = pop(t);
        ir_store(t->b, JAVA_READY, a, ir_extract(t->b, b, 0, 8), IR_NONE);
        return;
    case OWN_THROWN_AT:
        b = pop(t);
        a = pop(t);
        ir_store(t->b, JAVA_THROWN, a, b, IR_NONE);
        return;
    case OWN_TO_INT:
    case OWN_BITS_F:
        push(t, 'I', pop(t));
        return;
    case OWN_BOX_BYTE:
    case OWN_BOX_SHORT:
    case OWN_BOX_INT:
    case OWN_BOX_LONG:
    case OWN_BOX_CHAR:
        a = ir_extract(t->b, pop(t), 0, 8);
        push(t, 'A', ir_bin(t->b, OP_CONCAT, constant(t, 24, JAVA_FIRST_BOX >> 8 | (own - OWN_BOX_BYTE)), a));
        return;
    case OWN_TO_REFERENCE:
        push(t, 'A', pop(t));
        return;
    case OWN_BITS_D:
        push(t, 'J', pop(t));
        return;
    case OWN_FROM_BITS_F:
        push(t, 'F', pop(t));
        return;
    case OWN_FROM_BITS_D:
        push(t, 'D', pop(t));
        return;
    case OWN_SQRT:
        push(t, 'D', ir_op(t->b, OP_FSQRT, 64, (ir_val[]){nearest(t), pop(t)}, 2));
        return;
    case OWN_RINT:
    case OWN_FLOOR:
    case OWN_CEIL: {
        ir_val mode = constant(t, OP_RM_WIDTH, own == OWN_RINT ? OP_RNE : own == OWN_FLOOR ? OP_RTN : OP_RTP);
        push(t, 'D', ir_op(t->b, OP_FRINT, 64, (ir_val[]){mode, pop(t)}, 2));
        return;
    }
    case OWN_FMA_D:
    case OWN_FMA_F:
        c = pop(t);
        b = pop(t);
        a = pop(t);
        push(t, own == OWN_FMA_D ? 'D' : 'F',
             ir_op(t->b, OP_FMA, own == OWN_FMA_D ? 64 : 32, (ir_val[]){nearest(t), a, b, c}, 4));
        return;
    case OWN_ASSUME: {
        ir_label on = new_label(t), stop = new_label(t);
        a = pop(t);
        flush(t);
        ir_exit(t->b, ir_bin(t->b, OP_EQ, a, constant(t, 32, 0)), IR_EXIT_JUMP, stop);
        end_jump(t, on);
        begin(t, stop);
        map_set(&t->l->assumed, label_of(t, t->pc), 1);
        finish(t, an_end(IR_END_TRAP));
        begin(t, on);
        return;
    }
    case OWN_HASH:
        a = pop(t);
        b = ir_event(t->b,
                     &(struct ir_event){.name = "identityHashCode", .guard = IR_NONE, .mem_addr = IR_NONE},
                     &a, 1, 32);
        /* 31 bits, as the JDK's own virtual machine has them */
        push(t, 'I', ir_bin(t->b, OP_AND, b, constant(t, 32, INT32_MAX)));
        return;
    case OWN_UNKNOWN:
        end_unknown(t, text);
        return;
    case OWN_DISPATCH: {
        /* the text is the name of a selector that was made for it */
        struct java_method *m = NULL;
        synth_known(t->l, text, &m);
        b = pop(t);
        a = pop(t);
        ir_val which = ir_bin(t->b, OP_CONCAT, constant(t, 32, java_selector(t->l, m)), b);
        call(t, NULL, ir_load(t->b, JAVA_DISPATCH, which, 64, IR_NONE, IR_NONE), &a, 1, 'L');
        return;
    }
    }
}

/* ---- one instruction ---- */

static void local_get(struct tr *t, unsigned n, char kind)
{
    push(t, kind, ir_get(t->b, local_reg(n), width_of(kind)));
}

static void local_set(struct tr *t, unsigned n)
{
    put(t, local_reg(n), pop(t));
}

static void increase(struct tr *t, unsigned n, int32_t by)
{
    ir_val v = ir_bin(t->b, OP_ADD, ir_get(t->b, local_reg(n), 32), constant(t, 32, (uint32_t)by));
    put(t, local_reg(n), v);
}

static struct java_class *primitive_array(struct tr *t, unsigned type)
{
    static const char *const name[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
    return class_at(t, name[type - 4]);
}

static void class_op(struct tr *t, unsigned op)
{
    const char *name = t->c->cp[java_u16(t->m->code + t->pc + 1)].text;
    struct java_class *c = class_at(t, name);
    struct error err = {0};
    if (!c)
        return;
    if (op == J_NEW) {
        if (c->flags & (JAVA_ABSTRACT | JAVA_INTERFACE) || c->component) {
            end_unknown(t, "an object of an abstract class");
            return;
        }
        initialise(t, c);
        push(t, 'A', make(t, constant(t, 32, c->id)));
        return;
    }
    if (op == J_ANEWARRAY) {
        struct java_class *array = java_world_array(t->l->w, c, &err);
        if (array)
            new_array(t, array);
        else
            end_unknown(t, err.text);
        return;
    }
    ir_val ref = pop(t), null = ir_bin(t->b, OP_EQ, ref, constant(t, 32, 0));
    ir_val is = is_subclass(t, constant(t, 32, c->id), class_of(t, ref));
    if (op == J_CHECKCAST) {
        throw_when(t, ir_un(t->b, OP_NOT, ir_bin(t->b, OP_OR, null, is)), VM_CAST);
        push(t, 'A', ref);
    } else {
        push(t, 'I', ir_zext(t->b, ir_bin(t->b, OP_AND, is, ir_un(t->b, OP_NOT, null)), 32));
    }
}

static void many_arrays(struct tr *t)
{
    const uint8_t *p = t->m->code + t->pc;
    const char *name = t->c->cp[java_u16(p + 1)].text;
    ir_val arg[256];
    for (unsigned i = p[3]; i-- > 0;)
        arg[i] = pop(t);
    call(t, synth_many(t->l, name, p[3]), IR_NONE, arg, p[3], 'L');
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
        own_op(t);
    else if (op == J_ACONST_NULL)
        push(t, 'A', constant(t, 32, 0));
    else if (op >= 2 && op <= 8)
        push(t, 'I', constant(t, 32, (uint32_t)((int)op - J_ICONST_0)));
    else if (op == 9 || op == 10)
        push(t, 'J', constant(t, 64, op - 9u));
    else if (op >= 11 && op <= 13)
        push(t, 'F', constant(t, 32, op == 11 ? 0 : op == 12 ? 0x3f800000 : 0x40000000));
    else if (op == 14 || op == 15)
        push(t, 'D', constant(t, 64, op == 14 ? 0 : UINT64_C(0x3ff0000000000000)));
    else if (op == J_BIPUSH)
        push(t, 'I', constant(t, 32, (uint32_t)(int8_t)p[1]));
    else if (op == J_SIPUSH)
        push(t, 'I', constant(t, 32, (uint32_t)java_s16(p + 1)));
    else if (op >= J_LDC && op <= J_LDC2_W)
        load_constant(t, op == J_LDC ? p[1] : java_u16(p + 1));
    else if (op >= J_ILOAD && op <= J_ALOAD)
        local_get(t, p[1], kinds[op - J_ILOAD]);
    else if (op >= J_ILOAD_0 && op < J_IALOAD)
        local_get(t, (op - J_ILOAD_0) % 4, kinds[(op - J_ILOAD_0) / 4]);
    else if (op >= J_IALOAD && op <= J_SALOAD)
        array_load(t, op);
    else if (op >= J_ISTORE && op <= J_ASTORE)
        local_set(t, p[1]);
    else if (op >= J_ISTORE_0 && op < J_IASTORE)
        local_set(t, (op - J_ISTORE_0) % 4);
    else if (op == J_BASTORE)
        byte_store(t);
    else if (op >= J_IASTORE && op <= J_SASTORE)
        array_store(t, op);
    else if (op >= J_POP && op <= J_SWAP)
        stack_op(t, op);
    else if (op >= J_IADD && op < J_INEG)
        binary(t, op);
    else if (op >= J_INEG && op < J_ISHL)
        negate(t, op);
    else if (op >= J_ISHL && op <= J_LXOR)
        shift_or_logic(t, op);
    else if (op == J_IINC)
        increase(t, p[1], (int8_t)p[2]);
    else if (op >= J_I2L && op <= J_I2S)
        convert(t, op);
    else if (op >= J_LCMP && op <= J_DCMPG)
        compare(t, op);
    else if ((op >= J_IFEQ && op <= J_IF_ACMPNE) || op == J_IFNULL || op == J_IFNONNULL)
        branch(t, op, (int64_t)t->pc + java_s16(p + 1), next);
    else if (op == J_GOTO || op == J_GOTO_W) {
        flush(t);
        end_jump(
            t, label_of(t, (uint32_t)((int64_t)t->pc + (op == J_GOTO ? java_s16(p + 1) : java_s32(p + 1)))));
    } else if (op == J_JSR || op == J_JSR_W) {
        push(t, 'R', constant(t, 32, t->pc + t->length));
        flush(t);
        end_jump(t,
                 label_of(t, (uint32_t)((int64_t)t->pc + (op == J_JSR ? java_s16(p + 1) : java_s32(p + 1)))));
    } else if (op == J_RET)
        ret_op(t, p[1]);
    else if (op == J_TABLESWITCH || op == J_LOOKUPSWITCH)
        switch_op(t, op);
    else if (op >= J_IRETURN && op <= J_RETURN)
        return_op(t, op);
    else if (op >= J_GETSTATIC && op <= J_PUTFIELD)
        field_op(t, op);
    else if (op >= J_INVOKEVIRTUAL && op <= J_INVOKEINTERFACE)
        invoke(t, op);
    else if (op == J_INVOKEDYNAMIC)
        invoke_dynamic(t);
    else if (op == J_NEW || op == J_ANEWARRAY || op == J_CHECKCAST || op == J_INSTANCEOF)
        class_op(t, op);
    else if (op == J_NEWARRAY) {
        struct java_class *array = primitive_array(t, p[1]);
        if (array)
            new_array(t, array);
    } else if (op == J_ARRAYLENGTH) {
        ir_val ref = pop(t);
        check_null(t, ref);
        push(t, 'I', length_of(t, ref));
    } else if (op == J_ATHROW)
        throw_op(t);
    else if (op == J_MONITORENTER || op == J_MONITOREXIT) {
        check_null(t, pop(t));
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
            push(t, *kinds, IR_NONE);
}

/* From a leader to the end of its block. */
static void translate_block(struct tr *t, uint32_t pc)
{
    t->pc = pc;
    begin(t, label_of(t, pc));
    load_stack(t, t->checked.stack[pc]);
    while (t->open) {
        t->length = java_length(t->m, t->pc);
        uint32_t next = t->pc + t->length;
        if (t->pc != pc)
            ir_mark_insn(t->b, label_of(t, t->pc), 1);
        uint32_t given = message_made(t->l, t->m, t->pc);
        if (given) {
            push_literal(t, java_message, strlen(java_message));
            next = given;
        } else {
            translate_insn(t, label_of(t, next));
        }
        if (!t->open)
            break;
        t->pc = next;
        if (t->checked.leader[next]) {
            flush(t);
            end_jump(t, label_of(t, next));
        }
    }
}

static void exception_block(struct tr *t, const struct side s)
{
    struct ir_end e = an_end(IR_END_CALL);
    t->pc = s.pc;
    begin(t, s.label);
    bool bounds = s.exception == VM_BOUNDS;
    ir_val none = constant(t, 64, 0);
    ir_val arg[3] = {constant(t, 64, label_of(t, s.pc)), bounds ? ir_get(t->b, reg(REG_A), 64) : none,
                     bounds ? ir_get(t->b, reg(REG_B), 64) : none};
    e.label = java_address(t->l, synth_exception(t->l, s.exception));
    e.args = ir_args(t->b, arg, 3);
    e.nargs = 3;
    e.result = reg(REG_CAUGHT);
    e.result_width = 64;
    e.after = search(t);
    e.unwinds = true;
    e.unwind = e.after;
    e.caught = reg(REG_CAUGHT);
    e.caught_width = 64;
    finish(t, e);
}

static void search_block(struct tr *t, const struct side s)
{
    struct error err = {0};
    t->pc = s.pc;
    begin(t, s.label);
    ir_val caught = ir_get(t->b, reg(REG_CAUGHT), 64);
    if (t->m->nhandlers)
        ir_put(t->b, stack_reg(t, 0), caught);
    ir_val class = class_of(t, ir_extract(t->b, caught, 0, 32));
    for (unsigned i = 0; i < t->m->nhandlers; i++) {
        const struct java_handler *h = &t->m->handler[i];
        if (!covers(h, s.pc))
            continue;
        if (!h->type) {
            end_jump(t, label_of(t, h->at));
            return;
        }
        struct java_class *c = java_world_class(t->l->w, h->type, &err);
        if (!c) {
            end_unknown(t, err.text);
            return;
        }
        ir_exit(t->b, is_subclass(t, constant(t, 32, c->id), class), IR_EXIT_JUMP, label_of(t, h->at));
    }
    struct ir_end e = an_end(IR_END_THROW);
    e.next = caught;
    finish(t, e);
}

/* A body that ends at once. */
static void no_body(struct tr *t, const char *why)
{
    t->pc = 0;
    begin(t, label_of(t, 0));
    end_unknown(t, why);
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
        word += words_of(kind_of(java_type(p, &p)));
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
