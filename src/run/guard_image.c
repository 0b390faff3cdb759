/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/guard.h"

#include "guard_images.h"

#ifndef HAVE_GUARD_AMD64
static const uint8_t guard_amd64[1];
#define HAVE_GUARD_AMD64 0
#endif
#ifndef HAVE_GUARD_X86
static const uint8_t guard_x86[1];
#define HAVE_GUARD_X86 0
#endif
#ifndef HAVE_GUARD_ARM
static const uint8_t guard_arm[1];
#define HAVE_GUARD_ARM 0
#endif
#ifndef HAVE_GUARD_ARM64
static const uint8_t guard_arm64[1];
#define HAVE_GUARD_ARM64 0
#endif

const uint8_t *guard_image(enum machine_arch arch, size_t *size)
{
    static const struct {
        const uint8_t *image;
        size_t size;
        bool have;
    } all[] = {
        [MACHINE_AMD64] = {guard_amd64, sizeof guard_amd64, HAVE_GUARD_AMD64},
        [MACHINE_X86] = {guard_x86, sizeof guard_x86, HAVE_GUARD_X86},
        [MACHINE_ARM] = {guard_arm, sizeof guard_arm, HAVE_GUARD_ARM},
        [MACHINE_ARM64] = {guard_arm64, sizeof guard_arm64, HAVE_GUARD_ARM64},
    };
    if (arch == MACHINE_NONE || !all[arch].have)
        return NULL;
    *size = all[arch].size;
    return all[arch].image;
}
