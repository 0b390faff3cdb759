/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/guard.h"

#include "guard_images.h"

const uint8_t *guard_image(enum machine_arch arch, size_t *size)
{
    /* An image that no compiler was there for is a single zero byte (embed.py). */
    static const struct {
        const uint8_t *image;
        size_t size;
    } all[] = {
        [MACHINE_AMD64] = {guard_amd64, sizeof guard_amd64},
        [MACHINE_X86] = {guard_x86, sizeof guard_x86},
        [MACHINE_ARM] = {guard_arm, sizeof guard_arm},
        [MACHINE_ARM64] = {guard_arm64, sizeof guard_arm64},
    };
    if (arch == MACHINE_NONE || all[arch].size == 1)
        return NULL;
    *size = all[arch].size;
    return all[arch].image;
}
