/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number written in decimal.
 *
 * The JDK's loop asks after each division whether something is left, which is a hard question when the number is
 * not known. How many digits there are is an easy one: comparisons with powers of ten. So the model of
 * Integer.getChars asks that first, and then divides as often, without a question. */
#include "lift/java/internal.h"

/* (int i, int index, byte[] buf): writes i before index, and returns where it begins. Locals: 0 i, 1 index, 2 buf, 3
 * what is left, not positive (for it fits then), 4 digits left, 5 quotient. */
void decimal_digits(struct synth *s, struct java_method *m)
{
    (void)m;
    synth_load(s, 'I', 0);
    synth_member(s, J_INVOKESTATIC, "java/lang/Integer", "stringSize", "(I)I");
    synth_store(s, 'I', 4);
    synth_load(s, 'I', 0);
    synth_store(s, 'I', 3);
    synth_load(s, 'I', 0);
    unsigned negative = synth_jump(s, J_IFLT);
    synth_load(s, 'I', 0);
    synth_op(s, J_INEG);
    synth_store(s, 'I', 3);
    unsigned loop_first = synth_jump(s, J_GOTO);
    synth_land(s, negative);
    synth_iinc(s, 4, -1); /* the sign is no digit */
    synth_land(s, loop_first);
    unsigned loop = synth_here(s);
    synth_load(s, 'I', 4);
    unsigned done = synth_jump(s, J_IFEQ);
    synth_load(s, 'I', 3);
    synth_int(s, 10);
    synth_op(s, J_IDIV);
    synth_store(s, 'I', 5);
    synth_iinc(s, 1, -1);
    synth_load(s, 'L', 2);
    synth_load(s, 'I', 1);
    synth_load(s, 'I', 5);
    synth_int(s, 10);
    synth_op(s, J_IMUL);
    synth_load(s, 'I', 3);
    synth_op(s, J_ISUB);
    synth_int(s, '0');
    synth_op(s, J_IADD);
    synth_own(s, OWN_SET_BYTE);
    synth_load(s, 'I', 5);
    synth_store(s, 'I', 3);
    synth_iinc(s, 4, -1);
    synth_back(s, J_GOTO, loop);
    synth_land(s, done);
    synth_load(s, 'I', 0);
    unsigned no_sign = synth_jump(s, J_IFLT + 1); /* >= */
    synth_iinc(s, 1, -1);
    synth_load(s, 'L', 2);
    synth_load(s, 'I', 1);
    synth_int(s, '-');
    synth_own(s, OWN_SET_BYTE);
    synth_land(s, no_sign);
    synth_load(s, 'I', 1);
    synth_return(s, 'I');
}
