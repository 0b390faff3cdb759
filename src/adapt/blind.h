/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of which not everything is known that goes in (blind_run.c), the memory that they find
 * (blind_memory.c), the kernel that they ask (blind_kernel.c) and what it reads (blind_given.c), and what
 * they say (blind.c). */
#ifndef ADAPT_BLIND_H
#define ADAPT_BLIND_H

#include "adapt/internal.h"
#include "exec/concrete.h"

enum {
    ARGS = 12, /* of a function of which it is known what it takes; */
    WORDS = 8, /* else that many are given */
    EVENTS = 64,
    DECISIONS = 200,    /* of branches in one run */
    HINGES = 200,       /* in one run */
    RUN_STEPS = 120000, /* of the IR */
    PAGE_BITS = 12,
    EXTERN_BITS = 16, /* room for an object of another file */
    TLS_SIZE = 0x1000,
    NULL_PAGES = 16, /* what a null pointer leads to */
};

/* ---- shades ---- */

typedef uint64_t shade;
enum {
    SHADE_ARGS = (1 << ARGS) - 1, /* made of these arguments, which are not decided */
    SHADE_UNKNOWN = 1 << ARGS,
    SHADE_GIVEN = 1 << (ARGS + 1), /* known or not: made of arguments, or of memory that they lead to */
    BASE_SHIFT = ARGS + 2,         /* 4 bits. 1 + k: the constant that is argument k plus the value */
    BYTE_SHIFT = ARGS + 6,         /* 3 bits: which byte of that */
    SHADE_BASE = 15 << BASE_SHIFT,
    SHADE_NEAR = 1 << (ARGS + 9),  /* that constant plus about the value: less than a page away */
    SHADE_HALF = 1 << (ARGS + 10), /* ... and of 64 bits only the lower half is */
    HINGE_SHIFT = ARGS + 11,       /* 8 bits. 1 + n: what is not known hangs on hinge n of the run */
    SHADE_HINGE = 255 << HINGE_SHIFT,
};
#define SHADE_LEFT UINT64_C(0x80000000)    /* in a register that nobody has written: anything */
#define SHADE_PURE UINT64_C(0x100000000)   /* not known, and made of constants alone */
#define SHADE_OFFSET UINT64_C(0x200000000) /* ... of an address outside, plus such */
#define SHADE_ROUNDED UINT64_C(0x400000000) /* not known, but it is a known number of 80 bits, rounded once  \
                                             */

static inline bool is_unknown(shade s)
{
    return s & (SHADE_ARGS | SHADE_UNKNOWN);
}

static inline shade without_base(shade s)
{
    return s & (SHADE_ARGS | SHADE_UNKNOWN | SHADE_GIVEN | SHADE_HINGE | SHADE_PURE);
}

/* A constant plus exactly the value. */
static inline bool is_exact(shade s)
{
    return s & SHADE_BASE && !(s & (SHADE_NEAR | SHADE_HALF));
}

/* Which constant it is. */
static inline unsigned base_of(shade s)
{
    return ((s & SHADE_BASE) >> BASE_SHIFT) - 1u;
}

static inline shade of_base(unsigned k)
{
    return (shade)(SHADE_UNKNOWN | SHADE_GIVEN | (k + 1) << BASE_SHIFT) | SHADE_PURE;
}

/* ---- a run ---- */

enum run_end {
    END_RETURN,
    END_TRAP,    /* or the process is over */
    END_CUT,     /* nothing more is known */
    END_REFUTED, /* it cannot be what the target does */
    END_NEED,    /* argument `k` has to be decided */
    END_PIN,     /* memory is accessed near constant `k` */
    END_FIX,     /* constant `k` can only be `value` */
    END_SPLIT,   /* constants `k` below `value` and others are to be tried by themselves */
};

/* What memory that is not the file's has in it. */
enum content {
    CONTENT_ZEROES,
    CONTENT_TEXTS,    /* short numbers, others on other pages */
    CONTENT_POINTERS, /* to places of their own; 0 at the beginning of a page */
    CONTENT_NUMBERS,  /* 1, 2, 3, 0, 1, ... in words of 32 bits */
    CONTENT_MIXED,    /* one of these, or pointers and numbers, on each page */
    CONTENT_DIGITS,   /* numbers that are too large for a word */
    CONTENT_WIDE,     /* ... of characters of 32 bits */
    CONTENTS
};

/* A number in memory. */
struct patch {
    uint64_t address, value;
    unsigned bytes;
};

/* What is around the two functions in a test. */
enum { PATCHES = 16 };
struct scene {
    enum content content;
    unsigned seed;    /* of pointers in memory, and floating-point arguments */
    uint8_t turned, by; /* `by` is not 0: that one of these is another number */
    uint64_t returns; /* what functions return that memory has */
    bool answers;     /* the kernel does what it is asked for */
    bool changed; /* variables of the file or the thread that are 0, and objects of other files, have pointers
                     in them */
    struct patch patch[PATCHES]; /* outside the file memory has these in it; the last one counts */
    unsigned npatches;
};

/* What goes in. */
enum {
    TESTS = 22,       /* that every target is run on */
    TESTS_GROWN = 42, /* with those of blind_grow, */
    TESTS_MAX = 64,   /* and some of these elsewhere */
};
struct input {
    uint64_t arg[ARGS];
    struct scene scene;
};
struct inputs {
    const struct flow_function *f; /* of what target */
    bool needs[ARGS];              /* the argument makes a difference */
    unsigned n;
    struct input input[TESTS_MAX];
};

/* The file, loaded, and what is around it. */
struct world {
    struct program *p;
    const struct ir_machine *m;
    const struct object *o;
    struct guest guest;
    uint64_t low, high;     /* of the file */
    uint64_t single;        /* where the C library notes that there is one thread; 0: nowhere */
    struct strmap external; /* objects of other files, numbered */
    unsigned nexternal;
    struct map chosen;  /* resolver -> implementation */
    struct map effects; /* function -> struct blind_effects * */
    bool *saved;        /* which bytes of the file callees keep */
    bool x87;           /* there is such a unit, with these registers */
    uint16_t x87_top, x87_register, x87_tag;
    shade *value;   /* of the block being run */
    shade *half;    /* of what a register had, its lower half */
    uint8_t *known; /* how many low bytes of what is not known are */
    size_t nvalue;
    uint64_t steps, steps_max; /* so far, and when it is enough */
    struct inputs grown;       /* of the last target; others are asked about for the same */
};

/* A byte of the frame that a callee is shown. */
struct shown {
    bool known;
    uint8_t byte;
};

struct side {
    struct world *w;
    struct concrete *c;
    shade *reg;
    struct map shade; /* of bytes in memory that were written */
    struct scene scene;
    uint64_t heap_end, mapped;   /* what the kernel has given so far */
    VEC(uint64_t) written, page; /* bytes; pages that were touched */
    VEC(uint64_t) code;          /* pages with functions that were called */
    struct {                     /* system calls, and calls of what the file does not have */
        bool call;
        unsigned looks;      /* at which of its arguments the kernel looks, a set */
        uint64_t nr, arg[7]; /* or the callee */
        shade shade[7];
        bool read;      /* the bytes are known that the kernel reads */
        uint64_t given; /* made of them */
        const struct object_type_info
            *takes;   /* the type of the callee, of the target's calls; NULL: not known */
        size_t shown; /* where in `shown` what is shown to it begins */
    } event[EVENTS];
    VEC(struct shown) shown;
    unsigned nevents;
    bool left;    /* a callee has returned: what it had in its frame is there still */
    bool whole;   /* it has returned */
    bool trapped; /* it has ended otherwise */
    bool blurred; /* something was written outside, and nobody knows where */
    bool varies;  /* it has seen what is otherwise in other tests, or nobody knows what */
    uint64_t result, float_result[2];
    uint64_t x87_result; /* at the top of that unit's stack */
    shade result_shade, float_shade[2], x87_shade;
    const uint8_t *floats; /* which of the floating-point arguments of the target each one is, ADAPT_FLOATS: a
                              constant; NULL: the same */
};

/* Which way branches go that depend on what is not known, and where in the run each of them is. */
struct ways {
    bool taken[DECISIONS];
    uint32_t at[DECISIONS];
    unsigned n;
};

/* Something is otherwise where constant `k` is less than `at`. */
struct hinge {
    uint8_t k;
    uint64_t at;
};

struct run {
    struct side *s;
    const struct side *like; /* the target there; NULL: this is the target */
    const struct target *target; /* ... and what it takes; NULL: it is no function that anybody asks about */
    const struct input *in;
    enum run_end end;
    unsigned k;
    uint64_t value;
    bool near;        /* END_PIN: the value is not exact */
    bool early;       /* END_NEED: it could go on with the argument not decided, both ways of a branch */
    bool forks;       /* it does */
    struct ways ways; /* behind those that are given, branches are not taken */
    unsigned met;     /* branches that need one */
    uint32_t here;    /* where in the run it is, at a branch */
    uint64_t steps;
    const uint64_t *low, *high; /* constants lie between these; of the inner function */
    struct hinge hinge[HINGES];
    unsigned nhinges;
    struct watch *watch; /* of the target; NULL: nobody watches */
};

static inline bool stop(struct run *r, enum run_end end)
{
    r->end = end;
    return false;
}

/* Whether what is not known hangs on a hinge: `k` and `value` say on which. */
bool blind_hinges(struct run *r, shade s);

/* It cannot go on without what the shade says is not known. */
static inline bool needs(struct run *r, shade s)
{
    if (!(s & SHADE_ARGS))
        return stop(r, blind_hinges(r, s) ? END_SPLIT : END_CUT);
    r->k = (unsigned)__builtin_ctz(s & SHADE_ARGS);
    return stop(r, END_NEED);
}

/* ---- blind_shade.c ---- */
/* The shade of what is made of both, and is no constant plus something. */
shade blind_mixed(shade x, shade y);
/* Of so many bytes together, and of one of so many. */
shade blind_joined(const struct world *w, const shade *byte, unsigned n);
shade blind_split(const struct world *w, shade s, unsigned i, unsigned n);
bool blind_is_comparison(unsigned op);
/* Of what an operator gives. */
shade blind_operator(struct run *r, const struct ir_block *block, const struct ir_insn *i);
/* What it hinges on already, if anything; else, of a constant plus something, which of few constants it is.
 */
shade blind_few(struct run *r, shade s);
/* The value is a constant plus something: what is added to it. */
uint64_t blind_added(const struct run *r, uint64_t value, shade s);
/* How many constants there are beside the least, of a constant plus something. */
uint64_t blind_others(const struct run *r, shade s);
/* It is an address in one and the same page, whatever the constant. */
bool blind_is_in_page(const struct run *r, uint64_t address, shade s);

/* All pages are known that the target touches before it does what the run of the inner function has yet to
 * do. */
bool blind_knows_pages(const struct run *r);
enum blind_where { IN_IMAGE, IN_STACK, IN_THREAD, IN_OTHER_FILES, FROM_KERNEL, OUTSIDE };
/* The heap that the kernel gives, and behind it what it maps. */
#define BLIND_HEAP UINT64_C(0x300000000000)
enum { BLIND_HEAP_BITS = 32, BLIND_KERNEL_BITS = 36 };
enum blind_where blind_where(const struct world *w, uint64_t address);
/* No index leads from there to the file, the stack or what else the run has of its own. */
bool blind_is_far(const struct world *w, uint64_t address);
/* What a byte has in it that nobody wrote (concrete_fill_fn of a side). */
bool blind_fill(void *ctx, unsigned space, uint64_t address, uint8_t *cell);
/* An address of the stack. */
bool blind_in_stack(const struct world *w, uint64_t address);
/* The word that a byte belongs to, as it is now. */
uint64_t blind_word(struct side *s, uint64_t address);
/* What a register has in it that is as wide as a word. */
uint64_t blind_get_word(const struct side *s, unsigned offset);
shade blind_register(const struct side *s, unsigned offset);
void blind_put_word(struct side *s, unsigned offset, uint64_t x, shade of);
/* An access at a known address is one that the target may make, or makes too. *missing: the target does not
 * make it, but a null pointer of the file leads there, of which nothing is said. */
bool blind_may_access(struct run *r, uint64_t address, unsigned bytes, shade of, bool *missing);
/* A byte is written; what is left in the stack is not compared. */
void blind_note_written(struct side *s, uint64_t at, shade of);
/* One more thing that can be seen from outside. */
bool blind_add_event(struct run *r, bool call, uint64_t nr);
/* What is known of a byte of memory. */
shade blind_byte(struct side *s, uint64_t address);
struct world *blind_world(struct program *p);
void blind_open(struct side *s, struct world *w);
void blind_close(struct side *s);
/* Everything as at the entry of a function, and then its arguments. */
void blind_enter(struct side *s);
void blind_give(struct side *s, unsigned i, uint64_t x, shade of);
/* The upper half of an argument is not known. */
void blind_forget_half(struct side *s, unsigned i);
/* The register of results has 0 in it. */
void blind_clear_result(struct side *s);
/* Where the function begins, or the one that it chooses for the machine. False: that is not known. */
bool blind_start(struct world *w, const struct flow_function *f, ir_label *at);
/* From the function's first instruction until it returns; false: r->end says why it does not. */
bool blind_run(struct run *r, ir_label at);

/* An address is a constant plus something that is no address of the file or the stack. */
bool blind_at_constant(const struct run *r, uint64_t address, shade of);
/* Memory is accessed there, and it is not known in which page. */
bool blind_stop_at_constant(struct run *r, uint64_t address, shade of);
/* Something is written, or not, to each of these bytes. */
void blind_store_somewhere(struct run *r, uint64_t address, uint64_t n, shade of);
/* A callee returns, and leaves nothing in registers that it need not keep. */
bool blind_leave(struct run *r, ir_label *at, uint64_t result, shade result_shade);

/* ---- blind_effects.c ---- */
enum { BLIND_SYSCALLS = 512 };
/* What a function can do at all. */
struct blind_effects {
    uint64_t asks[BLIND_SYSCALLS / 64]; /* system calls by their numbers, a set */
    bool any;    /* it calls what is not known, or not in the file: anything, and writes */
    bool writes; /* outside frames, or the kernel does for it */
};
const struct blind_effects *blind_effects(struct world *w, const struct flow_function *f);
/* The run did what no function can that has these alone. */
bool blind_does_more(struct side *target, const struct blind_effects *e);

/* ---- blind_callee.c ---- */
/* What is known of a callee without looking into it, whichever implementation the resolver chooses. False:
 * r->end says why the run ends there. *done: it has returned. */
bool blind_callee(struct run *r, uint64_t resolver, ir_label *at, bool *done);

/* ---- x87.c ---- */
/* What the instruction gives may be something else on the processor. */
bool blind_rounds(const struct run *r, const struct ir_block *block, uint32_t n);
/* SHADE_ROUNDED, if what instruction n gives is such a number; else 0. */
shade blind_rounded(const struct run *r, const struct ir_block *block, uint32_t n);
/* A comparison of such numbers, or of one with what is known, is what it is of those that they were made of.
 */
bool blind_compares_rounded(const struct run *r, const struct ir_insn *i);

/* ---- blind_words.c ---- */
struct blind_words {
    unsigned n;
    uint8_t slot[ARGS];                        /* where blind_give puts them */
    uint32_t wide;                             /* a set: of which, with the next, a long double is made */
    const struct object_type_info *type[ARGS]; /* NULL: not known, or part of a long double */
    bool known;                                /* debug information or a table says so */
    bool all;                                  /* it takes no more than these */
    bool variadic;
    unsigned bits, float_bits; /* of the result that are compared; of a long double BLIND_X87 */
};
enum { BLIND_X87 = 80 };
/* Where nothing says what it takes, as many as there is room for. */
void blind_words(const struct adapt_code *c, struct blind_words *out);
/* Puts some into the arguments that are long doubles, others in each test. */
void blind_long_doubles(const struct blind_words *words, unsigned test, uint64_t *arg);

/* ---- the target ---- */
struct target {
    const struct adapt *a;
    const struct flow_function *f;
    const struct blind_words *words;
    ir_label at;
    unsigned nargs;
    unsigned bits; /* of the result that are compared */
    bool variadic;
    struct narrow {
        uint8_t bits; /* what it has of the register that it is in; 0: all */
        bool sign;
    } narrow[ARGS];
};
/* Callers extend what is narrower than 32 bits: as they give it. */
void blind_extend(const struct target *t, struct input *x);
/* Runs it. */
void blind_target(struct side *s, const struct target *t, const struct input *x, struct watch *watch);
/* What can be seen of two runs of the target in the same memory is not the same. */
bool blind_look_different(const struct target *t, struct side *x, struct side *y);
/* Something can be seen of the run from outside. */
bool blind_says_something(const struct side *target);
/* What pointer argument i may be. */
uint64_t blind_place(const struct world *w, unsigned test, unsigned i);

/* ---- blind_kernel.c ---- */
bool blind_syscall(struct run *r);
/* Whether a value of the inner function can be what the target has: where it is a constant plus something,
 * that says which. An address of the target's frame is elsewhere when the stack is; no constant is, nor what
 * is known and no address of a frame. */
bool blind_can_be(struct run *r, uint64_t x, shade of, uint64_t target, shade target_of);

/* ---- blind_called.c ---- */
/* What the function in memory is given that is called as event n is what it is given by the target, as far as
 * both are known, and as debug information says that it takes anything. */
bool blind_called(struct run *r, unsigned n);

/* ---- blind_given.c ---- */
/* What the kernel is given to read in system call n is what it is given in that of the target, as far as both
 * are known. */
bool blind_given(struct run *r, unsigned n);

/* ---- blind_inputs.c ---- */
/* More inputs beside those that there are, as long as it takes. */
void blind_grow(struct inputs *x, struct world *w, const struct target *target, const struct deadline *until);
/* What somebody who watches the target is told. */
void blind_watch_edge(struct watch *w, uint64_t at);
void blind_watch_comparison(struct watch *w, uint64_t at, uint64_t x, uint64_t y, unsigned width);
void blind_watch_bits(struct watch *w, uint64_t x, uint64_t mask, unsigned width);
void blind_watch_load(struct watch *w, uint64_t address, unsigned bytes, uint64_t value);
void blind_watch_text(struct watch *w, uint64_t address); /* in the file, maybe */
/* ---- blind_memory.c ---- */
/* One thing is otherwise; false: it is that already. */
enum { SCENES = CONTENTS + 6 };
bool blind_change_scene(struct scene *s, unsigned n);

#endif
