/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families of adapters: a value is one of a list of options, some of them with constants that are free. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "adapt/internal.h"

const char *adapt_family_name(unsigned family)
{
    switch (family) {
    case ADAPT_PERMUTE:
        return "permute";
    case ADAPT_SUBSTITUTE:
        return "substitute";
    case ADAPT_CONVERT:
        return "convert";
    case ADAPT_ARITHMETIC:
        return "arithmetic";
    case ADAPT_RETURN:
        return "return";
    case ADAPT_MEMORY:
        return "memory";
    }
    return "?";
}

/* ---- conversions ---- */

static const struct {
    uint8_t bits;
    bool sign;
} conversion[ADAPT_CONVERSIONS] = {
    [ADAPT_S32] = {32, true},     [ADAPT_Z32] = {32, false},  [ADAPT_S16] = {16, true},
    [ADAPT_Z16] = {16, false},    [ADAPT_S8] = {8, true},     [ADAPT_Z8] = {8, false},
    [ADAPT_BOOL32] = {32, false}, [ADAPT_BOOL8] = {8, false},
};

static bool conversion_is_there(unsigned c, unsigned width)
{
    return c == ADAPT_AS_IS || c == ADAPT_BOOL || conversion[c].bits < width;
}

static term convert_term(struct terms *t, unsigned c, term x)
{
    unsigned width = term_width(t, x);
    if (c == ADAPT_AS_IS)
        return x;
    if (c == ADAPT_BOOL)
        return term_zext(t, term_not(t, term_eq(t, x, term_const(t, width, 0))), width);
    term low = term_extract(t, x, 0, conversion[c].bits);
    if (c > ADAPT_BOOL)
        return term_zext(t, term_not(t, term_eq(t, low, term_const(t, conversion[c].bits, 0))), width);
    return conversion[c].sign ? term_sext(t, low, width) : term_zext(t, low, width);
}

static uint64_t cut(uint64_t x, unsigned width)
{
    return width >= 64 ? x : x & ((UINT64_C(1) << width) - 1);
}

static uint64_t convert_value(unsigned c, uint64_t x, unsigned width)
{
    if (c == ADAPT_AS_IS)
        return x;
    if (c == ADAPT_BOOL)
        return x != 0;
    uint64_t low = cut(x, conversion[c].bits);
    if (c > ADAPT_BOOL)
        return low != 0;
    if (conversion[c].sign && low >> (conversion[c].bits - 1))
        low |= ~UINT64_C(0) << conversion[c].bits;
    return cut(low, width);
}

/* ---- options ---- */

struct choice {
    struct adapt_value v;
    bool any_scale, any_constant; /* these are free */
};

/* Option k of an argument, from `nargs` of the target; false: there are no more. */
static bool argument_choice(const struct adapt *a, unsigned stage, unsigned k, struct choice *out)
{
    /* what the target does not look at can be a constant as well; only where there are none it is taken */
    bool all = stage == STAGE_PERMUTE;
    unsigned n = all ? a->target.nargs : a->target.nuse;
    *out = (struct choice){.v = {.scale = 1}};
    if (stage != STAGE_PERMUTE) {
        if (k == 0) {
            out->v.scale = 0;
            out->any_constant = true;
            return true;
        }
        k--;
    }
    if (k < n) {
        out->v.arg = all ? k : a->target.use[k];
        return true;
    }
    k -= n;
    if (stage < STAGE_CONVERT)
        return false;
    for (unsigned c = 1; c < ADAPT_CONVERSIONS; c++) {
        if (!conversion_is_there(c, a->width))
            continue;
        if (k < n) {
            out->v.arg = a->target.use[k];
            out->v.conversion = (uint8_t)c;
            return true;
        }
        k -= n;
    }
    if (stage < STAGE_ARITHMETIC)
        return false;
    out->any_constant = true;
    for (unsigned c = ADAPT_AS_IS; c <= ADAPT_Z32; c++) {
        if (!conversion_is_there(c, a->width))
            continue;
        if (k < n) {
            out->v.arg = a->target.use[k];
            out->v.conversion = (uint8_t)c;
            out->any_scale = true;
            return true;
        }
        k -= n;
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            if (i == j)
                continue;
            /* the sum once, the difference in both directions */
            for (unsigned minus = i < j ? 0 : 1; minus < 2; minus++) {
                if (k == 0) {
                    out->v.two = true;
                    out->v.arg = a->target.use[i];
                    out->v.arg2 = a->target.use[j];
                    out->v.scale2 = minus ? cut(UINT64_MAX, a->width) : 1;
                    return true;
                }
                k--;
            }
        }
    return false;
}

static bool result_choice(const struct adapt *a, unsigned stage, bool converts, unsigned k,
                          struct choice *out)
{
    *out = (struct choice){.v = {.scale = 1}};
    if (k == 0)
        return true;
    k--;
    if (!converts)
        return false;
    for (unsigned c = 1; c < ADAPT_CONVERSIONS; c++) {
        if (!conversion_is_there(c, a->width))
            continue;
        if (k == 0) {
            out->v.conversion = (uint8_t)c;
            return true;
        }
        k--;
    }
    if (stage < STAGE_ARITHMETIC)
        return false;
    out->any_constant = true;
    for (unsigned c = ADAPT_AS_IS; c <= ADAPT_Z32; c++) {
        if (!conversion_is_there(c, a->width))
            continue;
        for (unsigned minus = 0; minus < 2; minus++) {
            if (k == 0) {
                out->v.conversion = (uint8_t)c;
                out->v.scale = minus ? cut(UINT64_MAX, a->width) : 1;
                return true;
            }
            k--;
        }
    }
    return false;
}

/* ---- values as terms ---- */

static term linear(struct terms *t, unsigned width, const struct adapt_value *v, term scale, term constant,
                   const term *arg)
{
    term x = constant == TERM_NONE ? term_const(t, width, v->constant) : constant;
    if (scale != TERM_NONE)
        x = term_bin(t, OP_ADD, term_bin(t, OP_MUL, arg[v->arg], scale), x);
    else if (v->scale)
        x = term_bin(t, OP_ADD, term_bin(t, OP_MUL, arg[v->arg], term_const(t, width, v->scale)), x);
    if (v->two)
        x = term_bin(t, OP_ADD, term_bin(t, OP_MUL, arg[v->arg2], term_const(t, width, v->scale2)), x);
    return convert_term(t, v->conversion, x);
}

term value_term(struct adapt *a, const struct adapt_value *v, const term *arg)
{
    return linear(a->t, a->width, v, TERM_NONE, TERM_NONE, arg);
}

uint64_t value_number(const struct adapt_value *v, unsigned width, const uint64_t *arg)
{
    uint64_t x = v->constant;
    if (v->scale)
        x += v->scale * arg[v->arg];
    if (v->two)
        x += v->scale2 * arg[v->arg2];
    return convert_value(v->conversion, cut(x, width), width);
}

/* ---- forms ---- */

enum { SELECT = 16 }; /* bits of a selector */

static struct unknown unknown_new(struct adapt *a)
{
    return (struct unknown){term_fresh(a->t, "select", SELECT), term_fresh(a->t, "scale", a->width),
                            term_fresh(a->t, "constant", a->width)};
}

void form_make(struct form *f, struct adapt *a, unsigned stage, bool converts_result)
{
    *f = (struct form){.stage = stage, .converts_result = converts_result};
    for (unsigned i = 0; i < a->inner.nargs; i++)
        f->arg[i] = unknown_new(a);
    f->result = unknown_new(a);
}

static term choose(struct adapt *a, const struct unknown *u, const struct choice *c, unsigned k,
                   const term *arg, term otherwise)
{
    struct terms *t = a->t;
    term x = linear(t, a->width, &c->v, c->any_scale ? u->scale : TERM_NONE,
                    c->any_constant ? u->constant : TERM_NONE, arg);
    return otherwise == TERM_NONE
               ? x
               : term_ite(t, term_eq(t, u->select, term_const(t, SELECT, k)), x, otherwise);
}

term form_argument(struct adapt *a, const struct form *f, unsigned i, const term *arg)
{
    struct choice c;
    term x = TERM_NONE;
    for (unsigned k = 0; argument_choice(a, f->stage, k, &c); k++)
        x = choose(a, &f->arg[i], &c, k, arg, x);
    return x == TERM_NONE ? term_const(a->t, a->width, 0) : x;
}

term form_result(struct adapt *a, const struct form *f, term returned)
{
    struct choice c;
    term x = TERM_NONE;
    for (unsigned k = 0; result_choice(a, f->stage, f->converts_result, k, &c); k++)
        x = choose(a, &f->result, &c, k, &returned, x);
    return x;
}

term no_address(struct adapt *a, term constant)
{
    struct terms *t = a->t;
    term ok = term_true(t);
    for (unsigned side = 0; side < 2; side++) {
        const struct summary *s = side ? &a->inner : &a->target;
        const struct object_segment *seg;
        size_t n = s->bias ? object_segments(program_object(s->code.p), &seg) : 0;
        for (size_t i = 0; i < n; i++) {
            term index = term_add_const(t, constant, -(s->bias + seg[i].address));
            ok = term_and(t, ok, term_bin(t, OP_ULE, term_const(t, a->width, seg[i].size), index));
        }
    }
    return ok;
}

/* Each argument that the target needs goes in somewhere. */
static term form_uses_needed(struct adapt *a, const struct form *f)
{
    struct terms *t = a->t;
    struct choice c;
    term all = term_true(t);
    for (unsigned i = 0; i < a->target.nargs; i++) {
        if (!(a->needs >> i & 1))
            continue;
        term some = term_false(t);
        for (unsigned j = 0; j < a->inner.nargs; j++)
            for (unsigned k = 0; a->inner.used[j] && argument_choice(a, f->stage, k, &c); k++)
                if ((c.v.scale && c.v.arg == i) || (c.v.two && c.v.arg2 == i))
                    some = term_or(t, some, term_eq(t, f->arg[j].select, term_const(t, SELECT, k)));
        all = term_and(t, all, some);
    }
    return all;
}

term form_constraint(struct adapt *a, const struct form *f)
{
    struct terms *t = a->t;
    struct choice c;
    unsigned options = 0, results = 0;
    while (argument_choice(a, f->stage, options, &c))
        options++;
    while (result_choice(a, f->stage, f->converts_result, results, &c))
        results++;
    term all = term_bin(t, OP_ULT, f->result.select, term_const(t, SELECT, results));
    for (unsigned i = 0; i < a->inner.nargs; i++) {
        const struct unknown *u = &f->arg[i];
        if (!a->inner.used[i])
            continue;
        all = term_and(t, all, term_bin(t, OP_ULT, u->select, term_const(t, SELECT, options)));
        all = term_and(t, all, no_address(a, u->constant));
        for (unsigned k = 0; f->stage == STAGE_PERMUTE && k < i; k++)
            if (a->inner.used[k])
                all = term_and(t, all, term_not(t, term_eq(t, u->select, f->arg[k].select)));
        term listed = term_false(t);
        for (size_t k = 0; k < a->opt->nconstants; k++)
            listed =
                term_or(t, listed, term_eq(t, u->constant, term_const(t, a->width, a->opt->constant[k])));
        if (a->opt->constant)
            all = term_and(t, all, listed);
    }
    return term_and(t, all, form_uses_needed(a, f));
}

static uint64_t in_model(struct adapt *a, struct term_model *m, term x)
{
    struct bits b;
    return term_eval(a->t, m, x, &b) ? bits_low(b) : 0;
}

static struct adapt_value decode(struct adapt *a, struct term_model *m, const struct unknown *u,
                                 const struct choice *c)
{
    struct adapt_value v = c->v;
    if (c->any_scale)
        v.scale = in_model(a, m, u->scale);
    if (c->any_constant)
        v.constant = in_model(a, m, u->constant);
    return v;
}

void form_decode(struct adapt *a, const struct form *f, struct term_model *m, struct adapter *out)
{
    struct choice c;
    *out = (struct adapter){.nargs = a->inner.nargs, .width = a->width};
    for (unsigned i = 0; i < out->nargs; i++) {
        if (!a->inner.used[i])
            continue;
        /* the last of the list is what remains when no selector says otherwise; constraints keep it within */
        if (!argument_choice(a, f->stage, (unsigned)in_model(a, m, f->arg[i].select), &c))
            argument_choice(a, f->stage, 0, &c);
        out->arg[i] = decode(a, m, &f->arg[i], &c);
    }
    if (!result_choice(a, f->stage, f->converts_result, (unsigned)in_model(a, m, f->result.select), &c))
        result_choice(a, f->stage, false, 0, &c);
    out->result = decode(a, m, &f->result, &c);
}

/* ---- one by one ---- */

/* Options with their free constants spelled out. */
static uint64_t spelled(const struct choice *c, size_t nconstants)
{
    return (c->any_constant ? nconstants : 1) * (c->any_scale ? nconstants : 1);
}

static uint64_t arguments_count(const struct adapt *a, unsigned stage, size_t nconstants)
{
    struct choice c;
    uint64_t n = 0;
    for (unsigned k = 0; argument_choice(a, stage, k, &c); k++)
        n += spelled(&c, nconstants);
    return n;
}

static uint64_t results_count(const struct adapt *a, unsigned stage, bool converts, size_t nconstants)
{
    struct choice c;
    uint64_t n = 0;
    for (unsigned k = 0; result_choice(a, stage, converts, k, &c); k++)
        n += spelled(&c, nconstants);
    return n;
}

uint64_t form_count(const struct adapt *a, unsigned stage, bool converts_result, size_t nconstants)
{
    uint64_t all = results_count(a, stage, converts_result, nconstants),
             one = arguments_count(a, stage, nconstants);
    for (unsigned i = 0; i < a->inner.nargs; i++)
        if (a->inner.used[i] && __builtin_mul_overflow(all, one, &all))
            return UINT64_MAX;
    return all;
}

static struct adapt_value spell_out(const struct choice *c, const uint64_t *constant, size_t nconstants,
                                    uint64_t n)
{
    struct adapt_value v = c->v;
    if (c->any_constant) {
        v.constant = constant[n % nconstants];
        n /= nconstants;
    }
    if (c->any_scale)
        v.scale = constant[n % nconstants];
    return v;
}

void form_nth(const struct adapt *a, unsigned stage, bool converts_result, const uint64_t *constant,
              size_t nconstants, uint64_t n, struct adapter *out)
{
    struct choice c = {.v = {.scale = 1}};
    *out = (struct adapter){.nargs = a->inner.nargs, .width = a->width};
    uint64_t one = results_count(a, stage, converts_result, nconstants), at = n % one;
    n /= one;
    for (unsigned k = 0; result_choice(a, stage, converts_result, k, &c) && at >= spelled(&c, nconstants);
         k++)
        at -= spelled(&c, nconstants);
    out->result = spell_out(&c, constant, nconstants, at);
    one = arguments_count(a, stage, nconstants);
    for (unsigned i = 0; i < out->nargs; i++) {
        if (!a->inner.used[i])
            continue;
        at = n % one;
        n /= one;
        for (unsigned k = 0; argument_choice(a, stage, k, &c) && at >= spelled(&c, nconstants); k++)
            at -= spelled(&c, nconstants);
        out->arg[i] = spell_out(&c, constant, nconstants, at);
    }
}

static const uint64_t small_constants[] = {0, 1, UINT64_MAX, 2, 10, 16, 32, 255, (uint64_t)-32};

struct enumeration enumeration_of(const struct adapt *a, unsigned stage, bool converts)
{
    const bool listed = a->opt->constant;
    struct enumeration e = {.a = a,
                            .stage = stage,
                            .converts = converts,
                            .constant = listed ? a->opt->constant : small_constants,
                            .nconstants = listed ? a->opt->nconstants
                                                 : sizeof small_constants / sizeof *small_constants};
    e.all = form_count(a, stage, converts, e.nconstants);
    e.step = e.all > 7 ? e.all / 2 + 1 : 1;
    while (e.all > 1 &&
           e.all % e.step == 0) /* prime to the count for all practical sizes: every one is met */
        e.step++;
    return e;
}

bool enumeration_next(struct enumeration *e, struct adapter *out)
{
    if (e->done >= e->all)
        return false;
    form_nth(e->a, e->stage, e->converts, e->constant, e->nconstants, e->at, out);
    e->at = (e->at + e->step) % e->all;
    e->done++;
    return true;
}

/* ---- text ---- */

static void print_constant(struct buf *out, uint64_t x, unsigned width)
{
    int64_t s = width == 32 ? (int32_t)x : (int64_t)x;
    if (s > -4096 && s < 4096)
        buf_printf(out, "%" PRId64, s);
    else
        buf_printf(out, "0x%" PRIx64, x);
}

static void print_scaled(struct buf *out, uint64_t scale, unsigned width, const char *name, unsigned arg,
                         bool first)
{
    int64_t s = width == 32 ? (int32_t)scale : (int64_t)scale;
    if (!first)
        buf_puts(out, s == -1 ? " - " : " + ");
    else if (s == -1)
        buf_putc(out, '-');
    if (s != 1 && s != -1) {
        print_constant(out, scale, width);
        buf_puts(out, " * ");
    }
    if (strcmp(name, "#") == 0)
        buf_printf(out, "#%u", arg);
    else
        buf_puts(out, name);
}

static void print_linear(struct buf *out, const struct adapt_value *v, unsigned width, const char *name)
{
    if (!v->scale) {
        print_constant(out, v->constant, width);
        return;
    }
    print_scaled(out, v->scale, width, name, v->arg, true);
    if (v->two)
        print_scaled(out, v->scale2, width, name, v->arg2, false);
    int64_t c = width == 32 ? (int32_t)v->constant : (int64_t)v->constant;
    if (c < 0 && c > -4096)
        buf_printf(out, " - %" PRId64, -c);
    else if (c) {
        buf_puts(out, " + ");
        print_constant(out, v->constant, width);
    }
}

void adapt_print_value(struct buf *out, const struct adapt_value *v, unsigned width, const char *name)
{
    if (v->conversion == ADAPT_AS_IS) {
        print_linear(out, v, width, name);
        return;
    }
    if (v->conversion >= ADAPT_BOOL)
        buf_puts(out, v->conversion == ADAPT_BOOL     ? "("
                      : v->conversion == ADAPT_BOOL32 ? "(32 bits of "
                                                      : "(8 bits of ");
    else
        buf_printf(out, "%u-to-%u%c(", conversion[v->conversion].bits, width,
                   conversion[v->conversion].sign ? 'S' : 'Z');
    print_linear(out, v, width, name);
    buf_puts(out, v->conversion >= ADAPT_BOOL ? " != 0)" : ")");
}

void adapt_print_argument(struct buf *out, const struct adapter *a, unsigned i)
{
    if (a->view.nfields && i == a->view.inner_arg)
        buf_printf(out, "copy of #%u", a->view.target_arg);
    else
        adapt_print_value(out, &a->arg[i], a->width, "#");
}

void adapt_print_field(struct buf *out, const struct adapt_field *f)
{
    if (f->count > 1)
        buf_printf(out, "%u entries: ", f->count);
    buf_printf(out, "%u byte%s at %u <-> %u at %u", f->inner_bytes, f->inner_bytes == 1 ? "" : "s", f->inner,
               f->target_bytes, f->target);
    if (f->inner_bytes != f->target_bytes)
        buf_puts(out, f->sign ? ", with sign" : ", with zeroes");
}

static void print_c_value(struct buf *out, const struct adapt_value *v, const char *name)
{
    static const char *const cast[] = {
        [ADAPT_AS_IS] = "",
        [ADAPT_S32] = "(word)(int32_t)",
        [ADAPT_Z32] = "(word)(uint32_t)",
        [ADAPT_S16] = "(word)(int16_t)",
        [ADAPT_Z16] = "(word)(uint16_t)",
        [ADAPT_S8] = "(word)(int8_t)",
        [ADAPT_Z8] = "(word)(uint8_t)",
        [ADAPT_BOOL] = "(word)!!",
        [ADAPT_BOOL32] = "(word)!!(uint32_t)",
        [ADAPT_BOOL8] = "(word)!!(uint8_t)",
    };
    if (!v->scale) {
        buf_printf(out, "(word)0x%" PRIx64, v->constant);
        return;
    }
    bool plain = v->scale == 1 && !v->two && !v->constant;
    buf_printf(out, "%s%s", cast[v->conversion], plain ? "" : "(");
    if (v->scale != 1)
        buf_printf(out, "(word)0x%" PRIx64 " * ", v->scale);
    *name == 'a' ? buf_printf(out, "a%u", v->arg) : buf_puts(out, name);
    if (v->two)
        buf_printf(out, " + (word)0x%" PRIx64 " * a%u", v->scale2, v->arg2);
    if (v->constant)
        buf_printf(out, " + (word)0x%" PRIx64, v->constant);
    if (!plain)
        buf_putc(out, ')');
}

static void print_parameters(struct buf *out, unsigned n, const char *before)
{
    if (!n)
        buf_puts(out, "void");
    for (unsigned i = 0; i < n; i++)
        *before ? buf_printf(out, "%sword %s%u", i ? ", " : "", before, i)
                : buf_printf(out, "%sword", i ? ", " : "");
}

/* The name of a function in C: a fragment has none of its own. */
static const char *c_name(const char *name, char *room, size_t n)
{
    if (strncmp(name, "0x", 2) != 0)
        return name;
    snprintf(room, n, "fragment_%s", name);
    for (char *c = room; *c; c++)
        *c = *c == '-' || *c == '@' ? '_' : *c;
    return room;
}

static void print_string(struct buf *out, const char *text)
{
    buf_putc(out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c >= 127 || c == '"' || c == '\\' || c == '?')
            buf_printf(out, "\\%03o", c);
        else
            buf_putc(out, *text);
    }
    buf_putc(out, '"');
}

/* The inner function is found when the library is loaded, in its own file, also if the target has its name.
 */
static void print_loader(struct buf *out, const struct adapter *a, const char *type, const char *inner,
                         const char *file)
{
    buf_printf(out, "static %s (*inner)(", type);
    print_parameters(out, a->nargs, "");
    buf_puts(out, ");\n\n__attribute__((constructor)) static void find_inner(void)\n{\n"
                  "    void *file = dlopen(");
    print_string(out, file);
    buf_puts(out, ", RTLD_NOW | RTLD_LOCAL);\n    void *there = file ? dlsym(file, ");
    print_string(out, inner);
    buf_puts(out, ") : NULL;\n    if (!there) {\n        fprintf(stderr, \"%s\\n\", dlerror());\n"
                  "        _exit(127);\n    }\n    memcpy(&inner, &there, sizeof inner);\n}\n");
}

/* Both registers of results as one number: the first is adapted, the second passed on. */
static void print_pair(struct buf *out, const struct adapt_value *v)
{
    buf_puts(out, "    word low = (word)r;\n    return r - low + (");
    print_c_value(out, v, "low");
    buf_puts(out, ");\n}\n");
}

/* Entries of the structure into the copy, or back. */
static void print_moves(struct buf *out, const struct adapt_view *v, bool in)
{
    for (unsigned i = 0; i < v->nfields; i++) {
        const struct adapt_field *f = &v->field[i];
        const char *sign = f->sign ? "" : "u";
        buf_puts(out, "    MOVE(");
        if (in)
            buf_printf(out, "copy + %u, %sint%u_t, structure + %u, %sint%u_t", f->inner, sign,
                       f->inner_bytes * 8, f->target, sign, f->target_bytes * 8);
        else
            buf_printf(out, "structure + %u, %sint%u_t, copy + %u, %sint%u_t", f->target, sign,
                       f->target_bytes * 8, f->inner, sign, f->inner_bytes * 8);
        buf_printf(out, ", %u);\n", f->count);
    }
}

static void print_move(struct buf *out)
{
    buf_puts(out, "/* n entries, with zeroes or the sign in front where there is more room; what is there already is not\n"
                  " * written, for nobody may write to a structure that is only read */\n"
                  "#define MOVE(to, to_type, from, from_type, n) \\\n"
                  "    for (word i = 0; i < (n); i++) { \\\n"
                  "        from_type x; \\\n"
                  "        memcpy(&x, (from) + i * sizeof x, sizeof x); \\\n"
                  "        to_type y = (to_type)x; \\\n"
                  "        if (memcmp((to) + i * sizeof y, &y, sizeof y)) \\\n"
                  "            memcpy((to) + i * sizeof y, &y, sizeof y); \\\n"
                  "    }\n\n");
}

void adapt_print_c(struct buf *out, const struct adapter *a, const char *target, unsigned nargs, bool pair,
                   const char *inner, const char *file)
{
    char room[64];
    const char *type = pair ? "words" : "word";
    target = c_name(target, room, sizeof room);
    if (file)
        buf_puts(out, "#include <dlfcn.h>\n");
    buf_puts(out, "#include <stdint.h>\n");
    if (file)
        buf_puts(out, "#include <stdio.h>\n");
    if (file || a->view.nfields)
        buf_puts(out, "#include <string.h>\n");
    if (file)
        buf_puts(out, "#include <unistd.h>\n");
    buf_puts(out, "\ntypedef uintptr_t word; /* a register */\n\n");
    if (pair)
        buf_printf(out, "typedef %s words; /* two registers */\n\n",
                   a->width == 64 ? "unsigned __int128" : "uint64_t");
    if (a->view.nfields)
        print_move(out);
    if (file) {
        print_loader(out, a, type, inner, file);
        inner = "inner";
    } else {
        buf_printf(out, "%s %s(", type, inner);
        print_parameters(out, a->nargs, "");
        buf_puts(out, ");\n");
    }
    buf_printf(out, "\n%s %s(", type, target);
    print_parameters(out, nargs, "a");
    buf_puts(out, ")\n{\n");
    const struct adapt_view *v = &a->view;
    if (v->nfields) {
        buf_printf(out, "    unsigned char *structure = (unsigned char *)a%u;\n", v->target_arg);
        buf_printf(out, "    _Alignas(16) unsigned char copy[%u] = {0};\n", v->size);
        print_moves(out, v, true);
    }
    buf_printf(out, "    %s r = %s(", type, inner);
    for (unsigned i = 0; i < a->nargs; i++) {
        if (i)
            buf_puts(out, ", ");
        if (v->nfields && i == v->inner_arg)
            buf_puts(out, "(word)copy");
        else
            print_c_value(out, &a->arg[i], "a");
    }
    buf_puts(out, ");\n");
    if (v->nfields)
        print_moves(out, v, false);
    if (pair) {
        print_pair(out, &a->result);
        return;
    }
    buf_puts(out, "    return ");
    print_c_value(out, &a->result, "r");
    buf_puts(out, ";\n}\n");
}
