/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relocatable objects: sections laid out one after the other from OBJECT_RELOC_BASE, those of code first,
 * each kind in the order of the file; an address for every symbol, relocations applied as a static linker
 * would without relaxing anything. What follows the sections:
 *
 *   thread-local sections (the initial image), common symbols, one unreadable place for every function of
 * another file that is called (EXTERN_STEP bytes each), and a GOT with the entries the code asks for. Far
 * from all that, each undefined symbol whose address is used otherwise is in a room of its own, larger than
 * whatever is added to it. Where, its name says, so that another symbol makes other bytes. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "object/private.h"

/* The end of one thing is not the beginning of another that the linker may put anywhere. */
/* GAP: between sections of data, wide enough that an address right before one, of which an index takes away
 * what it is at least, lies in none. */
enum { EXTERN_STEP = 16, GOT_RESERVED = 3, GAP = OBJECT_BEFORE_DATA };
/* Where the rooms begin: within reach of 32 bits with a sign. */
enum { ROOMS_BASE = 0x5ac37000, ROOMS_SPACE = 0x20000000, ROOM_LEAST = 1 << 12, ROOM_USUAL = 1 << 16 };

struct got_slot {
    uint32_t symbol;
    uint8_t kind;
    uint64_t address;
};

struct got {
    uint64_t base;
    struct map index; /* symbol and kind to address */
    VEC(struct got_slot) slot;
    uint64_t size;
    bool used; /* its address is, even if no entry is */
};

static uint64_t align_up(uint64_t x, uint64_t align)
{
    return (x + align - 1) & ~(align - 1);
}

/* A place for data that is aligned as it has to be, and no better: the linker may put it at one like that. */
static uint64_t align_exactly(uint64_t x, uint64_t align)
{
    enum { LARGE = 64 }; /* nothing needs more */
    x = align_up(x, align);
    return align < LARGE && x % (2 * align) == 0 ? x + align : x;
}

enum kind { KIND_CODE, KIND_DATA, KIND_TLS };

static enum kind kind_of(const struct image_section *s)
{
    return s->flags & SHF_TLS ? KIND_TLS : s->flags & SHF_EXECINSTR ? KIND_CODE : KIND_DATA;
}

static bool place_sections(struct object *o, enum kind kind, uint64_t *at, struct error *err)
{
    bool tls = kind == KIND_TLS;
    const struct image *im = &o->image;
    *at += kind == KIND_DATA ? GAP : 0;
    for (size_t i = 1; i < im->nsections; i++) {
        const struct image_section *s = &im->section[i];
        if (!(s->flags & SHF_ALLOC) || kind_of(s) != kind)
            continue;
        uint64_t align = s->align ? s->align : 1;
        if (align & (align - 1) || align > 1 << 20)
            return error_set(err, ERROR_INPUT,
                             "%s: section %zu (%s, header at offset 0x%" PRIx64 ") has alignment 0x%" PRIx64
                             ", which is not a valid power of two",
                             im->name, i, s->name, s->header, align);
        uint64_t top = im->is64 ? OBJECT_SPACE_LIMIT : UINT32_MAX - (UINT32_MAX >> 2);
        *at = kind == KIND_DATA ? align_exactly(*at, align) : align_up(*at, align);
        if (s->size > top || *at > top - s->size)
            return error_set(err, ERROR_INPUT,
                             "%s: section %zu (%s, header at offset 0x%" PRIx64 ") of 0x%" PRIx64
                             " bytes does not fit the address space",
                             im->name, i, s->name, s->header, s->size);
        o->section_address[i] = *at;
        if (tls && !o->has_tls) {
            o->has_tls = true;
            o->tls_address = *at;
        }
        if (tls && align > o->tls_align)
            o->tls_align = align;
        bool contents = s->type != SHT_NOBITS && s->data;
        memory_add(o, *at, s->size, s->data, contents ? s->size : 0, s->flags & SHF_WRITE,
                   s->flags & SHF_EXECINSTR);
        if (!strncmp(s->name, ".data.rel.ro", 12) && s->size)
            vec_push(&o->relro, (struct range){*at, *at + s->size});
        *at += s->size + (kind == KIND_DATA ? GAP : 0);
    }
    return true;
}

bool reloc_layout(struct object *o, struct error *err)
{
    uint64_t at = OBJECT_RELOC_BASE;
    o->tls_align = 1;
    for (enum kind kind = KIND_CODE; kind <= KIND_TLS; kind++)
        if (!place_sections(o, kind, &at, err))
            return false;
    if (o->has_tls)
        o->tls_size = at - o->tls_address;
    o->layout_end = at;
    memory_sort(o);
    return true;
}

/* The section a relocation section applies to, or NULL when it is not for us. */
static const struct image_section *reloc_target(const struct object *o, size_t index)
{
    const struct image *im = &o->image;
    const struct image_section *s = &im->section[index];
    if ((s->type != SHT_REL && s->type != SHT_RELA) || !s->data || s->info == 0 || s->info >= im->nsections)
        return NULL;
    const struct image_section *t = &im->section[s->info];
    return t->type == SHT_NOBITS || t->type == SHT_NULL || t->size == 0 ? NULL : t;
}

/* Is the place the destination of a call or a jump? On x86 the bytes before it tell. */
static bool is_branch(const struct reloc *r, const uint8_t *section, uint64_t offset)
{
    unsigned opcode = offset > 0 ? section[offset - 1] : 0, prefix = offset > 1 ? section[offset - 2] : 0;
    bool relative = opcode == 0xe8 || opcode == 0xe9 || (prefix == 0x0f && opcode >> 4 == 8);
    bool through = prefix == 0xff && ((opcode >> 3 & 7) == 2 || (opcode >> 3 & 7) == 4); /* call *, jmp * */
    switch (r->o->info.arch) {
    case MACHINE_AMD64:
        return r->type == R_X86_64_PLT32 || r->type == R_X86_64_PLTOFF64 ||
               (r->type == R_X86_64_PC32 && relative) ||
               ((r->type == R_X86_64_GOTPCREL || r->type == R_X86_64_GOTPCRELX) && through);
    case MACHINE_X86:
        return r->type == R_386_PLT32 || (r->type == R_386_PC32 && relative) ||
               ((r->type == R_386_GOT32 || r->type == R_386_GOT32X) && through);
    case MACHINE_ARM:
        return r->type == R_ARM_PC24 || r->type == R_ARM_CALL || r->type == R_ARM_JUMP24 ||
               r->type == R_ARM_PLT32 || r->type == R_ARM_THM_PC22 || r->type == R_ARM_THM_JUMP24 ||
               r->type == R_ARM_THM_JUMP19 || r->type == R_ARM_THM_PC11 || r->type == R_ARM_THM_PC9;
    case MACHINE_ARM64:
        return r->type == R_AARCH64_CALL26 || r->type == R_AARCH64_JUMP26 || r->type == R_AARCH64_CONDBR19 ||
               r->type == R_AARCH64_TSTBR14;
    default:
        return false;
    }
}

static uint64_t entry_size(const struct image *im, const struct image_section *s)
{
    return image_word_size(im) * (s->type == SHT_RELA ? 3 : 2);
}

/* The entry at that offset of a section of relocations; false: there is none. Its symbol is checked by
 * whoever uses it. */
static bool read_entry(struct object *o, const struct image_section *s, uint64_t at, uint64_t *offset,
                       struct reloc *r)
{
    const struct image *im = &o->image;
    bool rela = s->type == SHT_RELA;
    size_t word = image_word_size(im);
    if (at + entry_size(im, s) > s->size)
        return false;
    const uint8_t *p = s->data + at;
    uint64_t info = image_word(im, p + word);
    *offset = image_word(im, p);
    *r = (struct reloc){.o = o,
                        .type = (uint32_t)(im->is64 ? info & UINT32_MAX : info & 0xff),
                        .symbol_index = (uint32_t)(im->is64 ? info >> 32 : info >> 8),
                        .has_addend = rela};
    if (rela)
        r->addend = im->is64 ? (int64_t)image_u64(im, p + 16) : (int32_t)image_u32(im, p + 8);
    return true;
}

/* The type a compiler uses for a data word that holds an address. */
static bool is_pointer(const struct object *o, uint32_t type)
{
    switch (o->info.arch) {
    case MACHINE_AMD64:
        return type == R_X86_64_64;
    case MACHINE_X86:
        return type == R_386_32;
    case MACHINE_ARM:
        return type == R_ARM_ABS32 || type == R_ARM_TARGET1;
    case MACHINE_ARM64:
        return type == R_AARCH64_ABS64;
    default:
        return false;
    }
}

/* How the symbols of other files are used. */
struct uses {
    bool *branch, *address; /* by index of the symbol: a branch leads there; its address is used otherwise */
    uint64_t farthest;      /* what is added to the address of one at the most, either way */
};

/* What a relocation without an addend of its own adds, of those that fill a word. */
static int64_t addend_at(const struct object *o, const struct reloc *r, const uint8_t *at, uint64_t left)
{
    bool word = o->info.arch == MACHINE_X86
                    ? r->type == R_386_32 || r->type == R_386_PC32 || r->type == R_386_GOTOFF
                    : is_pointer(o, r->type) || r->type == R_ARM_REL32;
    return r->has_addend ? r->addend : word && left >= 4 ? (int32_t)image_u32(&o->image, at) : 0;
}

static struct uses find_uses(struct object *o)
{
    const struct image *im = &o->image;
    struct uses u = {xcalloc(o->symtab.count + 1, sizeof(bool)), xcalloc(o->symtab.count + 1, sizeof(bool)),
                     0};
    for (size_t i = 1; i < im->nsections; i++) {
        const struct image_section *t = reloc_target(o, i), *s = &im->section[i];
        struct reloc r;
        uint64_t offset;
        for (uint64_t at = 0; t && t->data && t->flags & SHF_ALLOC && read_entry(o, s, at, &offset, &r);
             at += entry_size(im, s)) {
            if (offset >= t->size || r.symbol_index >= o->symtab.count)
                break;
            if (o->symtab.symbol[r.symbol_index].section != SHN_UNDEF)
                continue;
            if (t->flags & SHF_EXECINSTR && is_branch(&r, t->data, offset)) {
                u.branch[r.symbol_index] = true;
                continue;
            }
            int64_t a = addend_at(o, &r, t->data + offset, t->size - offset);
            uint64_t far = a < 0 ? -(uint64_t)a : (uint64_t)a;
            u.address[r.symbol_index] = true;
            u.farthest = far > u.farthest ? far : u.farthest;
        }
    }
    return u;
}

/* A room for a symbol: which, its name says, or one behind that if another has it. */
static uint64_t take_room(struct object *o, const char *name)
{
    struct rooms *r = &o->rooms;
    enum { PLACE = 16 };
    const uint64_t hash = hash_bytes(name, strlen(name)), n = (r->end - r->base) / r->step;
    const uint64_t places = (r->step < ROOM_USUAL ? r->step : ROOM_USUAL) / 4 / PLACE;
    uint64_t room = hash % n;
    while (map_get(&r->symbol, room, NULL))
        room = (room + 1) % n;
    uint64_t at = r->base + room * r->step + r->step / 2 + (hash >> 32) % places * PLACE;
    map_set(&r->symbol, room, at);
    return at;
}

static void add_extern(struct object *o, const struct raw_symbol *s, uint64_t address, bool called)
{
    vec_push(&o->stub, (struct object_stub){.address = address,
                                            .size = EXTERN_STEP,
                                            .name = s->name,
                                            .version = s->version,
                                            .kind = STUB_EXTERN,
                                            .called = called});
}

/* Its address is used, or nothing is known of how it is. */
static bool needs_room(const struct object *o, const struct uses *u, size_t i)
{
    const struct raw_symbol *s = &o->symtab.symbol[i];
    return s->section == SHN_UNDEF && *s->name && s->type != STT_TLS && (u->address[i] || !u->branch[i]) &&
           strcmp(s->name, "_GLOBAL_OFFSET_TABLE_") != 0;
}

/* So many rooms that at most half of them are taken, as large as what is added to addresses asks for and the
 * space allows. */
static void plan_rooms(struct object *o, const struct uses *u, uint64_t base)
{
    struct rooms *r = &o->rooms;
    uint64_t taken = 1;
    for (size_t i = 1; i < o->symtab.count; i++)
        taken += needs_room(o, u, i);
    r->base = base;
    r->step = ROOM_USUAL;
    while (r->step > ROOM_LEAST && 2 * taken * r->step > ROOMS_SPACE)
        r->step /= 2;
    while (r->step / 4 < u->farthest && 4 * taken * r->step <= ROOMS_SPACE)
        r->step *= 2;
    uint64_t n = ROOMS_SPACE / r->step;
    r->end = base + (n > 2 * taken ? n : 2 * taken) * r->step;
    r->of = xcalloc(o->symtab.count + 1, sizeof *r->of);
}

/* Functions of other files from `at` on, near the code for the sake of branches that do not reach far, and
 * rooms for addresses that are used otherwise. Returns where the functions end. */
static uint64_t place_externs(struct object *o, uint64_t at)
{
    enum { FAR = 1 << 28 };
    const uint64_t begin = at;
    struct uses u = find_uses(o);
    struct rooms *rooms = &o->rooms;
    struct strmap near = {0}, far = {0};
    plan_rooms(o, &u, at + FAR > ROOMS_BASE ? align_up(at + FAR, ROOM_USUAL) : ROOMS_BASE);
    for (size_t i = 1; i < o->symtab.count; i++) {
        struct raw_symbol *s = &o->symtab.symbol[i];
        if (s->section != SHN_UNDEF || !*s->name || !strcmp(s->name, "_GLOBAL_OFFSET_TABLE_"))
            continue;
        if (needs_room(o, &u, i) && !strmap_get(&far, s->name, &rooms->of[i])) {
            rooms->of[i] = take_room(o, s->name);
            strmap_set(&far, s->name, rooms->of[i]);
            add_extern(o, s, rooms->of[i], false);
        }
        if (!u.branch[i] && s->type != STT_TLS) {
            s->address = rooms->of[i];
        } else if (!strmap_get(&near, s->name, &s->address)) {
            s->address = at;
            strmap_set(&near, s->name, at);
            at += EXTERN_STEP;
            if (u.branch[i])
                add_extern(o, s, s->address, true);
        }
    }
    if (at > begin)
        vec_push(&o->region, (struct region){.address = begin, .size = at - begin});
    vec_push(&o->region, (struct region){.address = rooms->base, .size = rooms->end - rooms->base});
    strmap_free(&near);
    strmap_free(&far);
    free(u.branch);
    free(u.address);
    return at;
}

bool reloc_symbols(struct object *o, struct error *err)
{
    const struct image *im = &o->image;
    uint64_t at = align_up(o->layout_end, 64), common = at;
    uint64_t top = im->is64 ? 2 * OBJECT_SPACE_LIMIT : UINT32_MAX - (UINT32_MAX >> 3);
    for (size_t i = 1; i < o->symtab.count; i++) {
        struct raw_symbol *s = &o->symtab.symbol[i];
        if (s->section == SHN_COMMON) {
            uint64_t align = s->address ? s->address : 1;
            if (align & (align - 1) || align > 1 << 20 || s->size > top - at)
                return error_set(err, ERROR_INPUT,
                                 "%s: common symbol %s: size 0x%" PRIx64 " or alignment 0x%" PRIx64
                                 " is invalid",
                                 im->name, s->name, s->size, align);
            s->address = align_exactly(at, align);
            s->type = STT_OBJECT;
            at = s->address + s->size + GAP;
            if (at > top)
                return error_set(err, ERROR_INPUT, "%s: common symbols do not fit the address space",
                                 im->name);
        } else if (s->section != SHN_UNDEF && s->section != SHN_ABS) {
            s->address += o->section_address[s->section];
        }
    }
    memory_add(o, common, at - common, NULL, 0, true, false);

    o->got_base = align_up(place_externs(o, align_up(at, 4096)), 4096);
    for (size_t i = 1; i < o->symtab.count; i++) {
        struct raw_symbol *s = &o->symtab.symbol[i];
        if (s->section == SHN_UNDEF && !strcmp(s->name, "_GLOBAL_OFFSET_TABLE_"))
            s->address = o->got_base;
    }
    memory_sort(o);
    return true;
}

uint64_t got_base(struct got *g)
{
    g->used = true;
    return g->base;
}

uint64_t got_entry(struct reloc *r, enum got_kind kind)
{
    struct got *g = r->got;
    uint64_t key = (uint64_t)r->symbol_index << 8 | kind, address;
    if (map_get(&g->index, key, &address))
        return address;
    size_t word = image_word_size(&r->o->image);
    address = g->base + g->size;
    g->size += kind == GOT_TLS_PAIR ? 2 * word : word;
    vec_push(&g->slot, (struct got_slot){r->symbol_index, kind, address});
    map_set(&g->index, key, address);
    return address;
}

/* Made up from the name, so that two files agree: behind all of a file's own, and no farther than AArch64 can
 * add in two instructions. */
static uint64_t extern_tls_offset(const char *name)
{
    enum { FIRST = 1 << 20, PLACE = 16, PLACES = (14 << 20) / PLACE };
    return FIRST + hash_bytes(name, strlen(name)) % PLACES * PLACE;
}

static int64_t tls_offset(const struct object *o, const struct raw_symbol *s)
{
    if (s->section == SHN_UNDEF)
        return (int64_t)extern_tls_offset(s->name);
    return o->has_tls ? object_thread_offset(o, s->address - o->tls_address) : 0;
}

int64_t object_thread_offset(const struct object *o, uint64_t inside)
{
    uint64_t align = o->tls_align && !(o->tls_align & (o->tls_align - 1)) ? o->tls_align : 1;
    switch (o->image.machine) {
    case EM_ARM: /* variant I: after two words the thread pointer points at */
        return (int64_t)(align_up(8, align) + inside);
    case EM_AARCH64:
        return (int64_t)(align_up(16, align) + inside);
    default: /* variant II: before the thread pointer */
        return (int64_t)(inside - align_up(o->tls_size, align));
    }
}

int64_t reloc_tls_offset(const struct reloc *r)
{
    return tls_offset(r->o, r->symbol);
}

/* Of a symbol without a name, that of a section, its place is all there is to say. */
static void add_other(struct object *o, uint64_t address, const char *kind, const struct raw_symbol *s)
{
    bool named = *s->name && s->type != STT_SECTION;
    vec_push(&o->pointer, (struct object_pointer){.address = address,
                                                  .name = arena_printf(&o->arena, "%s:%s", kind, named ? s->name : ""),
                                                  .addend = named ? 0 : (int64_t)(s->address - o->tls_address),
                                                  .other = true});
}

static void finish_got(struct object *o, struct got *g)
{
    if (!g->slot.len && !g->used)
        return;
    size_t word = image_word_size(&o->image);
    uint8_t *bytes = arena_zalloc(&o->arena, g->size);
    for (size_t i = 0; i < g->slot.len; i++) {
        const struct got_slot *e = &g->slot.data[i];
        const struct raw_symbol *s = &o->symtab.symbol[e->symbol];
        uint8_t *at = bytes + (e->address - g->base);
        if (e->kind == GOT_ADDRESS) {
            memory_set_word(o, at, s->address | (s->thumb ? 1 : 0));
            if (s->section == SHN_UNDEF && s->type != STT_TLS)
                vec_push(&o->slot, (struct slot){.address = e->address,
                                                 .name = s->name,
                                                 .version = s->version,
                                                 .data = s->type == STT_OBJECT});
            else if (s->type != STT_TLS)
                vec_push(&o->pointer, (struct object_pointer){
                                          .address = e->address, .target = s->address, .thumb = s->thumb});
        } else if (e->kind == GOT_TPOFF) {
            memory_set_word(o, at, (uint64_t)tls_offset(o, s));
            add_other(o, e->address, "tpoff", s);
        } else {
            memory_set_word(o, at, 1);
            memory_set_word(o, at + word, s->address - o->tls_address);
            add_other(o, e->address, "module", s);
            add_other(o, e->address + word, "dtpoff", s);
        }
    }
    vec_push(&o->region,
             (struct region){.address = g->base, .size = g->size, .bytes = bytes, .held = g->size});
    memory_sort(o);
}

static int pointer_order(const void *a, const void *b)
{
    const struct object_pointer *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static int relocated_order(const void *a, const void *b)
{
    const struct relocated *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

static const char *result_text(enum reloc_result r)
{
    switch (r) {
    case RELOC_OVERFLOW:
        return "is out of range";
    case RELOC_SHORT:
        return "runs past the end of its section";
    default:
        return "is not supported";
    }
}

static void note_pointer(struct object *o, const struct reloc *r)
{
    uint64_t value = image_word(&o->image, r->at);
    bool import = r->symbol->section == SHN_UNDEF && *r->symbol->name;
    bool thumb = !import && o->info.arch == MACHINE_ARM && value & 1 && memory_is_exec(o, value);
    vec_push(&o->pointer, (struct object_pointer){.address = r->place,
                                                  .target = import  ? 0
                                                            : thumb ? value & ~UINT64_C(1)
                                                                    : value,
                                                  .name = import ? r->symbol->name : NULL,
                                                  .addend = import ? (int64_t)(value - r->value) : 0,
                                                  .thumb = thumb});
}

/* Where the symbol is for a use of its address: in its room, unless what is added leads out of that, and
 * perhaps into another's. Then the sum is somewhere that the name and the distance say, and known to be
 * nobody's. */
static uint64_t place_in_room(const struct reloc *r)
{
    enum { PLACE = 16 };
    const struct rooms *rooms = &r->o->rooms;
    const uint64_t at = rooms->of[r->symbol_index], sum = at + (uint64_t)r->addend;
    if ((sum - rooms->base) / rooms->step == (at - rooms->base) / rooms->step)
        return at;
    uint64_t hash = hash_u64(hash_bytes(r->symbol->name, strlen(r->symbol->name)) ^ (uint64_t)r->addend);
    return rooms->base + hash % (ROOMS_SPACE / PLACE) * PLACE - (uint64_t)r->addend;
}

static bool apply_section(struct object *o, size_t index, uint8_t *bytes, uint64_t size, uint64_t address,
                          struct got *got, struct error *err)
{
    const struct image *im = &o->image;
    const struct image_section *s = &im->section[index];
    struct reloc r;
    uint64_t offset;
    size_t word = image_word_size(im);
    for (uint64_t at = 0; read_entry(o, s, at, &offset, &r); at += entry_size(im, s)) {
        r.got = got;
        if (offset >= size || r.symbol_index >= o->symtab.count)
            return error_set(err, ERROR_INPUT,
                             "%s: relocation at offset 0x%" PRIx64 " (section %zu): place 0x%" PRIx64
                             " or symbol %" PRIu32 " does not exist",
                             im->name, s->offset + at, index, offset, r.symbol_index);
        r.symbol = &o->symtab.symbol[r.symbol_index];
        r.value = r.symbol->address;
        r.sum = r.value;
        r.at = bytes + offset;
        r.room = (size_t)(size - offset);
        r.before = (size_t)offset;
        bool code = s->info < im->nsections && im->section[s->info].flags & SHF_EXECINSTR;
        if (o->rooms.of && o->rooms.of[r.symbol_index] && !(code && is_branch(&r, bytes, offset)))
            r.value = place_in_room(&r);
        r.place = address + offset;
        enum reloc_result result;
        switch (o->info.arch) {
        case MACHINE_AMD64:
            result = reloc_amd64(&r);
            break;
        case MACHINE_X86:
            result = reloc_x86(&r);
            break;
        case MACHINE_ARM:
            result = reloc_arm(&r);
            break;
        case MACHINE_ARM64:
            result = reloc_arm64(&r);
            break;
        default:
            result = RELOC_UNKNOWN;
        }
        if (address)
            vec_push(&o->relocated, ((struct relocated){.low = r.place,
                                                        .high = r.place + (is_pointer(o, r.type) ? word : 4),
                                                        .symbol = r.value,
                                                        .sum = r.sum}));
        if (result != RELOC_DONE)
            object_problem_add(o, r.place, "relocation of type %" PRIu32 " against %s %s", r.type,
                               *r.symbol->name ? r.symbol->name : "no symbol", result_text(result));
        else if (address && is_pointer(o, r.type))
            note_pointer(o, &r);
    }
    return true;
}

bool reloc_apply(struct object *o, struct error *err)
{
    struct got got = {.base = o->got_base, .size = GOT_RESERVED * image_word_size(&o->image)};
    bool good = true;
    for (size_t i = 1; good && i < o->image.nsections; i++) {
        const struct image_section *t = reloc_target(o, i);
        if (!t || !(t->flags & SHF_ALLOC))
            continue;
        uint64_t address = o->section_address[o->image.section[i].info];
        uint8_t *bytes = memory_writable(o, address, t->size);
        good = !bytes || apply_section(o, i, bytes, t->size, address, &got, err);
    }
    finish_got(o, &got);
    o->layout_top = got.base + got.size;
    vec_sort(&o->pointer, pointer_order);
    vec_sort(&o->relocated, relocated_order);
    vec_free(&got.slot);
    map_free(&got.index);
    return good;
}

bool reloc_apply_debug(struct object *o, uint8_t *file, struct error *err)
{
    struct got unused = {.base = o->got_base};
    bool good = true;
    for (size_t i = 1; good && i < o->image.nsections; i++) {
        const struct image_section *t = reloc_target(o, i);
        if (t && !(t->flags & (SHF_ALLOC | SHF_COMPRESSED)) && !strncmp(t->name, ".debug_", 7))
            good = apply_section(o, i, file + t->offset, t->size, 0, &unused, err);
    }
    vec_free(&unused.slot);
    map_free(&unused.index);
    return good;
}
