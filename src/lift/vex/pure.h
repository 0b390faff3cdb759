/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pure functions that lifted code may call: the table behind lift_pures().
 *
 * First comes one uninterpreted function for each VEX operator ("vex:NAME", used for those without a meaning), so
 * that its index follows from the operator; then the named ones, sorted by name. Those named as a helper function of
 * libVEX compute what that helper does, by calling it. Some helpers take a wide argument in several words: their
 * function takes it whole (the words concatenated, the first one uppermost). */
#ifndef LIFT_VEX_PURE_H
#define LIFT_VEX_PURE_H

#include "lift/vex/vex.h"

/* X(enumerator, name, result width, number of arguments, argument widths...): sorted by name */
#define VEX_PURE_TABLE(X)                                                                                    \
    X(AMD64_CRC32B, "amd64g_calc_crc32b", 64, 2, 64, 64)                                                     \
    X(AMD64_CRC32L, "amd64g_calc_crc32l", 64, 2, 64, 64)                                                     \
    X(AMD64_CRC32Q, "amd64g_calc_crc32q", 64, 2, 64, 64)                                                     \
    X(AMD64_CRC32W, "amd64g_calc_crc32w", 64, 2, 64, 64)                                                     \
    X(AMD64_MPSADBW, "amd64g_calc_mpsadbw", 64, 5, 64, 64, 64, 64, 64)                                       \
    X(AMD64_FXAM, "amd64g_calculate_FXAM", 64, 2, 64, 64)                                                    \
    X(AMD64_RCL, "amd64g_calculate_RCL", 64, 4, 64, 64, 64, 64)                                              \
    X(AMD64_RCR, "amd64g_calculate_RCR", 64, 4, 64, 64, 64, 64)                                              \
    X(AMD64_PMADDWD, "amd64g_calculate_mmx_pmaddwd", 64, 2, 64, 64)                                          \
    X(AMD64_PSADBW, "amd64g_calculate_mmx_psadbw", 64, 2, 64, 64)                                            \
    X(AMD64_PCLMUL, "amd64g_calculate_pclmul", 64, 3, 64, 64, 64)                                            \
    X(AMD64_PDEP, "amd64g_calculate_pdep", 64, 2, 64, 64)                                                    \
    X(AMD64_PEXT, "amd64g_calculate_pext", 64, 2, 64, 64)                                                    \
    X(AMD64_PHMINPOSUW, "amd64g_calculate_sse_phminposuw", 64, 2, 64, 64)                                    \
    X(AMD64_CHECK_FLDCW, "amd64g_check_fldcw", 64, 1, 64)                                                    \
    X(AMD64_CHECK_LDMXCSR, "amd64g_check_ldmxcsr", 64, 1, 64)                                                \
    X(AMD64_CREATE_FPUCW, "amd64g_create_fpucw", 64, 1, 64)                                                  \
    X(AMD64_CREATE_MXCSR, "amd64g_create_mxcsr", 64, 1, 64)                                                  \
    X(ARM64_CRC32B, "arm64g_calc_crc32b", 64, 2, 64, 64)                                                     \
    X(ARM64_CRC32CB, "arm64g_calc_crc32cb", 64, 2, 64, 64)                                                   \
    X(ARM64_CRC32CH, "arm64g_calc_crc32ch", 64, 2, 64, 64)                                                   \
    X(ARM64_CRC32CW, "arm64g_calc_crc32cw", 64, 2, 64, 64)                                                   \
    X(ARM64_CRC32CX, "arm64g_calc_crc32cx", 64, 2, 64, 64)                                                   \
    X(ARM64_CRC32H, "arm64g_calc_crc32h", 64, 2, 64, 64)                                                     \
    X(ARM64_CRC32W, "arm64g_calc_crc32w", 64, 2, 64, 64)                                                     \
    X(ARM64_CRC32X, "arm64g_calc_crc32x", 64, 2, 64, 64)                                                     \
    X(ARM64_AESD, "arm64g_dirtyhelper_AESD", 128, 1, 128)                                                    \
    X(ARM64_AESE, "arm64g_dirtyhelper_AESE", 128, 1, 128)                                                    \
    X(ARM64_AESIMC, "arm64g_dirtyhelper_AESIMC", 128, 1, 128)                                                \
    X(ARM64_AESMC, "arm64g_dirtyhelper_AESMC", 128, 1, 128)                                                  \
    X(ARM64_PMULLQ, "arm64g_dirtyhelper_PMULLQ", 128, 2, 64, 64)                                             \
    X(ARM64_SHA1C, "arm64g_dirtyhelper_SHA1C", 128, 3, 128, 128, 128)                                        \
    X(ARM64_SHA1H, "arm64g_dirtyhelper_SHA1H", 128, 1, 128)                                                  \
    X(ARM64_SHA1M, "arm64g_dirtyhelper_SHA1M", 128, 3, 128, 128, 128)                                        \
    X(ARM64_SHA1P, "arm64g_dirtyhelper_SHA1P", 128, 3, 128, 128, 128)                                        \
    X(ARM64_SHA1SU0, "arm64g_dirtyhelper_SHA1SU0", 128, 3, 128, 128, 128)                                    \
    X(ARM64_SHA1SU1, "arm64g_dirtyhelper_SHA1SU1", 128, 2, 128, 128)                                         \
    X(ARM64_SHA256H, "arm64g_dirtyhelper_SHA256H", 128, 3, 128, 128, 128)                                    \
    X(ARM64_SHA256H2, "arm64g_dirtyhelper_SHA256H2", 128, 3, 128, 128, 128)                                  \
    X(ARM64_SHA256SU0, "arm64g_dirtyhelper_SHA256SU0", 128, 2, 128, 128)                                     \
    X(ARM64_SHA256SU1, "arm64g_dirtyhelper_SHA256SU1", 128, 3, 128, 128, 128)                                \
    X(ARM_RECIP_EST_F32, "arm:frecpe32", 32, 1, 32)                                                          \
    X(ARM_RECIP_EST_F64, "arm:frecpe64", 64, 1, 64)                                                          \
    X(ARM_RSQRT_EST_F32, "arm:frsqrte32", 32, 1, 32)                                                         \
    X(ARM_RSQRT_EST_F64, "arm:frsqrte64", 64, 1, 64)                                                         \
    X(ARM_RECIP_EST_U32, "arm:urecpe32", 32, 1, 32)                                                          \
    X(ARM_RSQRT_EST_U32, "arm:ursqrte32", 32, 1, 32)                                                         \
    X(ARM_AESD, "armg_dirtyhelper_AESD", 128, 1, 128)                                                        \
    X(ARM_AESE, "armg_dirtyhelper_AESE", 128, 1, 128)                                                        \
    X(ARM_AESIMC, "armg_dirtyhelper_AESIMC", 128, 1, 128)                                                    \
    X(ARM_AESMC, "armg_dirtyhelper_AESMC", 128, 1, 128)                                                      \
    X(ARM_SHA1C, "armg_dirtyhelper_SHA1C", 128, 3, 128, 128, 128)                                            \
    X(ARM_SHA1H, "armg_dirtyhelper_SHA1H", 128, 1, 128)                                                      \
    X(ARM_SHA1M, "armg_dirtyhelper_SHA1M", 128, 3, 128, 128, 128)                                            \
    X(ARM_SHA1P, "armg_dirtyhelper_SHA1P", 128, 3, 128, 128, 128)                                            \
    X(ARM_SHA1SU0, "armg_dirtyhelper_SHA1SU0", 128, 3, 128, 128, 128)                                        \
    X(ARM_SHA1SU1, "armg_dirtyhelper_SHA1SU1", 128, 2, 128, 128)                                             \
    X(ARM_SHA256H, "armg_dirtyhelper_SHA256H", 128, 3, 128, 128, 128)                                        \
    X(ARM_SHA256H2, "armg_dirtyhelper_SHA256H2", 128, 3, 128, 128, 128)                                      \
    X(ARM_SHA256SU0, "armg_dirtyhelper_SHA256SU0", 128, 2, 128, 128)                                         \
    X(ARM_SHA256SU1, "armg_dirtyhelper_SHA256SU1", 128, 3, 128, 128, 128)                                    \
    X(ARM_VMULLP64, "armg_dirtyhelper_VMULLP64", 128, 2, 64, 64)                                             \
    X(X86_AESDEC, "x86:aesdec", 128, 2, 128, 128)                                                            \
    X(X86_AESDECLAST, "x86:aesdeclast", 128, 2, 128, 128)                                                    \
    X(X86_AESENC, "x86:aesenc", 128, 2, 128, 128)                                                            \
    X(X86_AESENCLAST, "x86:aesenclast", 128, 2, 128, 128)                                                    \
    X(X86_AESIMC, "x86:aesimc", 128, 1, 128)                                                                 \
    X(X86_AESKEYGENASSIST, "x86:aeskeygenassist", 128, 2, 128, 8)                                            \
    X(X86_PCMPXSTRX, "x86:pcmpxstrx", 64, 5, 128, 128, 64, 64, 64)                                           \
    X(X86_PCMPXSTRX_XMM0, "x86:pcmpxstrx.xmm0", 128, 5, 128, 128, 64, 64, 64)                                \
    X(X86_RCPSS, "x86:rcpss", 32, 1, 32)                                                                     \
    X(X86_RSQRTSS, "x86:rsqrtss", 32, 1, 32)                                                                 \
    X(X86AMD64_FXTRACT, "x86amd64g_calculate_FXTRACT", 64, 2, 64, 64)                                        \
    X(X86_FXAM, "x86g_calculate_FXAM", 32, 2, 32, 64)                                                        \
    X(X86_RCL, "x86g_calculate_RCL", 64, 4, 32, 32, 32, 32)                                                  \
    X(X86_RCR, "x86g_calculate_RCR", 64, 4, 32, 32, 32, 32)                                                  \
    X(X86_AAD_AAM, "x86g_calculate_aad_aam", 32, 2, 32, 32)                                                  \
    X(X86_DAA_DAS_AAA_AAS, "x86g_calculate_daa_das_aaa_aas", 32, 2, 32, 32)                                  \
    X(X86_PMADDWD, "x86g_calculate_mmx_pmaddwd", 64, 2, 64, 64)                                              \
    X(X86_PSADBW, "x86g_calculate_mmx_psadbw", 64, 2, 64, 64)                                                \
    X(X86_CHECK_FLDCW, "x86g_check_fldcw", 64, 1, 32)                                                        \
    X(X86_CHECK_LDMXCSR, "x86g_check_ldmxcsr", 64, 1, 32)                                                    \
    X(X86_CREATE_FPUCW, "x86g_create_fpucw", 32, 1, 32)                                                      \
    X(X86_CREATE_MXCSR, "x86g_create_mxcsr", 32, 1, 32)                                                      \
    X(X87_2XM1, "x87:2xm1", 64, 2, 32, 64)                                                                   \
    X(X87_ATAN, "x87:atan", 64, 3, 32, 64, 64)                                                               \
    X(X87_COS, "x87:cos", 64, 2, 32, 64)                                                                     \
    X(X87_F64_TO_F80, "x87:f64to80", 80, 1, 64)                                                              \
    X(X87_F80_TO_F64, "x87:f80to64", 64, 1, 80)                                                              \
    X(X87_PREM, "x87:prem", 64, 3, 32, 64, 64)                                                               \
    X(X87_PREM_FLAGS, "x87:prem.flags", 32, 3, 32, 64, 64)                                                   \
    X(X87_PREM1, "x87:prem1", 64, 3, 32, 64, 64)                                                             \
    X(X87_PREM1_FLAGS, "x87:prem1.flags", 32, 3, 32, 64, 64)                                                 \
    X(X87_SCALE, "x87:scale", 64, 3, 32, 64, 64)                                                             \
    X(X87_SIN, "x87:sin", 64, 2, 32, 64)                                                                     \
    X(X87_TAN, "x87:tan", 64, 2, 32, 64)                                                                     \
    X(X87_YL2X, "x87:yl2x", 64, 3, 32, 64, 64)                                                               \
    X(X87_YL2XP1, "x87:yl2xp1", 64, 3, 32, 64, 64)

enum vex_pure {
    VEX_PURE_BEFORE_ = Iop_LAST - Iop_INVALID - 1,
#define VEX_PURE_ENUM(id, ...) VEX_PURE_##id,
    VEX_PURE_TABLE(VEX_PURE_ENUM)
#undef VEX_PURE_ENUM
    VEX_PURE_COUNT_
};

/* The index of a named function; -1 when there is none of that name. */
int vex_pure_index(const char *name);

/* The index of the uninterpreted function that stands for an operator. */
static inline unsigned vex_pure_of_op(IROp op)
{
    return (unsigned)(op - Iop_INVALID);
}

/* What function `index` means in operators; IR_NONE when it is better left whole. */
ir_val vex_pure_lower(struct vex_ctx *c, unsigned index, const ir_val *arg);

/* Emits table entry `index` applied to values of the widths the table says: its meaning in operators if there is
 * one, else a call. */
ir_val vex_pure_call(struct vex_ctx *c, unsigned index, const ir_val *arg, unsigned nargs);

#endif
