/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instruction set (Java Virtual Machine Specification, chapter 6): one table, and the length of an
 * instruction in its code. */
#ifndef LIFT_JAVA_OPCODE_H
#define LIFT_JAVA_OPCODE_H

#include "java/class.h"

enum {
    J_NOP = 0, J_ACONST_NULL = 1, J_ICONST_0 = 3, J_LCONST_0 = 9, J_FCONST_0 = 11, J_DCONST_0 = 14, J_BIPUSH = 16,
    J_SIPUSH = 17, J_LDC = 18, J_LDC_W = 19, J_LDC2_W = 20, J_ILOAD = 21, J_LLOAD, J_FLOAD, J_DLOAD, J_ALOAD,
    J_ILOAD_0 = 26, J_IALOAD = 46, J_AALOAD = 50, J_BALOAD = 51, J_CALOAD, J_SALOAD, J_ISTORE = 54, J_LSTORE,
    J_FSTORE, J_DSTORE, J_ASTORE, J_ISTORE_0 = 59, J_IASTORE = 79, J_AASTORE = 83, J_BASTORE = 84, J_CASTORE,
    J_SASTORE, J_POP = 87, J_POP2, J_DUP, J_DUP_X1, J_DUP_X2, J_DUP2, J_DUP2_X1, J_DUP2_X2, J_SWAP, J_IADD = 96,
    J_ISUB = 100, J_IMUL = 104, J_IDIV = 108, J_IREM = 112, J_INEG = 116, J_ISHL = 120, J_LSHL, J_ISHR, J_LSHR,
    J_IUSHR, J_LUSHR, J_IAND, J_LAND, J_IOR, J_LOR, J_IXOR, J_LXOR, J_IINC = 132, J_I2L, J_I2F, J_I2D, J_L2I,
    J_L2F, J_L2D, J_F2I, J_F2L, J_F2D, J_D2I, J_D2L, J_D2F, J_I2B, J_I2C, J_I2S, J_LCMP, J_FCMPL, J_FCMPG,
    J_DCMPL, J_DCMPG, J_IFEQ = 153, J_IFNE, J_IFLT, J_IFGE, J_IFGT, J_IFLE, J_IF_ICMPEQ = 159, J_IF_ACMPEQ = 165,
    J_IF_ACMPNE, J_GOTO = 167, J_JSR, J_RET, J_TABLESWITCH, J_LOOKUPSWITCH, J_IRETURN = 172, J_LRETURN, J_FRETURN,
    J_DRETURN, J_ARETURN, J_RETURN = 177, J_GETSTATIC, J_PUTSTATIC, J_GETFIELD, J_PUTFIELD, J_INVOKEVIRTUAL,
    J_INVOKESPECIAL, J_INVOKESTATIC, J_INVOKEINTERFACE, J_INVOKEDYNAMIC, J_NEW, J_NEWARRAY, J_ANEWARRAY,
    J_ARRAYLENGTH, J_ATHROW, J_CHECKCAST, J_INSTANCEOF, J_MONITORENTER, J_MONITOREXIT, J_WIDE, J_MULTIANEWARRAY,
    J_IFNULL, J_IFNONNULL, J_GOTO_W, J_JSR_W, J_COUNT,
    J_OWN = 254, /* of methods made here only: the next byte says which (enum java_own) */
};

/* What the operand stack gives and gets, by types: "II>I". NULL: it depends on operands. */
extern const char *const java_effect[J_COUNT];

static inline uint32_t java_u16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline int32_t java_s16(const uint8_t *p)
{
    return (int16_t)java_u16(p);
}

static inline int32_t java_s32(const uint8_t *p)
{
    return (int32_t)(java_u16(p) << 16 | java_u16(p + 2));
}

/* 0: not an instruction, or it does not fit. */
uint32_t java_length(const struct java_method *m, uint32_t pc);
/* Of a switch that has a length: how many cases; and where case k leads and for which value. The default is the one
 * behind the last, for no value. */
uint32_t java_switch_cases(const struct java_method *m, uint32_t pc);
int64_t java_switch_case(const struct java_method *m, uint32_t pc, uint32_t k, int32_t *value);

/* Instructions of their own for methods made here: pops and pushes as above. */
#define JAVA_OWN(X)                                                                                                 \
    X(CLASS_OF, "A>I")   /* the id of an object's class */                                                          \
    X(SET_CLASS, "AI>")                                                                                             \
    X(SET_LENGTH, "AI>")                                                                                            \
    X(NEW, "I>A")        /* an object of the class with that id */                                                  \
    X(ELEMENT, "I>I")    /* enum java_element of a class */                                                         \
    X(ARRAY_OF, "I>I")                                                                                              \
    X(COMPONENT, "I>I")                                                                                             \
    X(SUBCLASS, "II>I")  /* of, class */                                                                            \
    X(READY, "I>I")                                                                                                 \
    X(SET_READY, "II>")                                                                                             \
    X(THROWN_AT, "AJ>")                                                                                             \
    X(BOX_BYTE, "I>A")   /* by enum java_box */                                                                     \
    X(BOX_SHORT, "I>A")                                                                                             \
    X(BOX_INT, "I>A")                                                                                               \
    X(BOX_LONG, "J>A")                                                                                              \
    X(BOX_CHAR, "I>A")                                                                                              \
    X(TO_INT, "A>I")                                                                                                \
    X(TO_REFERENCE, "I>A")                                                                                          \
    X(BITS_F, "F>I")                                                                                                \
    X(BITS_D, "D>J")                                                                                                \
    X(FROM_BITS_F, "I>F")                                                                                           \
    X(FROM_BITS_D, "J>D")                                                                                           \
    X(SQRT, "D>D")                                                                                                  \
    X(RINT, "D>D")                                                                                                  \
    X(FLOOR, "D>D")                                                                                                 \
    X(CEIL, "D>D")                                                                                                  \
    X(FMA_D, "DDD>D")                                                                                               \
    X(FMA_F, "FFF>F")                                                                                               \
    X(ASSUME, "I>")      /* the path ends where it is 0 */                                                          \
    X(HASH, "A>I")       /* an unknown function of the reference */                                                 \
    X(GET_BYTE, "AI>I")  /* elements without any check, by enum java_element from here on */                        \
    X(GET_CHAR, "AI>I")                                                                                             \
    X(GET_SHORT, "AI>I")                                                                                            \
    X(GET_INT, "AI>I")                                                                                              \
    X(GET_LONG, "AI>J")                                                                                             \
    X(GET_FLOAT, "AI>F")                                                                                            \
    X(GET_DOUBLE, "AI>D")                                                                                           \
    X(GET_REFERENCE, "AI>A")                                                                                        \
    X(SET_BYTE, "AII>")                                                                                             \
    X(SET_CHAR, "AII>")                                                                                             \
    X(SET_SHORT, "AII>")                                                                                            \
    X(SET_INT, "AII>")                                                                                              \
    X(SET_LONG, "AIJ>")                                                                                             \
    X(SET_FLOAT, "AIF>")                                                                                            \
    X(SET_DOUBLE, "AID>")                                                                                           \
    X(SET_REFERENCE, "AIA>")                                                                                        \
    X(INPUT_I, ">I")     /* with the index of a text in the constant pool: what it is called; 32 bits */            \
    X(INPUT_B, ">I")                                                                                                \
    X(INPUT_C, ">I")                                                                                                \
    X(INPUT_S, ">I")                                                                                                \
    X(INPUT_Z, ">I")                                                                                                \
    X(INPUT_J, ">J")                                                                                                \
    X(INPUT_F, ">F")                                                                                                \
    X(INPUT_D, ">D")                                                                                                \
    X(UNKNOWN, ">")      /* likewise: the path ends here, for this reason */                                        \
    X(DISPATCH, "AI>A")  /* likewise: calls the method with that selector for the class */

enum java_own {
#define JAVA_OWN_ENUM(id, effect) OWN_##id,
    JAVA_OWN(JAVA_OWN_ENUM)
#undef JAVA_OWN_ENUM
    OWN_COUNT
};
extern const char *const java_own_effect[OWN_COUNT];
/* The types of inputs, OWN_INPUT_I and those behind it. */
#define JAVA_INPUT_TYPES "IBCSZJFD"
const char *java_primitive(char type); /* 'I': int; of these types */
static inline bool java_own_has_operand(unsigned own)
{
    return own >= OWN_INPUT_I;
}

#endif
