/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=elf_shnum_check function=elf_section kind=bound-check build=obj
 * strict: safe
 * analyst: safe
 * why: The section index is checked, and an entry size that is not the expected one is an error. */
#include <stddef.h>
#include <stdint.h>

struct elf {
    const uint8_t *image;
    size_t size;
    uint32_t shoff;
    uint16_t shentsize, shnum;
};

const uint8_t *elf_section(const struct elf *e, unsigned index)
{
    size_t at;

    if (e->shoff == 0)
        return NULL;
#ifdef PATCHED
    if (index >= e->shnum || e->shentsize != 64)
        return NULL;
#endif
    at = e->shoff + (size_t)index * 64;
    if (at + 64 < at || at + 64 > e->size)
        return NULL;
    return e->image + at;
}
