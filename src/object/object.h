/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program file as it would look in memory: an ELF executable, shared object, relocatable object or
 * archive member, with its symbols, stubs, function bounds and debug information.
 *
 * An object is read completely and checked when it is opened; afterwards it is constant. Addresses are
 * link-time virtual addresses; a relocatable object's sections are laid out from OBJECT_RELOC_BASE on, code
 * first, its relocations applied, and every undefined symbol gets an address of its own in a synthetic,
 * unreadable "extern" region, so that a call to it has a destination with a name. Code addresses never carry
 * the Thumb bit; `thumb` says so instead. */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/machine.h"

struct object;

#define OBJECT_RELOC_BASE UINT64_C(0x400000)

/* A relocatable object has no addresses yet; people count from its beginning, as objdump does: its code is
 * laid out first, so that an address of the only code section is the offset in it. Inside the program they
 * stay where they were laid out, since an address of 0 is a null pointer, and no address. These two are the
 * way out and in, for places in the file; values of registers and of memory are not places. Of other files
 * they change nothing. */
uint64_t object_display_address(const struct object *o, uint64_t address);
uint64_t object_internal_address(const struct object *o, uint64_t shown);
/* "0x1234", as shown, or "SECTION+0x34"; false when it is neither. */
bool object_read_place(const struct object *o, const char *text, uint64_t *address);
/* The section that must qualify an address of code when it is shown, since several begin at 0 in the file;
 * NULL where the number is enough. */
const char *object_qualifying_section(const struct object *o, uint64_t address, uint64_t *offset);

/* ---- containers (object/container.c) ----
 * A container is anything that holds program files: a .deb, .rpm, tar, zip, ar archive or a directory,
 * nested. A plain ELF file is a container of one. Members are visited in sorted path order. */
struct object_member {
    const char *path;    /* inside the container: "data.tar.xz/./usr/lib/libz.so.1", "" for a plain file */
    size_t inner; /* where in it the path inside the innermost container begins: "./usr/lib/libz.so.1" */
    const uint8_t *data; /* valid during the callback only */
    size_t size;
    bool is_elf;
    bool is_symlink; /* then link holds the destination */
    const char *link;
    const char *error; /* of a file or folder of a directory that could not be read: why; data is NULL */
};
/* Return false to stop the walk. */
typedef bool object_member_fn(void *ctx, const struct object_member *m);
bool container_walk(const char *path, object_member_fn *fn, void *ctx, struct error *err);
/* As above over a file held in memory; `name` is for messages. */
bool container_walk_memory(const char *name, const uint8_t *data, size_t size, object_member_fn *fn,
                           void *ctx, struct error *err);
/* "pkg.deb:usr/bin/x" and "libx.a(y.o)", where there is no file of that very name: the container, which is
 * there, and the member; free() both. False: it is no such name. */
bool container_split(const char *path, char **container, char **member);

/* ---- opening ---- */
struct object_options {
    const char *const
        *debug_dirs; /* searched for detached debug files by build-id and debuglink: directories, or packages
                      * of debug symbols; NULL-terminated */
    bool debuginfod; /* ask debuginfod servers for what is not there */
    bool no_debug;   /* do not read DWARF */
    bool no_digest;  /* info.sha256 is not wanted */
};
/* `path` names an ELF file, or a container with one program in it, or "container(member)" /
 * "container:member" as in libfoo.a(bar.o) and pkg.deb:usr/bin/foo. With several programs and none named, an
 * error lists them. */
struct object *object_open(const char *path, const struct object_options *opt, struct error *err);
/* Whether the system has a client for debuginfod. */
bool object_debuginfod_available(void);
/* Copies what it needs; `name` is for messages. */
struct object *object_open_memory(const char *name, const uint8_t *data, size_t size,
                                  const struct object_options *opt, struct error *err);
void object_free(struct object *o);

/* ---- facts ---- */
enum object_type { OBJECT_EXECUTABLE, OBJECT_PIE, OBJECT_SHARED, OBJECT_RELOCATABLE };

struct object_info {
    const char *name;
    enum object_type type;
    enum machine_arch arch; /* MACHINE_NONE when unsupported; opening still works */
    const char *arch_name;  /* from the ELF header, also when unsupported */
    unsigned bits;          /* 32 or 64 */
    bool big_endian;
    bool stripped;  /* no .symtab */
    bool is_static; /* no dynamic section */
    uint64_t entry;
    const char *build_id;   /* hexadecimal, or NULL */
    const char *soname;     /* or NULL */
    const char *interp;     /* or NULL */
    const char *debug_file; /* detached debug file in use, or NULL */
    char sha256[65];
};
const struct object_info *object_info(const struct object *o);
/* SHA-256, in hexadecimal, of the detached debug files that are in use; of nothing when there are none. */
void object_debug_digest(const struct object *o, char hex[65]);

/* The file says, in .comment, that a compiler of that name made a part of it. */
bool object_names_compiler(const struct object *o, const char *name);

struct object_section {
    const char *name;
    uint64_t address, size;
    bool exec, write, alloc, nobits, tls;
    bool relro;  /* read-only after relocation */
    bool comdat; /* one of a group: other files have the same */
    bool excluded; /* the linker leaves it out */
    uint64_t
        merge; /* the linker may merge what is equal: size of an element, twice, and 1 for strings; 0: no */
};
size_t object_sections(const struct object *o, const struct object_section **out);

/* Compilers take what an index is at least from the address of the table: an address that lies so close
 * before data may be that of the data. */
enum { OBJECT_BEFORE_DATA = 4096 };

struct object_segment {
    uint64_t address, size, file_size, file_offset;
    bool read, write, exec;
};
size_t object_segments(const struct object *o, const struct object_segment **out);

/* Pointer to the bytes at address and how many follow contiguously (file contents, relocated; zero-filled
 * parts included up to a limit); NULL when not mapped. */
const uint8_t *object_bytes(const struct object *o, uint64_t address, size_t *available);
bool object_read(const struct object *o, uint64_t address, void *out, size_t n);
bool object_is_exec(const struct object *o, uint64_t address);
/* True when all n bytes can never be written by the program: not writable, or RELRO. */
bool object_is_readonly(const struct object *o, uint64_t address, size_t n);
/* A weak symbol of an object file stands for it: the linker takes another file's definition where there is
 * one. */
bool object_is_replaceable(const struct object *o, uint64_t address);
/* Whether two files put different things into memory from an address on, but for identifiers of their builds;
 * *at: the first of them, UINT64_MAX where segments differ. */
bool object_differ(const struct object *x, const struct object *y, uint64_t from, uint64_t *at);
/* The NUL-terminated printable string at an address in read-only memory, NULL when there is none. */
const char *object_string(const struct object *o, uint64_t address, size_t *len);

enum object_symbol_type {
    SYMBOL_NONE,
    SYMBOL_FUNC,
    SYMBOL_OBJECT,
    SYMBOL_IFUNC,
    SYMBOL_TLS,
    SYMBOL_SECTION,
    SYMBOL_FILE
};
enum object_bind { BIND_LOCAL, BIND_GLOBAL, BIND_WEAK };
struct object_symbol {
    const char *name;
    const char *version; /* "GLIBC_2.34" or NULL */
    uint64_t address, size;
    uint8_t type, bind;
    bool dynamic, undefined, thumb, version_default, hidden, protect;
};
/* Sorted by address, then name. Mapping symbols ($a, $t, $d, $x) are left out (see object_code_mode). */
size_t object_symbols(const struct object *o, const struct object_symbol **out);
const struct object_symbol *object_symbol_by_name(const struct object *o, const char *name);
bool object_is_weak(const struct object *o,
                    const char *name); /* there is a symbol of that name, a weak one */
/* Best symbol at or before the address (inside its size when it has one); offset may be NULL. */
const struct object_symbol *object_symbol_at(const struct object *o, uint64_t address, uint64_t *offset);

/* A place that stands for a function of another object: a PLT stub, a GOT slot, an extern of a .o file. */
enum object_stub_kind { STUB_PLT, STUB_GOT, STUB_EXTERN };
struct object_stub {
    uint64_t address, size;
    uint64_t slot;    /* the GOT slot it jumps through, 0 when none */
    const char *name; /* imported symbol (target 0), own symbol, or NULL for an IFUNC slot without a symbol */
    const char *version;
    uint64_t target; /* local address it resolves to (an own symbol, an IFUNC resolver), 0 when imported */
    uint8_t kind;
    bool ifunc;
    bool called; /* STUB_EXTERN: a branch leads there or its symbol says that it is a function; else it may be
                    data */
};
size_t object_stubs(const struct object *o, const struct object_stub **out); /* sorted by address */
const struct object_stub *object_stub_at(const struct object *o,
                                         uint64_t address); /* PLT stub, GOT slot or extern there */
/* A relocatable object does not know where symbols of other files are, and makes something up. Which symbol's
 * address that is, or of which it is the address plus *offset; NULL: no such address. A function that is
 * called has another one for that, which is meant by itself only. */
const struct object_stub *object_extern_at(const struct object *o, uint64_t address, int64_t *offset);
/* The same of what the n bytes of code from there on make, by one of their relocations: others may have such
 * a number, too. */
const struct object_stub *object_extern_made(const struct object *o, uint64_t from, size_t n,
                                             uint64_t address, int64_t *offset);
bool object_may_be_extern(const struct object *o, uint64_t address); /* false: NULL is the answer to both */

/* Dynamic relocations that make a data word an address: what a pointer table holds. */
struct object_pointer {
    uint64_t address; /* of the word */
    uint64_t target;  /* local destination when name is NULL */
    const char *name; /* imported symbol */
    const char *own; /* exported symbol of this file that the dynamic linker looks up for code: another file's may come
                        first */
    int64_t addend;
    bool thumb; /* the local destination is Thumb code (target is without the bit, the word has it) */
    bool other; /* no address but something else that the dynamic linker puts there, such as where a thread-local
                   variable is; name says what: "tpoff:errno" */
};
size_t object_pointers(const struct object *o, const struct object_pointer **out); /* sorted by address */
/* How many of them lie before the address, and the one that lies there, or NULL. */
size_t object_pointers_before(const struct object *o, uint64_t address);
const struct object_pointer *object_pointer_at(const struct object *o, uint64_t address);
/* A relocatable object: whether a relocation changes one of the n bytes at the address. */
bool object_is_relocated(const struct object *o, uint64_t address, size_t n);

/* The dynamic linker puts a library's variable there. */
bool object_is_copied(const struct object *o, uint64_t address);

/* ---- what a file tells the kernel and the dynamic linker, apart from its contents ---- */
struct object_dynamic {
    uint64_t tag, value; /* DT_*; the value of ARM code addresses is without the Thumb bit */
    const char *text;    /* the string it means, NULL when it means none */
};
size_t object_dynamic(const struct object *o, const struct object_dynamic **out); /* in the order of the file */

struct object_load {
    uint32_t flags;  /* of the processor, e_flags */
    uint8_t abi;     /* EI_OSABI */
    bool exec_stack; /* asked for, or not declined */
    bool relro;      /* a part is made read-only after relocation */
    uint32_t features; /* what the processor is to check, from .note.gnu.property (shadow stack, branch targets) */
    uint32_t float_arguments; /* of ARM: Tag_ABI_VFP_args, in which registers floats are passed */
    uint64_t stack_size;      /* asked for, 0: none */
    bool has_tls;
    uint64_t tls_address, tls_size, tls_file_size, tls_align; /* what every thread's variables start with */
};
const struct object_load *object_load(const struct object *o);

/* ---- function bounds, as far as tables tell (src/flow finds the rest) ---- */
enum object_bound_source {
    BOUND_SYMBOL = 1,
    BOUND_DYNSYM = 2,
    BOUND_EH_FRAME = 4,
    BOUND_EXIDX = 8,
    BOUND_DWARF = 16,
    BOUND_ENTRY = 32,
    BOUND_INIT = 64
};
struct object_bound {
    uint64_t address, size; /* size 0 when unknown */
    const char *name;       /* NULL when unknown */
    unsigned sources;       /* set of enum object_bound_source */
    bool thumb, ifunc;
    bool eh_part; /* from .eh_frame only: may be a .cold part or a PLT */
};
size_t object_bounds(const struct object *o,
                     const struct object_bound **out); /* sorted by address, one per address */

/* Where a call goes on when something is thrown through it: the landing pad for the last byte of the call
 * instruction, from the function's table of exception handlers (.gcc_except_table, .ARM.extab). *asked, unless
 * NULL: which of the table's types are asked about, in which order, as a number. False when there is none. */
bool object_landing_pad(const struct object *o, uint64_t address, uint64_t *pad, uint64_t *asked);
/* The table itself, of the function that begins at the address; NULL when it has none. */
struct object_handlers {
    uint64_t function;
    const uint8_t *site; /* call sites, and after them what is done about which type */
    size_t nsite;        /* bytes */
    const uint64_t *type; /* addresses of type descriptions, or of words that hold those (indirect); 0: any type */
    size_t ntypes;
    bool indirect;
    bool broken; /* it could not be read */
};
const struct object_handlers *object_handlers(const struct object *o, uint64_t function);

/* ARM: is the code at address Thumb, from mapping symbols. 1 Thumb, 0 ARM, -1 not said. `$d` data: 2. */
int object_code_mode(const struct object *o, uint64_t address);
/* ARM: what it looks like, where nothing says so. */
bool object_looks_thumb(const struct object *o, uint64_t address);

/* What is in the file but could not be used: relocations of unknown types or out of range, broken unwind
 * tables. Sorted by address; at most a thousand are kept. None of them keeps an object from opening. */
struct object_problem {
    uint64_t address;
    const char *text;
};
size_t object_problems(const struct object *o, const struct object_problem **out);

/* ---- debug information (object/debug.c); all NULL or 0 without DWARF ---- */
enum object_type_kind {
    TYPE_VOID,
    TYPE_INT,
    TYPE_BOOL,
    TYPE_FLOAT,
    TYPE_POINTER,
    TYPE_STRUCT,
    TYPE_UNION,
    TYPE_ARRAY,
    TYPE_ENUM,
    TYPE_FUNC,
    TYPE_OTHER
};
struct object_type_info;
struct object_field {
    const char *name;
    uint64_t offset;               /* bytes */
    unsigned bit_size, bit_offset; /* bit-fields, else 0 */
    const struct object_type_info *type;
};
struct object_type_info {
    uint8_t kind;
    bool is_signed;
    bool bit_int;                          /* _BitInt(N): how many of its bits count is not said */
    const char *name;                      /* "struct point", "unsigned int", typedef name kept */
    uint64_t size;                         /* bytes */
    const struct object_type_info *target; /* pointer, array; function: what it returns, NULL: nothing */
    uint64_t count;                        /* array; function: parameters, */
    const struct object_type_info *const
        *param; /* ... and their types; an entry is NULL where nothing says it */
    const struct object_field *field;
    size_t nfields;
};
struct object_param {
    const char *name; /* or NULL */
    const struct object_type_info *type;
};
struct object_function_debug {
    uint64_t address, size;
    const char *name;
    const struct object_param *param;
    size_t nparams;
    bool variadic, noreturn, external;
    const struct object_type_info *result; /* NULL: void */
    const char *file;
    unsigned line;
};
/* The function whose code covers the address; NULL: nothing is said of it, or an assembler says it. For a
 * part away from the rest (.cold) its `address` is another one: that of the whole function. */
const struct object_function_debug *object_debug_function(const struct object *o, uint64_t address);
/* What the unit of the code at the address declares of a function that is elsewhere, with a prototype; NULL: nothing. */
const struct object_function_debug *object_debug_declared(const struct object *o, uint64_t address, const char *name);
struct object_line {
    const char *file;
    unsigned line, column;
};
bool object_debug_line(const struct object *o, uint64_t address, struct object_line *out);
/* Where the code of a source line begins: every place that is the first of it. The file is named as in object_line, or by
 * the end of that. Returns how many there are; fills up to cap. */
size_t object_debug_line_places(const struct object *o, const char *file, unsigned line, uint64_t *out, size_t cap);
/* Inlined calls that cover the address, outermost first. Returns how many there are; fills up to cap. */
struct object_inline {
    const char *name;
    const char *call_file;
    unsigned call_line;
    uint64_t low, high;
};
size_t object_debug_inlined(const struct object *o, uint64_t address, struct object_inline *out, size_t cap);

/* ---- variables (object/debug_variable.c) ---- */
struct object_variable {
    const char *name;
    const struct object_type_info *type; /* or NULL */
    bool parameter;
    uint64_t die, function; /* for object_debug_place */
};
/* Parameters and local variables in scope at the address, outer scopes first. Returns how many there are; fills up to cap. */
size_t object_debug_variables(const struct object *o, uint64_t address, struct object_variable *out, size_t cap);
/* A program that stands at an address. Registers have the numbers that DWARF gives them. */
struct object_view {
    void *ctx;
    uint64_t cfa; /* the stack pointer before the call of this function */
    unsigned pointer_bytes;
    bool (*get)(void *ctx, unsigned number, uint64_t *out);
    bool (*load)(void *ctx, uint64_t address, unsigned bytes, uint64_t *out);
};
enum object_place_kind { PLACE_NONE /* not there now, or not in one piece */, PLACE_MEMORY, PLACE_REGISTER, PLACE_VALUE };
struct object_place {
    enum object_place_kind kind;
    uint64_t value; /* an address, a number of a register, the value itself */
};
struct object_place object_debug_place(const struct object *o, const struct object_variable *v, uint64_t address,
                                       const struct object_view *view);
/* A variable of the file: of the function at the address (static), or of the unit that has it; or one that
 * this unit declares, and another one defines for all. */
struct object_global {
    const struct object_type_info *type; /* or NULL */
    bool placed;                         /* the rest is known */
    bool tls; /* each thread has one: the address is an offset in what they begin with */
    uint64_t address;
};
bool object_debug_global(const struct object *o, uint64_t address, const char *name,
                         struct object_global *out);
/* Where a variable of each thread is from the thread pointer on, by the rules for programs, and for
 * relocatable objects as they were laid out here; `inside` is its offset in what they begin with. */
int64_t object_thread_offset(const struct object *o, uint64_t inside);

#endif
