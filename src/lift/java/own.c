/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions of methods made here (opcode.h lists them). */
#include <string.h>

#include "lift/java/translate.h"

static void input(struct tr *t, unsigned own, const char *name)
{
    char type = JAVA_INPUT_TYPES[own - OWN_INPUT_I];
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
        v = tr_widen(t, v, type);
    tr_push(t, tr_kind_of(type), v);
}

/* What it leaves on the stack. */
static char result_kind(unsigned own)
{
    return strchr(java_own_effect[own], '>')[1];
}

void tr_own_op(struct tr *t)
{
    const uint8_t *p = t->m->code + t->pc;
    unsigned own = p[1];
    const char *text = java_own_has_operand(own) ? t->c->cp[java_u16(p + 2)].text : NULL;
    ir_val a, b, c;
    if (own >= OWN_GET_BYTE && own <= OWN_GET_REFERENCE) {
        unsigned e = own - OWN_GET_BYTE + JAVA_BYTES;
        b = tr_pop(t);
        a = tr_pop(t);
        tr_push(t, result_kind(own), tr_element_get(t, e, a, b));
        return;
    }
    if (own >= OWN_SET_BYTE && own <= OWN_SET_REFERENCE) {
        c = tr_pop(t);
        b = tr_pop(t);
        a = tr_pop(t);
        tr_element_set(t, own - OWN_SET_BYTE + JAVA_BYTES, a, b, c);
        return;
    }
    if (own >= OWN_INPUT_I && own <= OWN_INPUT_D) {
        input(t, own, text);
        return;
    }
    switch (own) {
    case OWN_CLASS_OF:
        tr_push(t, 'I', tr_class_of(t, tr_pop(t)));
        return;
    case OWN_SET_CLASS:
    case OWN_SET_LENGTH:
        b = tr_pop(t);
        a = tr_pop(t);
        ir_store(t->b, own == OWN_SET_CLASS ? JAVA_CLASS : JAVA_LENGTH, a, b, IR_NONE);
        return;
    case OWN_NEW:
        tr_push(t, 'A', tr_make(t, tr_pop(t)));
        return;
    case OWN_ELEMENT:
    case OWN_ARRAY_OF:
    case OWN_COMPONENT: {
        unsigned space = own == OWN_ELEMENT    ? JAVA_ELEMENT
                         : own == OWN_ARRAY_OF ? JAVA_ARRAY_OF
                                               : JAVA_COMPONENT;
        tr_push(t, 'I', ir_load(t->b, space, tr_pop(t), 32, IR_NONE, IR_NONE));
        return;
    }
    case OWN_SUBCLASS:
        b = tr_pop(t);
        a = tr_pop(t);
        tr_push(t, 'I', ir_zext(t->b, tr_is_subclass(t, a, b), 32));
        return;
    case OWN_READY:
        tr_push(t, 'I', ir_zext(t->b, ir_load(t->b, JAVA_READY, tr_pop(t), 8, IR_NONE, IR_NONE), 32));
        return;
    case OWN_SET_READY:
        b = tr_pop(t);
        a = tr_pop(t);
        ir_store(t->b, JAVA_READY, a, ir_extract(t->b, b, 0, 8), IR_NONE);
        return;
    case OWN_THROWN_AT:
        b = tr_pop(t);
        a = tr_pop(t);
        ir_store(t->b, JAVA_THROWN, a, b, IR_NONE);
        return;
    case OWN_TO_INT:
    case OWN_TO_REFERENCE:
    case OWN_BITS_F:
    case OWN_BITS_D:
    case OWN_FROM_BITS_F:
    case OWN_FROM_BITS_D:
        tr_push(t, result_kind(own), tr_pop(t)); /* the same bits */
        return;
    case OWN_BOX_BYTE:
    case OWN_BOX_SHORT:
    case OWN_BOX_INT:
    case OWN_BOX_LONG:
    case OWN_BOX_CHAR:
        a = ir_extract(t->b, tr_pop(t), 0, 8);
        tr_push(t, 'A',
                ir_bin(t->b, OP_CONCAT, tr_constant(t, 24, JAVA_FIRST_BOX >> 8 | (own - OWN_BOX_BYTE)), a));
        return;
    case OWN_SQRT:
        tr_push(t, 'D', ir_op(t->b, OP_FSQRT, 64, (ir_val[]){tr_nearest(t), tr_pop(t)}, 2));
        return;
    case OWN_RINT:
    case OWN_FLOOR:
    case OWN_CEIL: {
        ir_val mode = tr_constant(t, OP_RM_WIDTH,
                                  own == OWN_RINT    ? OP_RNE
                                  : own == OWN_FLOOR ? OP_RTN
                                                     : OP_RTP);
        tr_push(t, 'D', ir_op(t->b, OP_FRINT, 64, (ir_val[]){mode, tr_pop(t)}, 2));
        return;
    }
    case OWN_FMA_D:
    case OWN_FMA_F:
        c = tr_pop(t);
        b = tr_pop(t);
        a = tr_pop(t);
        tr_push(t, result_kind(own),
                ir_op(t->b, OP_FMA, own == OWN_FMA_D ? 64 : 32, (ir_val[]){tr_nearest(t), a, b, c}, 4));
        return;
    case OWN_ASSUME: {
        ir_label on = tr_new_label(t), stop = tr_new_label(t);
        a = tr_pop(t);
        tr_flush(t);
        ir_exit(t->b, ir_bin(t->b, OP_EQ, a, tr_constant(t, 32, 0)), IR_EXIT_JUMP, stop);
        tr_end_jump(t, on);
        tr_begin(t, stop);
        map_set(&t->l->assumed, tr_label_of(t, t->pc), 1);
        tr_finish(t, tr_an_end(IR_END_TRAP));
        tr_begin(t, on);
        return;
    }
    case OWN_HASH:
        a = tr_pop(t);
        b = ir_event(t->b,
                     &(struct ir_event){.name = "identityHashCode", .guard = IR_NONE, .mem_addr = IR_NONE},
                     &a, 1, 32);
        /* 31 bits, as the JDK's own virtual machine has them */
        tr_push(t, 'I', ir_bin(t->b, OP_AND, b, tr_constant(t, 32, INT32_MAX)));
        return;
    case OWN_UNKNOWN:
        tr_end_unknown(t, text);
        return;
    case OWN_DISPATCH: {
        /* the text is the name of a selector that was made for it */
        struct java_method *m = NULL;
        synth_known(t->l, text, &m);
        b = tr_pop(t);
        a = tr_pop(t);
        ir_val which = ir_bin(t->b, OP_CONCAT, tr_constant(t, 32, java_selector(t->l, m)), b);
        tr_call(t, NULL, ir_load(t->b, JAVA_DISPATCH, which, 64, IR_NONE, IR_NONE), &a, 1, 'L');
        return;
    }
    }
}
