/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stubs: code that jumps through a GOT slot. A stub is named by decoding which slot it uses and asking which
 * relocation fills that slot; the order and size of entries (sh_entsize) is not trusted, linkers do not agree
 * on it. */
#include <elf.h>
#include <string.h>

#include "base/search.h"
#include "object/private.h"

static int slot_order(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (!x->name != !y->name)
        return x->name ? -1 : 1;
    return x->name ? strcmp(x->name, y->name) : 0;
}

static const struct slot *slot_at(const struct object *o, uint64_t address)
{
    size_t low = partition_point(o->slot.len, i, o->slot.data[i].address < address);
    return low < o->slot.len && o->slot.data[low].address == address ? &o->slot.data[low] : NULL;
}

/* What a decoder found: how long the stub is at least, and the slot it goes through. */
struct decoded {
    uint64_t slot;
    size_t length;
    bool sure; /* more than the bare indirect jump was seen: believable outside a PLT section too */
};

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool decode_x86(const struct object *o, const uint8_t *p, size_t n, uint64_t address,
                       struct decoded *d)
{
    bool amd64 = o->image.machine == EM_X86_64;
    size_t at = 0;
    bool landing = n >= 4 && p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && p[3] == (amd64 ? 0xfa : 0xfb);
    if (landing)
        at = 4;
    if (amd64 && n >= at + 7 && p[at] == 0x4c && p[at + 1] == 0x8b && p[at + 2] == 0x1d) {
        /* mov slot(%rip),%r11: the retpoline stubs of lld */
        d->slot = address + at + 7 + (uint64_t)(int64_t)(int32_t)le32(p + at + 3);
        d->length = at + 7;
        d->sure = true;
        return true;
    }
    if (amd64 && n > at && p[at] == 0xf2)
        at++;
    if (n < at + 6 || p[at] != 0xff)
        return false;
    uint64_t disp = le32(p + at + 2);
    if (p[at + 1] == 0x25)
        d->slot = amd64 ? address + at + 6 + (uint64_t)(int64_t)(int32_t)disp : disp;
    else if (p[at + 1] == 0xa3 && !amd64)
        d->slot = (o->dynamic.pltgot + disp) & UINT32_MAX;
    else
        return false;
    d->length = at + 6;
    const uint8_t *after = p + at + 6;
    size_t left = n - at - 6;
    bool pushes = left >= 1 && after[0] == 0x68, pads = left >= 2 && after[0] == 0x66 && after[1] == 0x90;
    d->sure = address % 8 == 0 && (landing || pushes || pads);
    return true;
}

static uint32_t arm_immediate(uint32_t insn)
{
    uint32_t imm = insn & 0xff, rotate = insn >> 8 & 15;
    return rotate ? imm >> 2 * rotate | imm << (32 - 2 * rotate) : imm;
}

static uint32_t thumb_movw_immediate(const uint8_t *p)
{
    uint32_t a = (uint32_t)p[0] | (uint32_t)p[1] << 8, b = (uint32_t)p[2] | (uint32_t)p[3] << 8;
    return (a & 15) << 12 | (a >> 10 & 1) << 11 | (b >> 12 & 7) << 8 | (b & 0xff);
}

static bool decode_arm(const uint8_t *p, size_t n, uint64_t address, struct decoded *d)
{
    d->sure = true;
    /* add ip, pc, #a; add ip, ip, #b [; add ip, ip, #c]; ldr pc, [ip, #d]! */
    if (n >= 12 && (le32(p) & 0xfffff000) == 0xe28fc000) {
        uint64_t ip = address + 8 + arm_immediate(le32(p));
        for (size_t at = 4; at <= 12 && at + 4 <= n; at += 4) {
            uint32_t insn = le32(p + at);
            if ((insn & 0xfffff000) == 0xe28cc000) {
                ip += arm_immediate(insn);
                continue;
            }
            if ((insn & 0xffdff000) != 0xe59cf000)
                return false;
            d->slot = (ip + (insn & 0xfff)) & UINT32_MAX;
            d->length = at + 4;
            return true;
        }
        return false;
    }
    /* ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip]; literal */
    if (n >= 16 && le32(p) == 0xe59fc004 && le32(p + 4) == 0xe08cc00f && le32(p + 8) == 0xe59cf000) {
        d->slot = (address + 12 + le32(p + 12)) & UINT32_MAX;
        d->length = 16;
        return true;
    }
    /* movw ip, #l; movt ip, #h; add ip, pc; ldr.w pc, [ip]: Thumb only */
    if (n >= 14 && p[1] == 0xf2 + (p[1] & 4) && (p[0] & 0xf0) == 0x40 && (p[3] & 15) == 12 &&
        (p[4] & 0xf0) == 0xc0 && p[5] == 0xf2 + (p[5] & 4) && (p[7] & 15) == 12 && p[8] == 0xfc &&
        p[9] == 0x44 && le32(p + 10) == 0xf000f8dc) {
        uint32_t offset = thumb_movw_immediate(p) | thumb_movw_immediate(p + 4) << 16;
        d->slot = (address + 8 + 4 + offset) & UINT32_MAX;
        d->length = 14;
        return true;
    }
    return false;
}

static bool decode_arm64(const uint8_t *p, size_t n, uint64_t address, struct decoded *d)
{
    size_t at = n >= 4 && le32(p) == 0xd503245f ? 4 : 0; /* bti c */
    if (n < at + 16)
        return false;
    uint32_t adrp = le32(p + at), ldr = le32(p + at + 4);
    /* adrp x16, page; ldr x17, [x16, #offset] */
    if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
        return false;
    uint64_t pages = (adrp >> 29 & 3) | (uint64_t)(adrp >> 5 & 0x7ffff) << 2;
    if (pages >> 20)
        pages |= ~UINT64_C(0) << 21;
    d->slot = ((address + at) & ~UINT64_C(0xfff)) + (pages << 12) + (ldr >> 10 & 0xfff) * 8;
    for (size_t end = at + 8; end + 4 <= n && end <= at + 20; end += 4) {
        if (le32(p + end) == 0xd61f0220) { /* br x17 */
            d->length = end + 4;
            d->sure = true;
            return true;
        }
    }
    return false;
}

static bool decode(const struct object *o, const uint8_t *p, size_t n, uint64_t address, struct decoded *d)
{
    switch (o->image.machine) {
    case EM_X86_64:
    case EM_386:
        return decode_x86(o, p, n, address, d);
    case EM_ARM:
        return decode_arm(p, n, address, d);
    case EM_AARCH64:
        return decode_arm64(p, n, address, d);
    default:
        return false;
    }
}

static void add_stub(struct object *o, uint64_t address, uint64_t size, const struct slot *s, uint8_t kind)
{
    vec_push(&o->stub, (struct object_stub){.address = address,
                                            .size = size,
                                            .slot = kind == STUB_GOT ? address : s->address,
                                            .name = s->name,
                                            .version = s->version,
                                            .target = s->target,
                                            .kind = kind,
                                            .ifunc = s->ifunc});
}

/* Looks for stubs in n bytes of code. `plt` says that the range is known to hold nothing else. */
static void scan(struct object *o, uint64_t address, uint64_t size, bool plt)
{
    size_t room;
    const uint8_t *p = object_bytes(o, address, &room);
    if (!p)
        return;
    if (size < room)
        room = size;
    bool x86 = o->image.machine == EM_X86_64 || o->image.machine == EM_386;
    uint64_t step = x86 ? (plt ? 1 : 8) : 4;
    size_t first = o->stub.len;
    for (size_t at = (size_t)(-address & (step - 1)); at < room;) {
        struct decoded d;
        const struct slot *s = NULL;
        if (decode(o, p + at, room - at, address + at, &d) && (plt || d.sure))
            s = slot_at(o, d.slot);
        if (!s) {
            at += step;
            continue;
        }
        /* bx pc; nop (or b .-2): the Thumb way into an ARM stub */
        if (o->image.machine == EM_ARM && at >= 4 &&
            (le32(p + at - 4) == 0x46c04778 || le32(p + at - 4) == 0xe7fd4778))
            add_stub(o, address + at - 4, 4, s, STUB_PLT);
        add_stub(o, address + at, d.length, s, STUB_PLT);
        at += (d.length + (size_t)step - 1) & ~((size_t)step - 1);
    }
    /* In a PLT a stub reaches to the next one: the padding and the lazy half belong to it. */
    for (size_t i = first; plt && i < o->stub.len; i++) {
        uint64_t end = i + 1 < o->stub.len ? o->stub.data[i + 1].address : address + room;
        if (end - o->stub.data[i].address <= 32)
            o->stub.data[i].size = end - o->stub.data[i].address;
    }
}

static int stub_order(const void *a, const void *b)
{
    const struct object_stub *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->kind - y->kind;
}

/* An IRELATIVE slot has no symbol, but the resolver it calls often does: the IFUNC itself. */
static void name_resolvers(struct object *o)
{
    struct map names = {0};
    for (size_t i = 0; i < o->symbol.len; i++)
        if (o->symbol.data[i].type == SYMBOL_IFUNC && !o->symbol.data[i].undefined)
            map_set(&names, o->symbol.data[i].address, i);
    for (size_t i = 0; i < o->slot.len; i++) {
        struct slot *s = &o->slot.data[i];
        uint64_t found;
        if (s->ifunc && !s->name && map_get(&names, s->target, &found)) {
            s->name = o->symbol.data[found].name;
            s->version = o->symbol.data[found].version;
        }
    }
    map_free(&names);
}

void stub_find(struct object *o)
{
    name_resolvers(o);
    vec_sort(&o->slot, slot_order);
    if (o->slot.len && !o->image.big_endian && o->info.type != OBJECT_RELOCATABLE) {
        bool sections = false;
        for (size_t i = 0; i < o->section.len; i++) {
            const struct object_section *s = &o->section.data[i];
            if (!s->exec || !s->alloc || s->nobits)
                continue;
            sections = true;
            if (!strncmp(s->name, ".plt", 4) || !strncmp(s->name, ".iplt", 5))
                scan(o, s->address, s->size, true);
        }
        for (size_t i = 0; !sections && i < o->region.len; i++)
            if (o->region.data[i].exec)
                scan(o, o->region.data[i].address, o->region.data[i].size, false);
    }
    for (size_t i = 0; i < o->slot.len; i++) {
        const struct slot *s = &o->slot.data[i];
        if (!s->data && (i == 0 || s[-1].address != s->address))
            add_stub(o, s->address, image_word_size(&o->image), s, STUB_GOT);
    }
    vec_sort(&o->stub, stub_order);
    size_t n = 0;
    for (size_t i = 0; i < o->stub.len; i++)
        if (n == 0 || o->stub.data[n - 1].address != o->stub.data[i].address)
            o->stub.data[n++] = o->stub.data[i];
    o->stub.len = n;
}

size_t object_stubs(const struct object *o, const struct object_stub **out)
{
    *out = o->stub.data;
    return o->stub.len;
}

size_t stub_lower(const struct object *o, uint64_t address)
{
    return partition_point(o->stub.len, i, o->stub.data[i].address < address);
}

const struct object_stub *object_stub_at(const struct object *o, uint64_t address)
{
    size_t i = stub_lower(o, address);
    return i < o->stub.len && o->stub.data[i].address == address ? &o->stub.data[i] : NULL;
}

const struct object_stub *object_extern_at(const struct object *o, uint64_t address, int64_t *offset)
{
    const struct rooms *r = &o->rooms;
    uint64_t at = address;
    if (address >= r->base && address < r->end && !map_get(&r->symbol, (address - r->base) / r->step, &at))
        return NULL;
    const struct object_stub *stub = object_stub_at(o, at);
    *offset = (int64_t)(address - at);
    return stub && stub->kind == STUB_EXTERN ? stub : NULL;
}

bool object_may_be_extern(const struct object *o, uint64_t address)
{
    return address >= o->rooms.base && address < o->rooms.end;
}
