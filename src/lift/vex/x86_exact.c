/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/x86_exact.h"

#include <string.h>

#include "lift/vex/build.h"
#include "lift/vex/state.h"

extern UInt x86g_calculate_eflags_all(UInt cc_op, UInt cc_dep1, UInt cc_dep2, UInt cc_ndep);
extern ULong amd64g_calculate_rflags_all(ULong cc_op, ULong cc_dep1, ULong cc_dep2, ULong cc_ndep);

enum { FLAG_C = 1, FLAG_ZERO = 0x40, FLAGS_ALWAYS = 0x202, CC_OP_COPY = 0 };

/* The start of an instruction: prefixes and opcode. */
struct head {
    bool is64, wide_prefix, f2, f3, lock, other_prefix;
    unsigned rex;
    const UChar *opcode; /* first opcode byte */
    unsigned before;     /* bytes up to it */
};

static struct head read_head(const UChar *p, bool is64)
{
    struct head h = {.is64 = is64};
    unsigned n = 0;
    for (; n < 14; n++) {
        if (p[n] == 0x66)
            h.wide_prefix = true;
        else if (p[n] == 0xf2)
            h.f2 = true;
        else if (p[n] == 0xf3)
            h.f3 = true;
        else if (p[n] == 0xf0)
            h.lock = true;
        else if (p[n] == 0x67 || p[n] == 0x2e || p[n] == 0x36 || p[n] == 0x3e || p[n] == 0x26 || p[n] == 0x64 || p[n] == 0x65)
            h.other_prefix = true;
        else
            break;
    }
    if (is64 && (p[n] & 0xf0) == 0x40)
        h.rex = p[n++];
    h.opcode = p + n;
    h.before = n;
    return h;
}

static unsigned operand_size(const struct head *h)
{
    return h->rex & 8 ? 8 : h->wide_prefix ? 2 : 4;
}

/* ---- building VEX IR ---- */

static IRType type_of_size(unsigned bytes)
{
    return bytes == 8 ? Ity_I64 : bytes == 4 ? Ity_I32 : bytes == 2 ? Ity_I16 : Ity_I8;
}

static IRExpr *constant(unsigned bytes, ULong v)
{
    switch (bytes) {
    case 8: return IRExpr_Const(IRConst_U64(v));
    case 4: return IRExpr_Const(IRConst_U32((UInt)v));
    case 2: return IRExpr_Const(IRConst_U16((UShort)v));
    default: return IRExpr_Const(IRConst_U8((UChar)v));
    }
}

/* Operators come in a row for 8, 16, 32 and 64 bits. */
static IRExpr *binary(IRSB *sb, IROp op8, unsigned bytes, IRExpr *x, IRExpr *y)
{
    unsigned step = bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
    return vex_assign(sb, type_of_size(bytes), IRExpr_Binop(op8 + step, x, y));
}

static IRExpr *shift(IRSB *sb, IROp op8, unsigned bytes, IRExpr *x, IRExpr *by8)
{
    return binary(sb, op8, bytes, x, by8);
}

static size_t gpr(bool is64, unsigned r)
{
    static const size_t amd64[] = {AMD64(RAX), AMD64(RCX), AMD64(RDX), AMD64(RBX), AMD64(RSP), AMD64(RBP), AMD64(RSI), AMD64(RDI),
                                   AMD64(R8),  AMD64(R9),  AMD64(R10), AMD64(R11), AMD64(R12), AMD64(R13), AMD64(R14), AMD64(R15)};
    static const size_t x86[] = {X86(EAX), X86(ECX), X86(EDX), X86(EBX), X86(ESP), X86(EBP), X86(ESI), X86(EDI)};
    return is64 ? amd64[r & 15] : x86[r & 7];
}

static IRExpr *get_gpr(IRSB *sb, bool is64, unsigned r, unsigned bytes)
{
    return vex_assign(sb, type_of_size(bytes), IRExpr_Get((Int)gpr(is64, r), type_of_size(bytes)));
}

/* A write of 32 bits clears the upper half on x86-64. */
static void put_gpr(IRSB *sb, bool is64, unsigned r, unsigned bytes, IRExpr *e)
{
    if (is64 && bytes == 4)
        e = vex_assign(sb, Ity_I64, IRExpr_Unop(Iop_32Uto64, e));
    vex_put(sb, gpr(is64, r), e);
}

/* All six flags as they are now, in a word. */
static IRExpr *flags_now(IRSB *sb, bool is64)
{
    IRType word = is64 ? Ity_I64 : Ity_I32;
    IRExpr **args = mkIRExprVec_4(IRExpr_Get((Int)(is64 ? AMD64(CC_OP) : X86(CC_OP)), word),
                                  IRExpr_Get((Int)(is64 ? AMD64(CC_DEP1) : X86(CC_DEP1)), word),
                                  IRExpr_Get((Int)(is64 ? AMD64(CC_DEP2) : X86(CC_DEP2)), word),
                                  IRExpr_Get((Int)(is64 ? AMD64(CC_NDEP) : X86(CC_NDEP)), word));
    for (unsigned i = 0; i < 4; i++)
        args[i] = vex_assign(sb, word, args[i]);
    return vex_assign(sb, word,
                  is64 ? mkIRExprCCall(word, 0, "amd64g_calculate_rflags_all", (void *)(HWord)amd64g_calculate_rflags_all, args)
                       : mkIRExprCCall(word, 0, "x86g_calculate_eflags_all", (void *)(HWord)x86g_calculate_eflags_all, args));
}

static void put_flags(IRSB *sb, bool is64, IRExpr *flags)
{
    unsigned w = is64 ? 8 : 4;
    vex_put(sb, is64 ? AMD64(CC_OP) : X86(CC_OP), constant(w, CC_OP_COPY));
    vex_put(sb, is64 ? AMD64(CC_DEP1) : X86(CC_DEP1), flags);
    vex_put(sb, is64 ? AMD64(CC_DEP2) : X86(CC_DEP2), constant(w, 0));
    vex_put(sb, is64 ? AMD64(CC_NDEP) : X86(CC_NDEP), constant(w, 0));
}

/* A value of `bytes` bytes as a word of the machine, or the other way round. */
static IRExpr *resize(IRSB *sb, IRExpr *e, unsigned from, unsigned to)
{
    static const IROp widen[] = {Iop_8Uto16, Iop_8Uto32, Iop_8Uto64, Iop_16Uto32, Iop_16Uto64, Iop_32Uto64};
    static const IROp narrow[] = {Iop_16to8, Iop_32to8, Iop_64to8, Iop_32to16, Iop_64to16, Iop_64to32};
    if (from == to)
        return e;
    unsigned small = from < to ? from : to, large = from < to ? to : from;
    unsigned i = small == 1 ? (large == 2 ? 0 : large == 4 ? 1 : 2) : small == 2 ? (large == 4 ? 3 : 4) : 5;
    return vex_assign(sb, type_of_size(to), IRExpr_Unop(from < to ? widen[i] : narrow[i], e));
}

static struct vex_decoded continued(IRSB *sb, bool is64, Addr address, unsigned length)
{
    vex_put(sb, is64 ? AMD64(RIP) : X86(EIP), constant(is64 ? 8 : 4, address + length));
    return (struct vex_decoded){.length = length, .what_next = VEX_CONTINUE};
}

/* ---- instructions translated here ---- */

enum { BIT_TEST, BIT_SET, BIT_RESET, BIT_COMPLEMENT, NOT_A_BIT_TEST };

/* Two-byte opcodes 0f a3, ab, b3, bb with a register, 0f ba with an immediate. */
static unsigned bit_operation(const UChar *op)
{
    if (op[0] != 0x0f)
        return NOT_A_BIT_TEST;
    if ((op[1] & 0xe7) == 0xa3)
        return op[1] >> 3 & 3;
    if (op[1] == 0xba && (op[2] >> 3 & 7) >= 4)
        return op[2] >> 3 & 3;
    return NOT_A_BIT_TEST;
}

static unsigned bit_test_register(IRSB *sb, const struct head *h)
{
    unsigned size = operand_size(h), rm = (h->opcode[2] & 7) | (h->rex & 1) << 3, operation = bit_operation(h->opcode);
    bool immediate = h->opcode[1] == 0xba;
    IRExpr *index;
    if (immediate)
        index = constant(1, h->opcode[3] & (size * 8 - 1));
    else
        index = binary(sb, Iop_And8, 1,
                       resize(sb, get_gpr(sb, h->is64, (h->opcode[2] >> 3 & 7) | (h->rex & 4) << 1, size), size, 1),
                       constant(1, size * 8 - 1));
    IRExpr *value = get_gpr(sb, h->is64, rm, size);
    IRExpr *bit = binary(sb, Iop_And8, size, shift(sb, Iop_Shr8, size, value, index), constant(size, 1));
    unsigned word = h->is64 ? 8 : 4;
    IRExpr *others = binary(sb, Iop_And8, word, flags_now(sb, h->is64), constant(word, ~(ULong)FLAG_C));
    put_flags(sb, h->is64, binary(sb, Iop_Or8, word, others, resize(sb, bit, size, word)));
    IRExpr *mask = shift(sb, Iop_Shl8, size, constant(size, 1), index);
    switch (operation) {
    case BIT_SET: put_gpr(sb, h->is64, rm, size, binary(sb, Iop_Or8, size, value, mask)); break;
    case BIT_COMPLEMENT: put_gpr(sb, h->is64, rm, size, binary(sb, Iop_Xor8, size, value, mask)); break;
    case BIT_RESET:
        mask = binary(sb, Iop_Xor8, size, mask, constant(size, ~(ULong)0));
        put_gpr(sb, h->is64, rm, size, binary(sb, Iop_And8, size, value, mask));
        break;
    }
    return h->before + 3 + immediate;
}

static unsigned push_flags(IRSB *sb, const struct head *h)
{
    unsigned word = h->is64 ? 8 : 4, size = h->wide_prefix ? 2 : word;
    IRType type = type_of_size(word);
    IRExpr *flags = flags_now(sb, h->is64);
    struct {
        size_t offset;
        unsigned bit;
    } extra[] = {{h->is64 ? AMD64(DFLAG) : X86(DFLAG), 10},
                 {h->is64 ? AMD64(IDFLAG) : X86(IDFLAG), 21},
                 {h->is64 ? AMD64(ACFLAG) : X86(ACFLAG), 18}};
    for (unsigned i = 0; i < 3; i++) {
        IRExpr *v = vex_assign(sb, type, IRExpr_Get((Int)extra[i].offset, type));
        if (i > 0) /* kept in bit 0; the direction is kept as +1 or -1, which has bit 10 set when downward */
            v = shift(sb, Iop_Shl8, word, v, constant(1, extra[i].bit));
        v = binary(sb, Iop_And8, word, v, constant(word, (ULong)1 << extra[i].bit));
        flags = binary(sb, Iop_Or8, word, flags, v);
    }
    flags = binary(sb, Iop_Or8, word, flags, constant(word, FLAGS_ALWAYS));
    IRExpr *sp = get_gpr(sb, h->is64, 4, word);
    sp = binary(sb, Iop_Sub8, word, sp, constant(word, size));
    vex_put(sb, gpr(h->is64, 4), sp);
    addStmtToIRSB(sb, IRStmt_Store(Iend_LE, sp, resize(sb, flags, word, size)));
    return h->before + 1;
}

/* xchg of 16-bit registers, one of them ax. */
static unsigned exchange16(IRSB *sb, const struct head *h)
{
    unsigned r = (h->opcode[0] & 7) | (h->rex & 1) << 3;
    IRExpr *a = get_gpr(sb, h->is64, 0, 2), *b = get_gpr(sb, h->is64, r, 2);
    put_gpr(sb, h->is64, 0, 2, b);
    put_gpr(sb, h->is64, r, 2, a);
    return h->before + 1;
}

/* The address of an i386 memory operand whose ModRM byte is at p; *length counts ModRM, SIB and displacement. */
static IRExpr *x86_address(IRSB *sb, const UChar *p, unsigned *length)
{
    unsigned mod = p[0] >> 6, rm = p[0] & 7, n = 1;
    IRExpr *sum = NULL;
    bool displacement32 = mod == 2;
    if (rm == 4) {
        unsigned sib = p[n++], base = sib & 7, index = sib >> 3 & 7;
        if (base == 5 && mod == 0)
            displacement32 = true;
        else
            sum = get_gpr(sb, false, base, 4);
        if (index != 4) {
            IRExpr *scaled = shift(sb, Iop_Shl8, 4, get_gpr(sb, false, index, 4), constant(1, sib >> 6));
            sum = sum ? binary(sb, Iop_Add8, 4, sum, scaled) : scaled;
        }
    } else if (rm == 5 && mod == 0) {
        displacement32 = true;
    } else {
        sum = get_gpr(sb, false, rm, 4);
    }
    UInt displacement = 0;
    if (mod == 1)
        displacement = (UInt)(Int)(signed char)p[n++];
    if (displacement32) {
        memcpy(&displacement, p + n, 4);
        n += 4;
    }
    *length = n;
    return sum ? binary(sb, Iop_Add8, 4, sum, constant(4, displacement)) : constant(4, displacement);
}

/* tzcnt and popcnt for i386. */
static unsigned x86_count(IRSB *sb, const struct head *h)
{
    const UChar *modrm = h->opcode + 2;
    unsigned size = operand_size(h), length = 1;
    IRExpr *value;
    if (modrm[0] >> 6 == 3) {
        value = get_gpr(sb, false, modrm[0] & 7, size);
    } else {
        IRExpr *address = x86_address(sb, modrm, &length);
        value = vex_assign(sb, type_of_size(size), IRExpr_Load(Iend_LE, type_of_size(size), address));
    }
    value = resize(sb, value, size, 4);
    IRExpr *none = vex_assign(sb, Ity_I1, IRExpr_Binop(Iop_CmpEQ32, value, constant(4, 0)));
    IRExpr *count, *flags;
    if (h->opcode[1] == 0xb8) {
        count = vex_assign(sb, Ity_I32, IRExpr_Unop(Iop_PopCount32, value));
        flags = vex_assign(sb, Ity_I32, IRExpr_ITE(none, constant(4, FLAG_ZERO), constant(4, 0)));
    } else {
        /* a guard bit keeps Ctz32 off zero, where VEX leaves it undefined */
        IRExpr *safe = vex_assign(sb, Ity_I32, IRExpr_ITE(none, constant(4, 1), value));
        count = vex_assign(sb, Ity_I32, IRExpr_Unop(Iop_Ctz32, safe));
        count = vex_assign(sb, Ity_I32, IRExpr_ITE(none, constant(4, size * 8), count));
        IRExpr *odd = binary(sb, Iop_And8, 4, value, constant(4, 1));
        flags = binary(sb, Iop_Or8, 4, shift(sb, Iop_Shl8, 4, odd, constant(1, 6)),
                       vex_assign(sb, Ity_I32, IRExpr_ITE(none, constant(4, FLAG_C), constant(4, 0))));
    }
    put_flags(sb, false, flags);
    put_gpr(sb, false, modrm[0] >> 3 & 7, size, resize(sb, count, 4, size));
    return h->before + 2 + length;
}

/* The length of an instruction translated here, 0 when it is not one of those. */
static unsigned translate(IRSB *sb, const struct head *h)
{
    if (h->other_prefix || h->lock)
        return 0;
    const UChar *op = h->opcode;
    if (h->f3 && !h->is64 && op[0] == 0x0f && (op[1] == 0xbc || op[1] == 0xb8))
        return x86_count(sb, h);
    if (h->f2 || h->f3)
        return 0;
    if (bit_operation(op) != NOT_A_BIT_TEST && op[2] >> 6 == 3)
        return bit_test_register(sb, h);
    if (op[0] == 0x9c)
        return push_flags(sb, h);
    bool with_r8 = op[0] == 0x90 && (h->rex & 1); /* otherwise 0x90 is nop */
    if (((op[0] > 0x90 && op[0] <= 0x97) || with_r8) && operand_size(h) == 2)
        return exchange16(sb, h);
    return 0;
}

/* ---- instructions corrected after libVEX translated them ---- */

enum fixup {
    FIX_NONE,
    FIX_BIT_FLAGS,
    FIX_XADD,
    FIX_CMPXCHG,
    FIX_SHIFT,
    FIX_VECTOR_SHIFT,
    FIX_FMA,
    FIX_CPUID,
    FIX_SELECTOR
};

static enum fixup fixup_of(const struct head *h)
{
    const UChar *op = h->opcode;
    if (!h->is64 && bit_operation(op) != NOT_A_BIT_TEST)
        return FIX_BIT_FLAGS;
    if (!h->is64 && op[0] == 0x0f && (op[1] & 0xfe) == 0xc0 && op[2] >> 6 == 3 && (op[2] >> 3 & 7) == (op[2] & 7))
        return FIX_XADD;
    bool by_group = (op[0] & 0xfe) == 0xc0 || (op[0] & 0xfe) == 0xd2, by_double = op[0] == 0x0f && (op[1] & 0xf6) == 0xa4;
    if (by_double || (by_group && (op[1] >> 3 & 7) >= 4))
        return FIX_SHIFT;
    bool shift_by_vector = op[0] == 0x0f && (op[1] >> 4 == 0xd || op[1] >> 4 == 0xe || op[1] >> 4 == 0xf) && (op[1] & 15) >= 1 &&
                           (op[1] & 15) <= (op[1] >> 4 == 0xe ? 2 : 3);
    if (!h->is64 && shift_by_vector && h->wide_prefix && !h->f2 && !h->f3 && !h->other_prefix)
        return FIX_VECTOR_SHIFT;
    if (h->is64 && op[0] == 0x0f && op[1] == 0xb1 && operand_size(h) == 4)
        return FIX_CMPXCHG;
    if (op[0] == 0x0f && op[1] == 0xa2)
        return FIX_CPUID;
    if (h->is64 && op[0] == 0x8c && (op[1] >> 3 & 7) < 6)
        return FIX_SELECTOR;
    if (h->is64 && op[0] == 0xc4 && (op[1] & 31) == 2 && (op[2] & 3) == 1 && (op[3] & 15) >= 6 && op[3] >> 4 >= 9 && op[3] >> 4 <= 0xb)
        return FIX_FMA;
    return FIX_NONE;
}

/* -(x*y + z), rounded once, is (-x)*y + (-z): the negation of a rounded sum differs in the sign of zeros and under
 * directed rounding. */
static IRExpr *exact_negation(const IRSB *sb, Int first, IRExpr *e)
{
    if (!e || e->tag == Iex_RdTmp || e->tag == Iex_Const)
        return e;
    if (e->tag == Iex_Unop && (e->Iex.Unop.op == Iop_NegF64 || e->Iex.Unop.op == Iop_NegF32)) {
        const IRExpr *sum = vex_assigned(sb, first, e->Iex.Unop.arg);
        if (sum->tag == Iex_Qop && (sum->Iex.Qop.details->op == Iop_MAddF64 || sum->Iex.Qop.details->op == Iop_MAddF32)) {
            const IRQop *q = sum->Iex.Qop.details;
            IROp neg = e->Iex.Unop.op;
            return IRExpr_Qop(q->op, q->arg1, IRExpr_Unop(neg, q->arg2), q->arg3, IRExpr_Unop(neg, q->arg4));
        }
    }
    if (e->tag == Iex_Unop)
        return IRExpr_Unop(e->Iex.Unop.op, exact_negation(sb, first, e->Iex.Unop.arg));
    return e;
}

/* A cmpxchg that succeeds writes no part of rax. It failed just where eax became another number. */
static void keep_accumulator(IRSB *sb, IRExpr *rax)
{
    IRExpr *now = get_gpr(sb, true, 0, 4), *was = vex_assign(sb, Ity_I32, IRExpr_Unop(Iop_64to32, rax));
    IRExpr *same = vex_assign(sb, Ity_I1, IRExpr_Binop(Iop_CmpEQ32, now, was));
    IRExpr *upper = vex_assign(sb, Ity_I32, IRExpr_Unop(Iop_64HIto32, rax));
    upper = vex_assign(sb, Ity_I32, IRExpr_ITE(same, upper, constant(4, 0)));
    vex_put(sb, gpr(true, 0), vex_assign(sb, Ity_I64, IRExpr_Binop(Iop_32HLto64, upper, now)));
}

/* What cpuid tells depends on ecx for many leaves. */
static void cpuid_reads_subleaf(IRSB *sb, Int first, bool is64)
{
    for (Int i = first; i < sb->stmts_used; i++) {
        if (sb->stmts[i]->tag != Ist_Dirty)
            continue;
        IRDirty *d = sb->stmts[i]->Ist.Dirty.details;
        for (Int k = 0; k < d->nFxState; k++)
            if (d->fxState[k].offset == gpr(is64, 1))
                d->fxState[k].fx = Ifx_Modify;
    }
}

/* A segment selector of x86-64: what the system loaded there, which dirty.c knows by these names. */
static IRExpr *selector(IRSB *sb, unsigned r)
{
    static const char *const name[] = {"selector:es", "selector:cs", "selector:ss",
                                       "selector:ds", "selector:fs", "selector:gs"};
    IRTemp to = newIRTemp(sb->tyenv, Ity_I64);
    /* VEX wants the address of a function; this one is never called. */
    IRDirty *d = unsafeIRDirty_1_N(to, 0, name[r], (void *)(uintptr_t)selector, mkIRExprVec_0());
    addStmtToIRSB(sb, IRStmt_Dirty(d));
    return vex_assign(sb, Ity_I16, IRExpr_Unop(Iop_64to16, IRExpr_RdTmp(to)));
}

/* libVEX moves a zero instead. */
static void move_selector(IRSB *sb, Int first, IRExpr *value)
{
    for (Int i = first; i < sb->stmts_used; i++) {
        IRStmt *s = sb->stmts[i];
        if (s->tag == Ist_Store)
            sb->stmts[i] = IRStmt_Store(s->Ist.Store.end, s->Ist.Store.addr, value);
        if (s->tag != Ist_Put || s->Ist.Put.offset == (Int)AMD64(RIP))
            continue;
        IRType type = typeOfIRExpr(sb->tyenv, s->Ist.Put.data);
        IRExpr *wide = type == Ity_I64   ? IRExpr_Unop(Iop_16Uto64, value)
                       : type == Ity_I32 ? IRExpr_Unop(Iop_16Uto32, value)
                                         : value;
        sb->stmts[i] = IRStmt_Put(s->Ist.Put.offset, wide);
    }
}

/* Bytes of ModRM, SIB and displacement. */
static unsigned modrm_length(const UChar *p)
{
    unsigned mod = p[0] >> 6, rm = p[0] & 7;
    if (mod == 3)
        return 1;
    unsigned n = rm == 4 ? 2 : 1;
    if (mod == 1)
        return n + 1;
    bool no_base = rm == 5 || (rm == 4 && (p[1] & 7) == 5);
    return mod == 2 || no_base ? n + 4 : n;
}

/* The predicate byte of vcmpps and the like, NULL for other instructions. */
static const UChar *compare_predicate(const struct head *h)
{
    const UChar *op = h->opcode;
    if (!h->is64 || (op[0] != 0xc4 && op[0] != 0xc5) || (op[0] == 0xc4 && (op[1] & 31) != 1))
        return NULL;
    op += op[0] == 0xc4 ? 3 : 2;
    return op[0] == 0xc2 ? op + 1 + modrm_length(op + 1) : NULL;
}

/* The upper half of the shift count of psrlw and the like on i386. */
static IRExpr *count_upper_half(IRSB *sb, const UChar *modrm)
{
    if (modrm[0] >> 6 == 3)
        return vex_assign(sb, Ity_I32, IRExpr_Get((Int)(X86(XMM0) + 16 * (modrm[0] & 7) + 4), Ity_I32));
    unsigned length;
    IRExpr *address = binary(sb, Iop_Add8, 4, x86_address(sb, modrm, &length), constant(4, 4));
    return vex_assign(sb, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, address));
}

/* What a shift by more than the lanes' width leaves of x. */
static IRExpr *shifted_out(IRSB *sb, UChar opcode, IRExpr *x)
{
    if (opcode >> 4 != 0xe)
        return IRExpr_Const(IRConst_V128(0));
    bool words = (opcode & 15) == 1;
    return vex_assign(sb, Ity_V128, IRExpr_Binop(words ? Iop_SarN16x8 : Iop_SarN32x4, x, constant(1, words ? 15 : 31)));
}

/* Bit 4 of a predicate only says which NaNs raise an exception. */
enum { EQUAL = 0, UNORDERED = 3, UNEQUAL = 4, ORDERED = 7, EQUAL_OR_UNORDERED = 8, UNEQUAL_AND_ORDERED = 12 };

/* The two predicates VEX confuses with EQUAL and UNEQUAL, made of two comparisons each. */
static struct vex_decoded compare_in_two(IRSB *sb, const UChar *code, unsigned at, const struct head *h, Addr address, VexArch arch,
                                         const VexArchInfo *info, const VexAbiInfo *abi, VexEndness host, Bool diagnose)
{
    bool either = (code[at] & 15) == EQUAL_OR_UNORDERED;
    unsigned opcode = h->opcode[0] == 0xc4 ? 3 : 2;
    size_t destination = AMD64(YMM0) + 32 * ((h->opcode[opcode + 1] >> 3 & 7) | (h->opcode[1] & 0x80 ? 0 : 8));
    UChar copy[32];
    memcpy(copy, code, sizeof copy);
    IRExpr *old = vex_assign(sb, Ity_V256, IRExpr_Get((Int)destination, Ity_V256));
    copy[at] = either ? UNORDERED : ORDERED;
    disInstr_AMD64(sb, copy, 0, address, arch, info, abi, host, diagnose);
    IRExpr *first = vex_assign(sb, Ity_V256, IRExpr_Get((Int)destination, Ity_V256));
    vex_put(sb, destination, old);
    copy[at] = either ? EQUAL : UNEQUAL;
    struct vex_decoded d = disInstr_AMD64(sb, copy, 0, address, arch, info, abi, host, diagnose);
    IRExpr *second = vex_assign(sb, Ity_V256, IRExpr_Get((Int)destination, Ity_V256));
    vex_put(sb, destination, vex_assign(sb, Ity_V256, IRExpr_Binop(either ? Iop_OrV256 : Iop_AndV256, first, second)));
    return d;
}

struct vex_decoded vex_x86_decode(IRSB *sb, const UChar *code, Long delta, Addr address, VexArch arch, const VexArchInfo *info,
                                  const VexAbiInfo *abi, VexEndness host, Bool diagnose)
{
    bool is64 = arch == VexArchAMD64;
    struct head h = read_head(code + delta, is64);
    unsigned length = translate(sb, &h);
    if (length)
        return continued(sb, is64, address, length);
    const UChar *predicate = compare_predicate(&h);
    if (predicate && ((*predicate & 15) == EQUAL_OR_UNORDERED || (*predicate & 15) == UNEQUAL_AND_ORDERED))
        return compare_in_two(sb, code + delta, (unsigned)(predicate - (code + delta)), &h, address, arch, info, abi, host, diagnose);
    enum fixup fix = fixup_of(&h);
    const UChar *op = h.opcode;
    IRExpr *before = NULL;
    Int first = sb->stmts_used;
    unsigned size = op[1] == 0xc0 ? 1 : operand_size(&h), r = op[2] & 7;
    size_t at = fix == FIX_XADD && size == 1 && r >= 4 ? gpr(false, r - 4) + 1 : fix == FIX_XADD ? gpr(false, r) : 0;
    if (fix == FIX_BIT_FLAGS)
        before = flags_now(sb, false);
    if (fix == FIX_XADD)
        before = vex_assign(sb, type_of_size(size), IRExpr_Get((Int)at, type_of_size(size)));
    unsigned target = r | (h.rex & 1) << 3;
    bool to_register = op[2] >> 6 == 3;
    IRExpr *succeeds = NULL, *rax = NULL;
    if (fix == FIX_CMPXCHG)
        rax = get_gpr(sb, true, 0, 8);
    if (fix == FIX_CMPXCHG && to_register) {
        before = get_gpr(sb, true, target, 8);
        succeeds = vex_assign(sb, Ity_I1, IRExpr_Binop(Iop_CmpEQ32, get_gpr(sb, true, 0, 4), get_gpr(sb, true, target, 4)));
    }
    IRType word = is64 ? Ity_I64 : Ity_I32;
    if (fix == FIX_SHIFT)
        before = vex_assign(sb, word, IRExpr_Get((Int)(is64 ? AMD64(CC_NDEP) : X86(CC_NDEP)), word));
    if (fix == FIX_VECTOR_SHIFT) {
        IRExpr *upper = count_upper_half(sb, op + 2);
        succeeds = vex_assign(sb, Ity_I1, IRExpr_Binop(Iop_CmpEQ32, upper, constant(4, 0)));
        before = vex_assign(sb, Ity_V128, IRExpr_Get((Int)(X86(XMM0) + 16 * (op[2] >> 3 & 7)), Ity_V128));
    }
    size_t vector = AMD64(YMM0) + 32 * ((op[4] >> 3 & 7) | (op[1] & 0x80 ? 0 : 8));
    if (fix == FIX_FMA)
        before = vex_assign(sb, Ity_V128, IRExpr_Get((Int)vector, Ity_V128));
    if (fix == FIX_SELECTOR) {
        before = selector(sb, op[1] >> 3 & 7);
        first = sb->stmts_used;
    }

    struct vex_decoded d = (is64 ? disInstr_AMD64 : disInstr_X86)(sb, code, delta, address, arch, info, abi, host, diagnose);
    if (!d.length)
        return d;
    switch (fix) {
    case FIX_BIT_FLAGS: {
        IRExpr *carry = binary(sb, Iop_And8, 4, vex_assign(sb, Ity_I32, IRExpr_Get((Int)X86(CC_DEP1), Ity_I32)), constant(4, FLAG_C));
        IRExpr *others = binary(sb, Iop_And8, 4, before, constant(4, ~(ULong)FLAG_C));
        vex_put(sb, X86(CC_DEP1), binary(sb, Iop_Or8, 4, carry, others));
        break;
    }
    case FIX_XADD:
        vex_put(sb, at, binary(sb, Iop_Add8, size, before, before));
        break;
    case FIX_CMPXCHG:
        if (to_register)
            vex_put(sb, gpr(true, target),
                    vex_assign(sb, Ity_I64, IRExpr_ITE(succeeds, get_gpr(sb, true, target, 8), before)));
        if (!to_register || target != 0)
            keep_accumulator(sb, rax);
        break;
    case FIX_CPUID:
        cpuid_reads_subleaf(sb, first, is64);
        break;
    case FIX_SELECTOR:
        move_selector(sb, first, before);
        break;
    case FIX_SHIFT: /* the flags of a shift do not depend on it, those kept by a shift by nothing may */
        vex_put(sb, is64 ? AMD64(CC_NDEP) : X86(CC_NDEP), before);
        break;
    case FIX_VECTOR_SHIFT: {
        size_t destination = X86(XMM0) + 16 * (op[2] >> 3 & 7);
        IRExpr *shifted = vex_assign(sb, Ity_V128, IRExpr_Get((Int)destination, Ity_V128));
        vex_put(sb, destination, vex_assign(sb, Ity_V128, IRExpr_ITE(succeeds, shifted, shifted_out(sb, op[1], before))));
        break;
    }
    case FIX_FMA:
        vex_rewrite(sb, first, exact_negation);
        if (op[3] & 1 && op[3] % 16 >= 9) {
            bool is_double = op[2] & 0x80;
            IRType type = is_double ? Ity_I64 : Ity_I32;
            IRExpr *low = vex_assign(sb, type, IRExpr_Get((Int)vector, type));
            vex_put(sb, vector, vex_assign(sb, Ity_V128, IRExpr_Binop(is_double ? Iop_SetV128lo64 : Iop_SetV128lo32, before, low)));
        }
        break;
    case FIX_NONE:
        break;
    }
    return d;
}
