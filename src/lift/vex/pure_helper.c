/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions computed by libVEX's own helpers. Their prototypes are in VEX's private headers (priv/guest_*_defs.h), so
 * they are repeated here; all of them exist in valgrind 3.19 to 3.24. */
#include "lift/vex/pure_eval.h"

#include <string.h>

#include <libvex_guest_amd64.h>

static uint64_t low(struct bits x)
{
    return x.w[0];
}

/* ---- clean helpers: words in, word out ---- */

#define HELPER1(id, fn, type, width)                                                                         \
    type fn(type a);                                                                                         \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        return bits_u64(fn((type)low(a[0])), width);                                                         \
    }

#define HELPER2(id, fn)                                                                                      \
    ULong fn(ULong a, ULong b);                                                                              \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        return bits_u64(fn(low(a[0]), low(a[1])), 64);                                                       \
    }

HELPER2(AMD64_CRC32B, amd64g_calc_crc32b)
HELPER2(AMD64_CRC32W, amd64g_calc_crc32w)
HELPER2(AMD64_CRC32L, amd64g_calc_crc32l)
HELPER2(AMD64_CRC32Q, amd64g_calc_crc32q)
HELPER2(AMD64_FXAM, amd64g_calculate_FXAM)
HELPER2(AMD64_PMADDWD, amd64g_calculate_mmx_pmaddwd)
HELPER2(AMD64_PSADBW, amd64g_calculate_mmx_psadbw)
HELPER2(AMD64_PDEP, amd64g_calculate_pdep)
HELPER2(AMD64_PEXT, amd64g_calculate_pext)
HELPER2(AMD64_PHMINPOSUW, amd64g_calculate_sse_phminposuw)
HELPER2(ARM64_CRC32B, arm64g_calc_crc32b)
HELPER2(ARM64_CRC32H, arm64g_calc_crc32h)
HELPER2(ARM64_CRC32W, arm64g_calc_crc32w)
HELPER2(ARM64_CRC32X, arm64g_calc_crc32x)
HELPER2(ARM64_CRC32CB, arm64g_calc_crc32cb)
HELPER2(ARM64_CRC32CH, arm64g_calc_crc32ch)
HELPER2(ARM64_CRC32CW, arm64g_calc_crc32cw)
HELPER2(ARM64_CRC32CX, arm64g_calc_crc32cx)
HELPER2(X86_PMADDWD, x86g_calculate_mmx_pmaddwd)
HELPER2(X86_PSADBW, x86g_calculate_mmx_psadbw)

HELPER1(AMD64_CHECK_FLDCW, amd64g_check_fldcw, ULong, 64)
HELPER1(AMD64_CHECK_LDMXCSR, amd64g_check_ldmxcsr, ULong, 64)
HELPER1(X86_CREATE_FPUCW, x86g_create_fpucw, UInt, 32)
HELPER1(X86_CREATE_MXCSR, x86g_create_mxcsr, UInt, 32)

ULong amd64g_create_fpucw(ULong fpround);
struct bits vex_eval_AMD64_CREATE_FPUCW(const struct bits *a)
{
    return bits_u64(amd64g_create_fpucw(low(a[0]) & 3), 64);
}

ULong amd64g_create_mxcsr(ULong sseround);
struct bits vex_eval_AMD64_CREATE_MXCSR(const struct bits *a)
{
    return bits_u64(amd64g_create_mxcsr(low(a[0]) & 3), 64);
}

ULong x86g_check_fldcw(UInt fpucw);
struct bits vex_eval_X86_CHECK_FLDCW(const struct bits *a)
{
    return bits_u64(x86g_check_fldcw((UInt)low(a[0])), 64);
}

ULong x86g_check_ldmxcsr(UInt mxcsr);
struct bits vex_eval_X86_CHECK_LDMXCSR(const struct bits *a)
{
    return bits_u64(x86g_check_ldmxcsr((UInt)low(a[0])), 64);
}

ULong amd64g_calculate_pclmul(ULong a, ULong b, ULong which);
struct bits vex_eval_AMD64_PCLMUL(const struct bits *a)
{
    return bits_u64(amd64g_calculate_pclmul(low(a[0]), low(a[1]), low(a[2])), 64);
}

ULong amd64g_calc_mpsadbw(ULong s_high, ULong s_low, ULong d_high, ULong d_low, ULong control);
struct bits vex_eval_AMD64_MPSADBW(const struct bits *a)
{
    return bits_u64(amd64g_calc_mpsadbw(low(a[0]), low(a[1]), low(a[2]), low(a[3]), low(a[4])), 64);
}

UInt x86g_calculate_FXAM(UInt tag, ULong dbl);
struct bits vex_eval_X86_FXAM(const struct bits *a)
{
    return bits_u64(x86g_calculate_FXAM((UInt)low(a[0]), low(a[1])), 32);
}

ULong x86amd64g_calculate_FXTRACT(ULong arg, HWord get_exponent);
struct bits vex_eval_X86AMD64_FXTRACT(const struct bits *a)
{
    return bits_u64(x86amd64g_calculate_FXTRACT(low(a[0]), low(a[1])), 64);
}

/* The helpers below stop the process on operand sizes and opcodes that no front end passes; an interpreter fed by
 * hand must survive them, so these give 0. */

static bool is_operand_size(uint64_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

#define AMD64_ROTATE(id, fn)                                                                                 \
    ULong fn(ULong arg, ULong amount, ULong flags, Long size);                                               \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        bool good = is_operand_size(low(a[3])) || is_operand_size(-low(a[3]));                               \
        return bits_u64(good ? fn(low(a[0]), low(a[1]), low(a[2]), (Long)low(a[3])) : 0, 64);                \
    }

#define X86_ROTATE(id, fn)                                                                                   \
    ULong fn(UInt arg, UInt amount, UInt flags, UInt size);                                                  \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        bool good = is_operand_size(low(a[3])) && low(a[3]) != 8;                                            \
        return bits_u64(                                                                                     \
            good ? fn((UInt)low(a[0]), (UInt)low(a[1]), (UInt)low(a[2]), (UInt)low(a[3])) : 0, 64);          \
    }

AMD64_ROTATE(AMD64_RCL, amd64g_calculate_RCL)
AMD64_ROTATE(AMD64_RCR, amd64g_calculate_RCR)
X86_ROTATE(X86_RCL, x86g_calculate_RCL)
X86_ROTATE(X86_RCR, x86g_calculate_RCR)

UInt x86g_calculate_daa_das_aaa_aas(UInt flags_and_ax, UInt opcode);
struct bits vex_eval_X86_DAA_DAS_AAA_AAS(const struct bits *a)
{
    uint64_t opcode = low(a[1]);
    bool good = opcode == 0x27 || opcode == 0x2f || opcode == 0x37 || opcode == 0x3f;
    return bits_u64(good ? x86g_calculate_daa_das_aaa_aas((UInt)low(a[0]), (UInt)opcode) : 0, 32);
}

UInt x86g_calculate_aad_aam(UInt flags_and_ax, UInt opcode);
struct bits vex_eval_X86_AAD_AAM(const struct bits *a)
{
    uint64_t opcode = low(a[1]);
    bool good = opcode == 0xd4 || opcode == 0xd5;
    return bits_u64(good ? x86g_calculate_aad_aam((UInt)low(a[0]), (UInt)opcode) : 0, 32);
}

/* ---- Arm's cryptographic instructions: helpers that write a vector through a pointer ---- */

static struct bits from_v128(const V128 *v)
{
    struct bits r = {{v->w64[0], v->w64[1]}};
    return r;
}

#define ARM64_VECTOR1(id, fn)                                                                                \
    void fn(V128 *result, ULong high, ULong low);                                                            \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        V128 r;                                                                                              \
        fn(&r, a[0].w[1], a[0].w[0]);                                                                        \
        return from_v128(&r);                                                                                \
    }

#define ARM64_VECTOR2(id, fn)                                                                                \
    void fn(V128 *result, ULong d1, ULong d0, ULong n1, ULong n0);                                           \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        V128 r;                                                                                              \
        fn(&r, a[0].w[1], a[0].w[0], a[1].w[1], a[1].w[0]);                                                  \
        return from_v128(&r);                                                                                \
    }

#define ARM64_VECTOR3(id, fn)                                                                                \
    void fn(V128 *result, ULong d1, ULong d0, ULong n1, ULong n0, ULong m1, ULong m0);                       \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        V128 r;                                                                                              \
        fn(&r, a[0].w[1], a[0].w[0], a[1].w[1], a[1].w[0], a[2].w[1], a[2].w[0]);                            \
        return from_v128(&r);                                                                                \
    }

ARM64_VECTOR1(ARM64_AESD, arm64g_dirtyhelper_AESD)
ARM64_VECTOR1(ARM64_AESE, arm64g_dirtyhelper_AESE)
ARM64_VECTOR1(ARM64_AESIMC, arm64g_dirtyhelper_AESIMC)
ARM64_VECTOR1(ARM64_AESMC, arm64g_dirtyhelper_AESMC)
ARM64_VECTOR2(ARM64_SHA1SU1, arm64g_dirtyhelper_SHA1SU1)
ARM64_VECTOR2(ARM64_SHA256SU0, arm64g_dirtyhelper_SHA256SU0)
ARM64_VECTOR3(ARM64_SHA1SU0, arm64g_dirtyhelper_SHA1SU0)
ARM64_VECTOR3(ARM64_SHA256H, arm64g_dirtyhelper_SHA256H)
ARM64_VECTOR3(ARM64_SHA256H2, arm64g_dirtyhelper_SHA256H2)
ARM64_VECTOR3(ARM64_SHA256SU1, arm64g_dirtyhelper_SHA256SU1)

/* These read a single word of Vn, and the helpers insist that it comes alone. */
#define ARM64_HASH(id, fn)                                                                                   \
    void fn(V128 *result, ULong d1, ULong d0, ULong n1, ULong n0, ULong m1, ULong m0);                       \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        V128 r;                                                                                              \
        fn(&r, a[0].w[1], a[0].w[0], 0, (uint32_t)a[1].w[0], a[2].w[1], a[2].w[0]);                          \
        return from_v128(&r);                                                                                \
    }

ARM64_HASH(ARM64_SHA1C, arm64g_dirtyhelper_SHA1C)
ARM64_HASH(ARM64_SHA1M, arm64g_dirtyhelper_SHA1M)
ARM64_HASH(ARM64_SHA1P, arm64g_dirtyhelper_SHA1P)

void arm64g_dirtyhelper_SHA1H(V128 *result, ULong n1, ULong n0);
struct bits vex_eval_ARM64_SHA1H(const struct bits *a)
{
    V128 r;
    arm64g_dirtyhelper_SHA1H(&r, 0, (uint32_t)a[0].w[0]);
    return from_v128(&r);
}

void arm64g_dirtyhelper_PMULLQ(V128 *result, ULong a, ULong b);
struct bits vex_eval_ARM64_PMULLQ(const struct bits *a)
{
    V128 r;
    arm64g_dirtyhelper_PMULLQ(&r, low(a[0]), low(a[1]));
    return from_v128(&r);
}

/* The same instructions of 32-bit Arm compute the same; their helpers only take smaller words. */
#define SAME_AS(id, other)                                                                                   \
    struct bits vex_eval_##id(const struct bits *a)                                                          \
    {                                                                                                        \
        return vex_eval_##other(a);                                                                          \
    }

SAME_AS(ARM_AESD, ARM64_AESD)
SAME_AS(ARM_AESE, ARM64_AESE)
SAME_AS(ARM_AESIMC, ARM64_AESIMC)
SAME_AS(ARM_AESMC, ARM64_AESMC)
SAME_AS(ARM_SHA1C, ARM64_SHA1C)
SAME_AS(ARM_SHA1H, ARM64_SHA1H)
SAME_AS(ARM_SHA1M, ARM64_SHA1M)
SAME_AS(ARM_SHA1P, ARM64_SHA1P)
SAME_AS(ARM_SHA1SU0, ARM64_SHA1SU0)
SAME_AS(ARM_SHA1SU1, ARM64_SHA1SU1)
SAME_AS(ARM_SHA256H, ARM64_SHA256H)
SAME_AS(ARM_SHA256H2, ARM64_SHA256H2)
SAME_AS(ARM_SHA256SU0, ARM64_SHA256SU0)
SAME_AS(ARM_SHA256SU1, ARM64_SHA256SU1)
SAME_AS(ARM_VMULLP64, ARM64_PMULLQ)

/* ---- x86 instructions whose helpers work on a guest state: a state of our own with the operands in it ---- */

void amd64g_dirtyhelper_AES(VexGuestAMD64State *state, HWord opcode, HWord d, HWord l, HWord r);
void amd64g_dirtyhelper_AESKEYGENASSIST(VexGuestAMD64State *state, HWord imm, HWord l, HWord r);

enum {
    XMM0 = offsetof(VexGuestAMD64State, guest_YMM0),
    XMM1 = offsetof(VexGuestAMD64State, guest_YMM1),
    XMM2 = offsetof(VexGuestAMD64State, guest_YMM2),
};

static void put(VexGuestAMD64State *state, unsigned offset, struct bits x)
{
    bits_to_bytes(x, (uint8_t *)state + offset, 16);
}

static struct bits get(const VexGuestAMD64State *state, unsigned offset)
{
    return bits_from_bytes((const uint8_t *)state + offset, 16);
}

/* The state (the block being transformed) is VEX's right operand, the round key its left one. */
static struct bits aes(unsigned opcode, struct bits block, struct bits key)
{
    VexGuestAMD64State state;
    memset(&state, 0, sizeof state);
    put(&state, XMM1, key);
    put(&state, XMM2, block);
    amd64g_dirtyhelper_AES(&state, opcode, XMM0, XMM1, XMM2);
    return get(&state, XMM0);
}

struct bits vex_eval_X86_AESENC(const struct bits *a)
{
    return aes(0xdc, a[0], a[1]);
}

struct bits vex_eval_X86_AESENCLAST(const struct bits *a)
{
    return aes(0xdd, a[0], a[1]);
}

struct bits vex_eval_X86_AESDEC(const struct bits *a)
{
    return aes(0xde, a[0], a[1]);
}

struct bits vex_eval_X86_AESDECLAST(const struct bits *a)
{
    return aes(0xdf, a[0], a[1]);
}

struct bits vex_eval_X86_AESIMC(const struct bits *a)
{
    return aes(0xdb, a[0], a[0]);
}

struct bits vex_eval_X86_AESKEYGENASSIST(const struct bits *a)
{
    VexGuestAMD64State state;
    memset(&state, 0, sizeof state);
    put(&state, XMM1, a[0]);
    amd64g_dirtyhelper_AESKEYGENASSIST(&state, low(a[1]), XMM1, XMM0);
    return get(&state, XMM0);
}

/* PCMPESTRI, PCMPESTRM, PCMPISTRI, PCMPISTRM: arguments are the two strings (destination operand first), opcode byte
 * << 8 | immediate, rdx, rax. What is computed is what the dirty helper leaves: flags in bits 0 to 15 and ecx above
 * for the index forms, or xmm0 for the mask forms. libVEX's own functions are wrong for some immediates, so this follows the
 * Intel SDM, volume 2, section 4.1. */

struct packed_string {
    struct bits v;
    unsigned valid; /* elements before its end */
};

static int64_t element(const struct packed_string *s, unsigned i, unsigned imm)
{
    unsigned width = imm & 1 ? 16 : 8;
    uint64_t x = low(bits_mask(bits_lshr(s->v, i * width), width));
    return imm & 2 ? (int64_t)(x << (64 - width)) >> (64 - width) : (int64_t)x;
}

static unsigned valid_implicit(const struct packed_string *s, unsigned n, unsigned imm)
{
    unsigned i = 0;
    while (i < n && element(s, i, imm) != 0)
        i++;
    return i;
}

static unsigned valid_explicit(uint64_t length_register, unsigned n)
{
    int64_t length = (int32_t)length_register;
    if (length < 0)
        length = -length;
    return length > n ? n : (unsigned)length;
}

enum { ANY, RANGES, EACH, ORDERED };

/* Bit j of the intermediate result: what is found for element j of b (`a` is the set, the ranges or the needle). */
static bool aggregate(const struct packed_string *a, const struct packed_string *b, unsigned j, unsigned n, unsigned imm)
{
    switch (imm >> 2 & 3) {
    case ANY:
        for (unsigned i = 0; i < a->valid && j < b->valid; i++)
            if (element(a, i, imm) == element(b, j, imm))
                return true;
        return false;
    case RANGES:
        for (unsigned i = 0; i + 1 < a->valid && j < b->valid; i += 2)
            if (element(a, i, imm) <= element(b, j, imm) && element(b, j, imm) <= element(a, i + 1, imm))
                return true;
        return false;
    case EACH:
        return j < a->valid && j < b->valid ? element(a, j, imm) == element(b, j, imm) : j >= a->valid && j >= b->valid;
    default:
        for (unsigned i = 0; i < a->valid && i + j < n; i++)
            if (i + j >= b->valid || element(a, i, imm) != element(b, i + j, imm))
                return false;
        return true;
    }
}

static ULong compare_strings(const struct bits *arg, struct bits *result)
{
    unsigned imm = (unsigned)low(arg[2]) & 0xff, opcode = (unsigned)(low(arg[2]) >> 8) & 0xff, n = imm & 1 ? 8 : 16, found = 0;
    bool implicit = opcode & 2, is_mask = !(opcode & 1);
    struct packed_string a = {.v = arg[0]}, b = {.v = arg[1]};
    a.valid = implicit ? valid_implicit(&a, n, imm) : valid_explicit(low(arg[4]), n);
    b.valid = implicit ? valid_implicit(&b, n, imm) : valid_explicit(low(arg[3]), n);
    for (unsigned j = 0; j < n; j++) {
        bool negate = (imm & 0x10) && (!(imm & 0x20) || j < b.valid);
        if (aggregate(&a, &b, j, n, imm) != negate)
            found |= 1u << j;
    }
    unsigned flags = (found != 0) | (b.valid < n) << 6 | (a.valid < n) << 7 | (found & 1) << 11, width = 128 / n;
    unsigned index = !found ? n : imm & 0x40 ? 31 - (unsigned)__builtin_clz(found) : (unsigned)__builtin_ctz(found);
    *result = bits_u64(found, 64);
    if (imm & 0x40) {
        *result = (struct bits){{0}};
        for (unsigned j = 0; j < n; j++)
            if (found >> j & 1)
                *result = bits_add(*result, bits_shl(bits_ones(width), j * width));
    }
    return (ULong)(is_mask ? 0 : index) << 16 | flags;
}

struct bits vex_eval_X86_PCMPXSTRX(const struct bits *a)
{
    struct bits result;
    return bits_u64(compare_strings(a, &result), 64);
}

struct bits vex_eval_X86_PCMPXSTRX_XMM0(const struct bits *a)
{
    struct bits result;
    compare_strings(a, &result);
    return result;
}
