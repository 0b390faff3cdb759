/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this layer share: the object under construction and the steps that build it.
 *
 * object_open_memory (object.c) runs the steps in this order, each relying on the ones before:
 *   memory    segments or laid-out sections become regions
 *   dynamic   PT_DYNAMIC is read into struct dynamic
 *   symbol    .symtab, dynamic symbols, versions, mapping symbols
 *   reloc     relocations of a .o, or dynamic relocations: bytes, slots, pointers
 *   stub      PLT stubs, GOT slots and externs get names
 *   bound     function bounds from all tables
 * Debug information is read on first demand (debug.c). */
#ifndef OBJECT_PRIVATE_H
#define OBJECT_PRIVATE_H

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "object/image.h"
#include "object/object.h"

/* A contiguous part of the address space. `bytes` holds the first `held` bytes (file contents and zero fill,
 * as far as OBJECT_ZERO_LIMIT goes); NULL for the extern region of a relocatable object. */
struct region {
    uint64_t address, size;
    uint8_t *owned; /* what `bytes` points to when it is a private copy, else NULL */
    const uint8_t *bytes;
    size_t held;
    bool write, exec;
};

enum {
    OBJECT_ZERO_LIMIT = 16 << 20, /* zero-filled bytes kept for one object, all regions together */
    OBJECT_PROBLEM_LIMIT = 1000,
};
/* More than any program maps; keeps sums of addresses and sizes far from overflow. */
#define OBJECT_SPACE_LIMIT (UINT64_C(1) << 40)

struct range {
    uint64_t low, high;
};

/* Bytes that a relocation changes, where its symbol is, and that plus what is added to it. */
struct relocated {
    uint64_t low, high, symbol, sum;
};

/* Of undefined symbols: from base on and before end, `step` bytes each. */
struct rooms {
    uint64_t base, end, step;
    struct map symbol; /* number of a room -> where in it its symbol is */
    uint64_t *of;      /* by index of a symbol: the same; 0: it has none */
};

/* What PT_DYNAMIC says, as virtual addresses. 0 is absent. */
struct dynamic {
    bool present;
    uint64_t strtab, strsz, symtab, hash, gnu_hash;
    uint64_t rela, relasz, rel, relsz, jmprel, pltrelsz, relr, relrsz;
    bool pltrel_is_rela;
    uint64_t versym, verdef, verdefnum, verneed, verneednum;
    uint64_t init, fini, init_array, init_arraysz, fini_array, fini_arraysz, preinit_array, preinit_arraysz;
    uint64_t pltgot, soname, flags_1;
    bool has_soname;
    const uint8_t *string; /* the string table, strsz bytes */
};

/* A symbol table as the file has it, index by index: relocations refer to it. */
struct raw_symbol {
    const char *name;
    const char *version;
    uint64_t address, size;
    uint32_t section;               /* index, or SHN_UNDEF, SHN_ABS, SHN_COMMON */
    uint8_t type, bind, visibility; /* STT_*, STB_*, STV_* */
    bool thumb, version_hidden;
};
struct symbol_table {
    struct raw_symbol *symbol;
    size_t count;
};

struct mapping {
    uint64_t address, end; /* until the next mapping symbol or the end of the section */
    int8_t mode;           /* as object_code_mode */
};

/* A GOT slot that a relocation fills. */
struct slot {
    uint64_t address;
    const char *name, *version;
    uint64_t target;
    bool ifunc;
    bool data; /* the symbol is known not to be a function */
};

/* A call that ends in [low, high) and throws goes on at pad, after types were asked about. */
struct landing {
    uint64_t low, high, pad, asked;
};

struct debug;

struct object {
    struct arena arena;
    struct object_info info;
    struct image image;
    uint8_t *file; /* the whole file; relocated in place where libdw must see relocated bytes */
    const char *const *debug_dirs; /* NULL-terminated, or NULL */
    const char *path_dir;          /* directory of the file for debuglink, NULL when it came from memory */

    VEC(struct region) region;
    uint64_t zero_used; /* of OBJECT_ZERO_LIMIT */
    VEC(struct range) relro;
    uint64_t *section_address; /* by section index; for a relocatable object the laid-out address */
    uint64_t tls_size, tls_align, tls_address;
    bool has_tls;
    uint64_t layout_end, got_base, layout_top; /* relocatable objects: see reloc.c */

    VEC(struct object_section) section;
    VEC(struct object_segment) segment;
    struct dynamic dynamic;
    struct symbol_table symtab, dynsym;
    VEC(struct object_symbol) symbol;
    size_t *symbol_reach; /* for symbol i, the first index whose symbol may still cover it */
    struct strmap symbol_name;
    VEC(struct mapping) mapping;
    VEC(struct slot) slot;
    VEC(struct object_stub) stub;
    VEC(struct object_pointer) pointer;
    VEC(struct relocated) relocated; /* of a relocatable object; sorted */
    struct rooms rooms;              /* of a relocatable object */
    struct map copied;           /* where copy relocations put variables of libraries */
    VEC(struct object_dynamic) entry;
    struct object_load load;
    VEC(struct object_bound) bound;
    VEC(struct landing) landing; /* sorted by low */
    VEC(struct object_handlers) handlers; /* sorted by function */
    VEC(struct object_problem) problem;

    struct debug *debug; /* never NULL after opening; filled on demand */
};

/* Lists something that was understood to be there but could not be used. Never fatal. */
void object_problem_add(struct object *o, uint64_t address, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* object_open_memory for a file that came from a directory, where a debuglink may find its debug file. */
struct object *object_open_at(const char *name, const char *dir, const uint8_t *data, size_t size,
                              const struct object_options *opt, struct error *err);

/* ---- memory.c ---- */
bool memory_map_segments(struct object *o, struct error *err);
/* A region of `size` bytes that begins with the n given ones (borrowed from the file) and is zero after
 * them. */
void memory_add(struct object *o, uint64_t address, uint64_t size, const uint8_t *bytes, size_t n, bool write,
                bool exec);
void memory_sort(struct object *o);
struct region *memory_region(const struct object *o, uint64_t address);
/* n bytes that may be written (the region becomes a private copy first); NULL when not mapped or beyond what
 * is held. */
uint8_t *memory_writable(struct object *o, uint64_t address, size_t n);
/* The file's word size and byte order. */
bool memory_word(const struct object *o, uint64_t address, uint64_t *value);
void memory_set_word(const struct object *o, uint8_t *at, uint64_t value);
bool memory_is_exec(const struct object *o, uint64_t address);

/* ---- dynamic.c ---- */
bool dynamic_read(struct object *o, struct error *err);
bool dynamic_symbols(struct object *o, struct error *err);
bool dynamic_relocate(struct object *o, struct error *err);

/* ---- load.c ---- */
void load_read(struct object *o);

/* ---- version.c ---- */
/* Fills version and version_hidden of the dynamic symbols. */
bool version_read(struct object *o, struct error *err);

/* ---- symbol.c ---- */
struct symbol_source {
    const uint8_t *symbol;
    size_t count;
    const uint8_t *string;
    uint64_t string_size;
    const uint8_t *extended; /* SHT_SYMTAB_SHNDX contents for the same count, or NULL */
    const char *what;        /* ".symtab", ".dynsym": for messages */
    uint64_t offset;         /* of the first symbol in the file, or its address */
};
bool symbol_table_read(struct object *o, const struct image *im, const struct symbol_source *src,
                       struct symbol_table *out, struct error *err);
/* Reads .symtab of an image (the file's own or its detached debug file's); *out stays empty without one. */
bool symbol_read_symtab(struct object *o, const struct image *im, struct symbol_table *out,
                        struct error *err);
void symbol_publish(struct object *o); /* fills symbol, symbol_name, mapping from symtab and dynsym */

/* ---- reloc.c: relocatable objects ---- */
bool reloc_layout(struct object *o, struct error *err);
bool reloc_symbols(struct object *o, struct error *err); /* gives symbols addresses */
bool reloc_apply(struct object *o, struct error *err);
/* Applies the relocations of the debug sections to a copy of the file, for libdw. */
bool reloc_apply_debug(struct object *o, uint8_t *file, struct error *err);

/* What one relocation of a .o needs; the architecture files (reloc_x86.c, reloc_arm.c) work on this. */
struct reloc {
    struct object *o;
    uint8_t *at; /* the place, with `before` bytes of its section before it and `room` from it on */
    size_t before, room;
    uint64_t place; /* P */
    uint32_t type;
    uint32_t symbol_index;
    const struct raw_symbol *symbol;
    uint64_t value;  /* S, without Thumb bit */
    int64_t addend;  /* A, when has_addend */
    bool has_addend; /* RELA; otherwise the addend is at the place */
    uint64_t sum;    /* S + A, once applied; of symbols that are addresses */
    struct got *got;
};
enum reloc_result { RELOC_DONE, RELOC_UNKNOWN, RELOC_OVERFLOW, RELOC_SHORT };
/* Kinds of entries of the synthetic GOT. */
enum got_kind { GOT_ADDRESS, GOT_TPOFF, GOT_TLS_PAIR };
uint64_t got_base(struct got *g);
/* Address of the entry for the relocation's symbol, made on first use. */
uint64_t got_entry(struct reloc *r, enum got_kind kind);
int64_t reloc_tls_offset(const struct reloc *r); /* of the symbol from the thread pointer */
enum reloc_result reloc_amd64(struct reloc *r);
enum reloc_result reloc_x86(struct reloc *r);
enum reloc_result reloc_arm(struct reloc *r);
enum reloc_result reloc_arm64(struct reloc *r);

/* ---- stub.c, bound.c, eh_frame.c ---- */
void stub_find(struct object *o);
/* Index of the first stub at or after the address. */
size_t stub_lower(const struct object *o, uint64_t address);
void bound_find(struct object *o);
/* lsda: address of the function's table of exception handlers, 0 when it has none. */
typedef void eh_frame_fn(void *ctx, uint64_t address, uint64_t size, uint64_t lsda);
void eh_frame_walk(struct object *o, eh_frame_fn *fn, void *ctx);
struct eh_cursor {
    const uint8_t *at, *end;
};
bool eh_leb128(struct eh_cursor *c, bool is_signed, uint64_t *out);
/* One encoded value (DW_EH_PE_*), before what it is relative to is added. */
bool eh_encoded(const struct image *im, struct eh_cursor *c, uint8_t encoding, uint64_t *out);

/* ---- landing.c ---- */
/* Reads the table of exception handlers of the function at [low, low + size). ARM: its entry in .ARM.extab. */
void landing_read(struct object *o, uint64_t low, uint64_t size, uint64_t lsda);
void landing_read_arm(struct object *o, uint64_t low, uint64_t size, uint64_t entry);
void landing_sort(struct object *o);

/* ---- debug.c, debugfile.c ---- */
struct debug *debug_new(void);
void debug_free(struct debug *d);
/* Looks for the detached debug file; reads its .symtab into the object when the object has none. */
bool debug_attach(struct object *o, const struct object_options *opt, struct error *err);

#endif
