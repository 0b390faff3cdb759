/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects, arrays and fields: how instructions reach the heap (java.h describes it). */
#include <string.h>

#include "lift/java/translate.h"

/* ---- heap ---- */

/* Which box a reference is: the bits above the value are known then. */
static ir_val is_box(struct tr *t, ir_val ref, enum java_box box)
{
    return ir_bin(t->b, OP_EQ, ir_extract(t->b, ref, 8, 24), tr_constant(t, 24, JAVA_FIRST_BOX >> 8 | box));
}

ir_val tr_class_of(struct tr *t, ir_val ref)
{
    uint64_t known;
    if (ir_is_const(t->b, ref, &known) && known < JAVA_FIRST_BOX)
        return ir_load(t->b, JAVA_CLASS, ref, 32, IR_NONE, IR_NONE);
    ir_val box = ir_bin(t->b, OP_EQ, ir_extract(t->b, ref, 16, 16), tr_constant(t, 16, JAVA_FIRST_BOX >> 16));
    ir_val class = tr_constant(t, 32, 0);
    for (unsigned i = 0; i < JAVA_BOXES; i++) {
        const struct java_class *c = java_world_class(t->l->w, java_boxed[i].class, NULL);
        class = ir_ite(t->b, is_box(t, ref, (enum java_box)i), tr_constant(t, 32, c ? c->id : 0), class);
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

ir_val tr_make(struct tr *t, ir_val class)
{
    ir_val lowest = tr_constant(t, 32, JAVA_FIRST_OBJECT);
    ir_val ref = ir_event(
        t->b,
        &(struct ir_event){.name = "new", .guard = IR_NONE, .makes = IR_MAKES_NUMBER, .mem_addr = IR_NONE},
        &lowest, 1, 32);
    ir_store(t->b, JAVA_CLASS, ref, class, IR_NONE);
    return ref;
}

ir_val tr_is_subclass(struct tr *t, ir_val of, ir_val class)
{
    ir_val v = ir_load(t->b, JAVA_SUBCLASS, ir_bin(t->b, OP_CONCAT, of, class), 8, IR_NONE, IR_NONE);
    return ir_extract(t->b, v, 0, 1);
}

ir_val tr_length_of(struct tr *t, ir_val ref)
{
    return ir_load(t->b, JAVA_LENGTH, ref, 32, IR_NONE, IR_NONE);
}

/* A value as it is on the stack from a cell, and back. */
ir_val tr_widen(struct tr *t, ir_val v, char type)
{
    if (type == 'B' || type == 'S' || type == 'Z')
        return ir_sext(t->b, v, 32);
    return type == 'C' ? ir_zext(t->b, v, 32) : v;
}

ir_val tr_narrow(struct tr *t, ir_val v, char type)
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

ir_val tr_element_get(struct tr *t, unsigned element, ir_val ref, ir_val index)
{
    ir_val v = ir_load(t->b, java_element_space(element), ir_bin(t->b, OP_CONCAT, ref, index),
                       java_element_width(element), IR_NONE, IR_NONE);
    return tr_widen(t, v, element_type(element));
}

void tr_element_set(struct tr *t, unsigned element, ir_val ref, ir_val index, ir_val v)
{
    ir_store(t->b, java_element_space(element), ir_bin(t->b, OP_CONCAT, ref, index),
             tr_narrow(t, v, element_type(element)), IR_NONE);
}

static void check_index(struct tr *t, ir_val ref, ir_val index)
{
    tr_check_null(t, ref);
    ir_val length = tr_length_of(t, ref);
    tr_put(t, tr_reg(REG_A), index);
    tr_put(t, tr_reg(REG_B), length);
    tr_throw_when(t, ir_bin(t->b, OP_ULE, length, index), VM_BOUNDS);
}

static const uint8_t array_ops[] = {JAVA_INTS,       JAVA_LONGS, JAVA_FLOATS, JAVA_DOUBLES,
                                    JAVA_REFERENCES, JAVA_BYTES, JAVA_CHARS,  JAVA_SHORTS};

void tr_array_load(struct tr *t, unsigned op)
{
    static const char kinds[] = "IJFDAIII";
    ir_val index = tr_pop(t), ref = tr_pop(t);
    check_index(t, ref, index);
    tr_push(t, kinds[op - J_IALOAD], tr_element_get(t, array_ops[op - J_IALOAD], ref, index));
}

void tr_array_store(struct tr *t, unsigned op)
{
    ir_val v = tr_pop(t), index = tr_pop(t), ref = tr_pop(t);
    check_index(t, ref, index);
    if (op == J_AASTORE) {
        ir_val to = ir_load(t->b, JAVA_COMPONENT, tr_class_of(t, ref), 32, IR_NONE, IR_NONE);
        ir_val fits = tr_is_subclass(t, to, tr_class_of(t, v));
        ir_val null = ir_bin(t->b, OP_EQ, v, tr_constant(t, 32, 0));
        tr_throw_when(t, ir_un(t->b, OP_NOT, ir_bin(t->b, OP_OR, null, fits)), VM_STORE);
    }
    tr_element_set(t, array_ops[op - J_IASTORE], ref, index, v);
}

/* bastore stores the low bit of an int into an array of booleans. javac never needs that: it has it done
 * before; what else might is masked here. */
void tr_byte_store(struct tr *t)
{
    ir_val v = tr_pop(t), index = tr_pop(t), ref = tr_pop(t);
    struct error err = {0};
    const struct java_class *bools = java_world_class(t->l->w, "[Z", &err);
    check_index(t, ref, index);
    if (bools) {
        ir_val is = ir_bin(t->b, OP_EQ, tr_class_of(t, ref), tr_constant(t, 32, bools->id));
        v = ir_ite(t->b, is, ir_bin(t->b, OP_AND, v, tr_constant(t, 32, 1)), v);
    }
    tr_element_set(t, JAVA_BYTES, ref, index, v);
}

void tr_new_array(struct tr *t, struct java_class *array)
{
    ir_val n = tr_pop(t);
    tr_throw_when(t, ir_bin(t->b, OP_SLT, n, tr_constant(t, 32, 0)), VM_SIZE);
    ir_val ref = tr_make(t, tr_constant(t, 32, array->id));
    ir_store(t->b, JAVA_LENGTH, ref, n, IR_NONE);
    tr_push(t, 'A', ref);
}

void tr_push_literal(struct tr *t, const char *text, size_t n)
{
    uint32_t ref = synth_literal(t->l, text, n);
    tr_ensure(t, ref, t->l->literal.data[ref - JAVA_FIRST_LITERAL]);
    tr_push(t, 'A', tr_constant(t, 32, ref));
}

void tr_push_mirror(struct tr *t, struct java_class *of)
{
    struct java_class *mirror = tr_class_at(t, "java/lang/Class");
    if (!mirror)
        return;
    if (of->id >= JAVA_FIRST_LITERAL) {
        tr_end_unknown(t, "too many classes");
        return;
    }
    ir_store(t->b, JAVA_CLASS, tr_constant(t, 32, of->id), tr_constant(t, 32, mirror->id), IR_NONE);
    tr_push(t, 'A', tr_constant(t, 32, of->id));
}

/* ---- fields ---- */

void tr_field_op(struct tr *t, unsigned op)
{
    const struct java_cp *e = java_cp(t->c, java_u16(t->m->code + t->pc + 1), JAVA_CP_FIELD);
    bool store = op == J_PUTSTATIC || op == J_PUTFIELD, fixed = op == J_GETSTATIC || op == J_PUTSTATIC;
    struct java_class *c = tr_class_at(t, e->owner);
    if (!c)
        return;
    struct java_field *f = java_field(c, e->text, e->desc);
    uint32_t space = f ? java_field_space(t->l, f) : 0;
    if (!f || !space || fixed != ((f->flags & JAVA_STATIC) != 0)) {
        tr_end_unknown(t, arena_printf(&t->l->arena, "no field %s.%s", e->owner, e->text));
        return;
    }
    char type = f->desc[0];
    if (op == J_GETSTATIC && strcmp(f->owner->name, "java/lang/System") == 0 && strcmp(f->name, "in") == 0) {
        tr_end_unknown(t, "System.in");
        return;
    }
    if (op == J_GETSTATIC && strcmp(f->owner->name, "java/lang/System") == 0 &&
        (strcmp(f->name, "out") == 0 || strcmp(f->name, "err") == 0)) {
        uint32_t ref = synth_object(t->l, f->name, "java/io/PrintStream");
        tr_ensure(t, ref, t->l->literal.data[ref - JAVA_FIRST_LITERAL]);
        tr_push(t, 'A', tr_constant(t, 32, ref));
        return;
    }
    if (op == J_GETSTATIC && f->constant && f->flags & JAVA_FINAL) {
        const struct java_cp *v = &f->owner->cp[f->constant];
        if (v->tag == JAVA_CP_STRING && type == 'L') {
            tr_push_literal(t, v->text, v->len);
            return;
        }
        if (v->tag >= JAVA_CP_INTEGER && v->tag <= JAVA_CP_DOUBLE &&
            tr_width_of(tr_kind_of(type)) == (v->tag == JAVA_CP_LONG || v->tag == JAVA_CP_DOUBLE ? 64 : 32)) {
            tr_push(t, tr_kind_of(type), tr_constant(t, tr_width_of(tr_kind_of(type)), v->bits));
            return;
        }
    }
    if (fixed) {
        tr_initialise(t, f->owner);
        if (store) {
            ir_val v = tr_pop(t);
            ir_store(t->b, space, tr_constant(t, 32, 0), tr_narrow(t, v, type), IR_NONE);
        } else {
            ir_val v = ir_load(t->b, space, tr_constant(t, 32, 0), java_width(type), IR_NONE, IR_NONE);
            tr_push(t, tr_kind_of(type), tr_widen(t, v, type));
        }
        return;
    }
    ir_val v = store ? tr_pop(t) : IR_NONE, ref = tr_pop(t);
    tr_check_null(t, ref);
    if (store)
        ir_store(t->b, space, ref, tr_narrow(t, v, type), IR_NONE);
    else
        tr_push(t, tr_kind_of(type), tr_widen(t, boxed(t, ref, f, space), type));
}
