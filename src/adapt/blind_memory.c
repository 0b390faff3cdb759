/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What memory has in it before a blind run: the file as it is loaded, and around it what the test's scene
 * says. */
#include <stdlib.h>
#include <string.h>

#include "adapt/blind.h"

static uint64_t others_from(const struct world *w)
{
    return w->m->pointer_width == 64 ? UINT64_C(0x7f6600000000) : 0xa0000000;
}

struct region {
    uint64_t low, size;
};

/* Where `where` lies; nothing is said of OUTSIDE. */
static struct region region_of(const struct world *w, enum blind_where where)
{
    uint64_t below = w->m->pointer_width == 64 ? 1 << 28 : 1 << 24;
    switch (where) {
    case IN_IMAGE:
        return (struct region){w->low, w->high - w->low};
    case IN_STACK:
        return (struct region){guest_stack(w->m) - below, below + (1 << 16)};
    case IN_THREAD:
        return (struct region){guest_thread(w->m) - 0x10000, 0x20000};
    case IN_OTHER_FILES:
        return (struct region){others_from(w), (uint64_t)w->nexternal << EXTERN_BITS};
    case FROM_KERNEL:
        return w->m->pointer_width == 64 ? (struct region){BLIND_HEAP, UINT64_C(1) << BLIND_KERNEL_BITS}
                                         : (struct region){0};
    case OUTSIDE:
        break;
    }
    return (struct region){0};
}

bool blind_in_stack(const struct world *w, uint64_t address)
{
    struct region r = region_of(w, IN_STACK);
    return address - r.low < r.size;
}

enum blind_where blind_where(const struct world *w, uint64_t address)
{
    for (enum blind_where i = IN_IMAGE; i < OUTSIDE; i++) {
        struct region r = region_of(w, i);
        if (address - r.low < r.size)
            return i;
    }
    return OUTSIDE;
}

bool blind_is_far(const struct world *w, uint64_t address)
{
    /* an index may be of 32 bits, and of words; of 32 bits every address is in reach of any other */
    const uint64_t reach = UINT64_C(1) << 40, ones = word_ones(w->m->pointer_width);
    if (w->m->pointer_width < 64)
        return address < NULL_PAGES << PAGE_BITS;
    for (enum blind_where i = IN_IMAGE; i < OUTSIDE; i++) {
        struct region r = region_of(w, i);
        if (r.size && ((address + reach - r.low) & ones) < r.size + 2 * reach)
            return false;
    }
    return true;
}

/* Where an object of another file is: somewhere. */
static uint64_t external_address(struct world *w, const char *name)
{
    uint64_t i;
    if (!strmap_get(&w->external, name, &i)) {
        i = w->nexternal++;
        strmap_set(&w->external, name, i);
    }
    return others_from(w) + (i << EXTERN_BITS);
}

/* What the dynamic linker puts at a word of the file, if anything. *unknown: nobody knows. */
static bool linked_word(struct world *w, uint64_t address, uint64_t *at, uint64_t *value, bool *unknown)
{
    unsigned unit = w->m->pointer_width / 8;
    const struct object_pointer *ptr;
    size_t n = object_pointers(w->o, &ptr);
    size_t i = object_pointers_before(w->o, address < unit ? 0 : address - unit + 1);
    *unknown = false;
    if (i < n && ptr[i].address <= address) {
        *at = ptr[i].address;
        if (ptr[i].other) {
            *unknown = strcmp(ptr[i].name, "tpoff:") != 0;
            *value = (uint64_t)ptr[i].addend - TLS_SIZE;
        } else if (ptr[i].name) {
            *value = external_address(w, ptr[i].name) + (uint64_t)ptr[i].addend;
        } else {
            *value = (ptr[i].target | ptr[i].thumb) + w->guest.bias;
        }
        return true;
    }
    const struct object_stub *stub = object_stub_at(w->o, address);
    if (!stub || stub->kind != STUB_GOT || address - stub->address >= unit)
        return false;
    *at = stub->address;
    *unknown = stub->ifunc || (!stub->target && !stub->name);
    *value = stub->target ? stub->target + w->guest.bias : stub->name ? external_address(w, stub->name) : 0;
    return true;
}

static uint8_t image_byte(struct world *w, uint64_t address)
{
    uint64_t at, value;
    bool unknown;
    uint8_t byte = 0;
    if (w->single && address == w->single)
        return 1;
    if (linked_word(w, address, &at, &value, &unknown))
        return (uint8_t)(value >> (address - at) * 8);
    object_read(w->o, address, &byte, 1);
    return byte;
}

/* The C library's data of a thread begins with its own address, and has it again (tcbhead_t). What a thread's
 * variables start with is in the file. */
static uint8_t thread_byte(struct world *w, uint64_t address)
{
    uint64_t base = guest_thread(w->m);
    const struct object_load *load = object_load(w->o);
    unsigned unit = w->m->pointer_width / 8;
    bool x86 = w->m->arch == MACHINE_AMD64 || w->m->arch == MACHINE_X86;
    for (unsigned again = 0; x86 && again < 2; again++)
        if (address - base - again * 2 * unit < unit)
            return (uint8_t)(base >> (address - base - again * 2 * unit) * 8);
    uint64_t offset = address - (base - TLS_SIZE);
    return load->has_tls && offset < load->tls_file_size ? image_byte(w, load->tls_address + offset) : 0;
}

/* What a word has in it that is a pointer: hardly another word has it, nor, where pointers are wide, one in
 * another test. */
static uint64_t pointer_in(const struct side *s, uint64_t address)
{
    uint64_t some = hash_u64(address), seed = s->scene.seed;
    return s->w->m->pointer_width == 64 ? UINT64_C(0x200000000000) + (seed << 37) + (some & 0xffffff) * 0x1000
                                        : 0x80000000 + (some & 0xffff) * 0x1000;
}

static uint8_t pointer_byte(const struct side *s, uint64_t address)
{
    uint64_t at = address & ~(uint64_t)(s->w->m->pointer_width / 8 - 1);
    return (uint8_t)(pointer_in(s, at) >> (address - at) * 8);
}

/* Texts of digits, one where each argument may lead: too many, or in every second test fewer; some have a
 * sign. */
static uint8_t digit(unsigned seed, uint64_t page, uint64_t n)
{
    enum { EVERY = 0x70, MANY = 40, FEWER = 13 };
    uint64_t at = n % EVERY;
    if (at == 0 && n / EVERY % 4 == 1)
        return '-';
    return at < (seed % 2 ? FEWER : MANY) ? (uint8_t)('1' + (page + at) % 9) : 0;
}

static uint8_t content_byte(const struct side *s, enum content content, uint64_t address)
{
    const unsigned unit = s->w->m->pointer_width / 8;
    switch (content) {
    case CONTENT_ZEROES:
        return 0;
    case CONTENT_NUMBERS:
        return address % 4 == 0 ? (uint8_t)((address >> 2) + 1) % 4 : 0;
    case CONTENT_TEXTS:
        return address % 8 != 7 ? (uint8_t)('1' + (address >> PAGE_BITS) % 9) : 0;
    case CONTENT_POINTERS: {
        bool first = (address & word_ones(PAGE_BITS)) < unit;
        return first ? 0 : pointer_byte(s, address);
    }
    case CONTENT_DIGITS:
        return digit(s->scene.seed, address >> PAGE_BITS, address & word_ones(PAGE_BITS));
    case CONTENT_WIDE:
        return address % 4 ? 0
                           : digit(s->scene.seed, address >> PAGE_BITS, (address & word_ones(PAGE_BITS)) / 4);
    default:
        break;
    }
    uint64_t page = hash_u64((address >> PAGE_BITS) * 31 + s->scene.seed),
             word = hash_u64(address / unit + page);
    if (page % 3)
        return content_byte(s, page % 3 == 1 ? CONTENT_TEXTS : CONTENT_NUMBERS, address);
    return word % 2 ? pointer_byte(s, address) : address % unit ? 0 : (uint8_t)(word >> 8) % 32;
}

static uint8_t outside_byte(const struct side *s, uint64_t address)
{
    for (unsigned i = s->scene.npatches; i-- > 0;) {
        const struct patch *p = &s->scene.patch[i];
        if (address - p->address < p->bytes)
            return (uint8_t)(p->value >> (address - p->address) * 8);
    }
    return content_byte(s, s->scene.content, address);
}

bool blind_change_scene(struct scene *s, unsigned n)
{
    static const uint64_t returns[] = {0, 1, UINT64_MAX, 64};
    enum { RETURNS = sizeof returns / sizeof *returns };
    _Static_assert(CONTENTS + RETURNS + 2 == SCENES, "what there is to change");
    struct scene before = *s;
    if (n < CONTENTS) {
        s->content = (enum content)n;
        return s->content != before.content;
    }
    if (n < CONTENTS + RETURNS) {
        s->returns = returns[n - CONTENTS];
        return s->returns != before.returns;
    }
    if (n == CONTENTS + RETURNS)
        s->answers = !s->answers;
    else
        s->changed = !s->changed;
    return true;
}

/* Half of the words of a test: others in other tests. */
static bool is_of_half(const struct side *s, uint64_t at)
{
    return hash_u64(at + s->scene.seed) >> 13 & 1;
}

/* Half of the variables that are 0 when the file is loaded, so that locks are not all taken. */
static bool is_changed(const struct side *s, uint64_t address)
{
    struct world *w = s->w;
    unsigned unit = w->m->pointer_width / 8;
    uint64_t at = address & ~(uint64_t)(unit - 1), to, value;
    uint8_t bytes[8] = {0};
    bool unknown;
    if (!is_of_half(s, at) || (w->single && w->single - at < unit) || object_is_readonly(w->o, at, unit) ||
        linked_word(w, address, &to, &value, &unknown))
        return false;
    return object_read(w->o, at, bytes, unit) && bits_is_zero(bits_from_bytes(bytes, unit));
}

/* ... and of those of a thread. */
static bool is_changed_in_thread(const struct side *s, uint64_t address)
{
    const struct world *w = s->w;
    const unsigned unit = w->m->pointer_width / 8;
    uint64_t at = address & ~(uint64_t)(unit - 1);
    const struct object_load *load = object_load(w->o);
    bool zero = true;
    for (unsigned i = 0; i < unit; i++)
        zero = zero && !thread_byte(s->w, at + i);
    return load->has_tls && at - (guest_thread(w->m) - TLS_SIZE) < load->tls_size && zero &&
           is_of_half(s, at);
}

/* Objects of other files: zeroes; or words that are the size of a page, so that memory can be allocated; or
 * those and pointers. */
static uint8_t other_byte(const struct side *s, uint64_t address)
{
    uint64_t at = address & ~UINT64_C(7);
    if (s->scene.changed && is_of_half(s, at))
        return pointer_byte(s, address);
    return s->scene.answers ? (uint8_t)((UINT64_C(1) << PAGE_BITS) >> (address - at) * 8) : 0;
}

bool blind_fill(void *ctx, unsigned space, uint64_t address, uint8_t *cell)
{
    struct side *s = ctx;
    if (space != 0)
        return false;
    switch (blind_where(s->w, address)) {
    case IN_IMAGE:
        *cell = s->scene.changed && is_changed(s, address - s->w->guest.bias)
                    ? pointer_byte(s, address)
                    : image_byte(s->w, address - s->w->guest.bias);
        break;
    case IN_THREAD:
        *cell = s->scene.changed && is_changed_in_thread(s, address) ? pointer_byte(s, address)
                                                                     : thread_byte(s->w, address);
        break;
    case IN_OTHER_FILES:
        *cell = other_byte(s, address);
        break;
    case OUTSIDE:
        *cell = outside_byte(s, address);
        break;
    default:
        *cell = 0;
    }
    return true;
}

shade blind_byte(struct side *s, uint64_t address)
{
    uint64_t known, at, value;
    bool unknown = false;
    if (s->blurred && blind_where(s->w, address) == OUTSIDE)
        return SHADE_UNKNOWN | SHADE_GIVEN;
    if (map_get(&s->shade, address, &known))
        return (shade)known;
    switch (blind_where(s->w, address)) {
    case IN_STACK: /* what callers left; below it, where nobody wrote in this run, zeroes are as good as
                      anything */
        return address < guest_stack(s->w->m) ? 0 : SHADE_UNKNOWN;
    case IN_IMAGE:
        linked_word(s->w, address - s->w->guest.bias, &at, &value, &unknown);
        return unknown ? SHADE_UNKNOWN : 0;
    default:
        return 0;
    }
}

/* ---- the file ---- */

static void find_image(struct world *w)
{
    const struct object_segment *seg;
    size_t n = object_segments(w->o, &seg);
    w->low = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t from = seg[i].address + w->guest.bias, to = from + seg[i].size;
        w->low = from < w->low ? from : w->low;
        w->high = to > w->high ? to : w->high;
    }
    const struct object_symbol *y;
    n = object_symbols(w->o, &y);
    for (size_t i = 0; i < n && !w->single; i++)
        if (y[i].name && !y[i].undefined && strcmp(y[i].name, "__libc_single_threaded") == 0)
            w->single = y[i].address;
}

/* A callee keeps what a register has at that place of the file. */
static bool is_saved(const struct world *w, unsigned offset)
{
    const struct ir_machine *m = w->m;
    unsigned unit = m->pointer_width / 8;
    for (unsigned i = 0; i < m->nsaved; i++)
        if (offset - m->saved[i] < unit)
            return true;
    for (unsigned i = 0; i < w->guest.npromises; i++)
        if (offset - w->guest.promise[i].offset < (w->guest.promise[i].width + 7u) / 8)
            return true;
    return offset - m->sp < unit;
}

struct world *blind_world(struct program *p)
{
    struct world *w = xcalloc(1, sizeof *w);
    const struct ir_machine *m = program_machine(p);
    *w = (struct world){.p = p, .m = m, .o = program_object(p)};
    guest_init(&w->guest, p, m->pointer_width == 64 ? UINT64_C(0x556a00000000) : 0x5a000000);
    lifter_keep_loads(program_lifter(p));
    find_image(w);
    uint16_t width;
    w->x87 = machine_register_find(m, "<x87_top>", &w->x87_top, &width) &&
             machine_register_find(m, "mm0", &w->x87_register, &width) &&
             machine_register_find(m, "<x87_tag0>", &w->x87_tag, &width);
    w->saved = xcalloc(m->file_size, sizeof *w->saved);
    for (unsigned i = 0; i < m->file_size; i++)
        w->saved[i] = is_saved(w, i);
    return w;
}

void blind_world_free(struct world *w)
{
    guest_free(&w->guest);
    strmap_free(&w->external);
    map_free(&w->chosen);
    map_free(&w->effects);
    free(w->saved);
    free(w->value);
    free(w->half);
    free(w->known);
    free(w);
}
