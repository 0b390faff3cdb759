/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/java/opcode.h"

#include <string.h>

/* clang-format off */
const char *const java_effect[J_COUNT] = {
    [0] = ">", [1] = ">A", [2] = ">I", [3] = ">I", [4] = ">I", [5] = ">I", [6] = ">I", [7] = ">I", [8] = ">I",
    [9] = ">J", [10] = ">J", [11] = ">F", [12] = ">F", [13] = ">F", [14] = ">D", [15] = ">D", [16] = ">I", [17] = ">I",
    [46] = "AI>I", [47] = "AI>J", [48] = "AI>F", [49] = "AI>D", [50] = "AI>A", [51] = "AI>I", [52] = "AI>I", [53] = "AI>I",
    [79] = "AII>", [80] = "AIJ>", [81] = "AIF>", [82] = "AID>", [83] = "AIA>", [84] = "AII>", [85] = "AII>", [86] = "AII>",
    [96] = "II>I", [97] = "JJ>J", [98] = "FF>F", [99] = "DD>D", [100] = "II>I", [101] = "JJ>J", [102] = "FF>F", [103] = "DD>D",
    [104] = "II>I", [105] = "JJ>J", [106] = "FF>F", [107] = "DD>D", [108] = "II>I", [109] = "JJ>J", [110] = "FF>F", [111] = "DD>D",
    [112] = "II>I", [113] = "JJ>J", [114] = "FF>F", [115] = "DD>D", [116] = "I>I", [117] = "J>J", [118] = "F>F", [119] = "D>D",
    [120] = "II>I", [121] = "JI>J", [122] = "II>I", [123] = "JI>J", [124] = "II>I", [125] = "JI>J",
    [126] = "II>I", [127] = "JJ>J", [128] = "II>I", [129] = "JJ>J", [130] = "II>I", [131] = "JJ>J", [132] = ">",
    [133] = "I>J", [134] = "I>F", [135] = "I>D", [136] = "J>I", [137] = "J>F", [138] = "J>D", [139] = "F>I", [140] = "F>J",
    [141] = "F>D", [142] = "D>I", [143] = "D>J", [144] = "D>F", [145] = "I>I", [146] = "I>I", [147] = "I>I",
    [148] = "JJ>I", [149] = "FF>I", [150] = "FF>I", [151] = "DD>I", [152] = "DD>I",
    [153] = "I>", [154] = "I>", [155] = "I>", [156] = "I>", [157] = "I>", [158] = "I>",
    [159] = "II>", [160] = "II>", [161] = "II>", [162] = "II>", [163] = "II>", [164] = "II>", [165] = "AA>", [166] = "AA>",
    [167] = ">", [168] = ">R", [169] = ">", [170] = "I>", [171] = "I>",
    [172] = "I>", [173] = "J>", [174] = "F>", [175] = "D>", [176] = "A>", [177] = ">",
    [187] = ">A", [188] = "I>A", [189] = "I>A", [190] = "A>I", [191] = "A>", [192] = "A>A", [193] = "A>I", [194] = "A>", [195] = "A>",
    [198] = "A>", [199] = "A>", [200] = ">", [201] = ">R",
};
/* clang-format on */

const char *const java_own_effect[OWN_COUNT] = {
#define EFFECT(id, effect) effect,
    JAVA_OWN(EFFECT)
#undef EFFECT
};

const char *java_primitive(char type)
{
    static const char *const name[] = {"int", "byte", "char", "short", "boolean", "long", "float", "double"};
    return name[strchr(JAVA_INPUT_TYPES, type) - JAVA_INPUT_TYPES];
}

static uint32_t operand_bytes(unsigned op)
{
    switch (op) {
    case J_BIPUSH:
    case J_LDC:
    case J_ILOAD:
    case J_LLOAD:
    case J_FLOAD:
    case J_DLOAD:
    case J_ALOAD:
    case J_ISTORE:
    case J_LSTORE:
    case J_FSTORE:
    case J_DSTORE:
    case J_ASTORE:
    case J_RET:
    case J_NEWARRAY:
        return 1;
    case J_MULTIANEWARRAY:
        return 3;
    case J_INVOKEINTERFACE:
    case J_INVOKEDYNAMIC:
    case J_GOTO_W:
    case J_JSR_W:
        return 4;
    case J_SIPUSH:
    case J_LDC_W:
    case J_LDC2_W:
    case J_IINC:
    case J_NEW:
    case J_ANEWARRAY:
    case J_CHECKCAST:
    case J_INSTANCEOF:
    case J_IFNULL:
    case J_IFNONNULL:
        return 2;
    }
    return (op >= J_IFEQ && op <= J_JSR) || (op >= J_GETSTATIC && op <= J_INVOKESTATIC) ? 2 : 0;
}

static uint32_t switch_length(const struct java_method *m, uint32_t pc)
{
    uint64_t at = (pc + 4) & ~3u, bytes;
    if (at + (m->code[pc] == J_TABLESWITCH ? 12 : 8) > m->ncode)
        return 0;
    if (m->code[pc] == J_TABLESWITCH) {
        int64_t low = java_s32(m->code + at + 4), high = java_s32(m->code + at + 8);
        if (high < low || high - low >= m->ncode)
            return 0;
        bytes = 12 + 4 * (uint64_t)(high - low + 1);
    } else {
        int64_t pairs = java_s32(m->code + at + 4);
        if (pairs < 0 || pairs >= m->ncode)
            return 0;
        bytes = 8 + 8 * (uint64_t)pairs;
    }
    return at + bytes <= m->ncode ? (uint32_t)(at + bytes - pc) : 0;
}

uint32_t java_switch_cases(const struct java_method *m, uint32_t pc)
{
    const uint8_t *p = m->code + ((pc + 4) & ~3u);
    return (uint32_t)(m->code[pc] == J_TABLESWITCH ? java_s32(p + 8) - java_s32(p + 4) + 1 : java_s32(p + 4));
}

int64_t java_switch_case(const struct java_method *m, uint32_t pc, uint32_t k, int32_t *value)
{
    const uint8_t *p = m->code + ((pc + 4) & ~3u), *to = p;
    *value = 0;
    if (k < java_switch_cases(m, pc) && m->code[pc] == J_TABLESWITCH) {
        *value = java_s32(p + 4) + (int32_t)k;
        to = p + 12 + 4 * k;
    } else if (k < java_switch_cases(m, pc)) {
        *value = java_s32(p + 8 + 8 * k);
        to = p + 12 + 8 * k;
    }
    return (int64_t)pc + java_s32(to);
}

uint32_t java_length(const struct java_method *m, uint32_t pc)
{
    unsigned op = m->code[pc];
    uint32_t n;
    if (op == J_TABLESWITCH || op == J_LOOKUPSWITCH)
        return switch_length(m, pc);
    if (op == J_WIDE) {
        unsigned what = pc + 1 < m->ncode ? m->code[pc + 1] : 0;
        bool local = (what >= J_ILOAD && what <= J_ALOAD) || (what >= J_ISTORE && what <= J_ASTORE) ||
                     what == J_RET || what == J_IINC;
        n = !local ? 0 : what == J_IINC ? 6 : 4;
    } else if (op == J_OWN) {
        unsigned own = pc + 1 < m->ncode ? m->code[pc + 1] : OWN_COUNT;
        n = own >= OWN_COUNT ? 0 : java_own_has_operand(own) ? 4 : 2;
    } else if (op < J_COUNT) {
        n = 1 + operand_bytes(op);
    } else {
        n = 0;
    }
    return n <= m->ncode - pc ? n : 0;
}
