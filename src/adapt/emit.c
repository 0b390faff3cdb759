/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adapters in words, as the thesis writes them, and as C. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "adapt/internal.h"

/* ---- in words ---- */

static double float_number(uint64_t pattern, unsigned bits)
{
    uint32_t half = (uint32_t)pattern;
    double x;
    float y;
    memcpy(&x, &pattern, sizeof x);
    memcpy(&y, &half, sizeof y);
    return bits == 32 ? y : x;
}

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
        buf_printf(out, "%u-to-%u%c(", adapt_conversion[v->conversion].bits, width,
                   adapt_conversion[v->conversion].sign ? 'S' : 'Z');
    print_linear(out, v, width, name);
    buf_puts(out, v->conversion >= ADAPT_BOOL ? " != 0)" : ")");
}

/* A floating-point argument of the target, or a constant. */
static void print_float(struct buf *out, const struct adapter *a, unsigned i)
{
    const unsigned bits = a->inner.float_bits[i - a->inner.words];
    if (a->arg[i].scale)
        buf_printf(out, "f%u", a->arg[i].arg - a->target.words);
    else
        buf_printf(out, "%.*g", bits == 32 ? 9 : 17, float_number(a->arg[i].constant, bits));
}

void adapt_print_argument(struct buf *out, const struct adapter *a, unsigned i)
{
    if (a->view.nfields && i == a->view.inner_arg)
        buf_printf(out, "copy of #%u", a->view.target_arg);
    else if (i >= a->inner.words)
        print_float(out, a, i);
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

/* ---- as C ---- */

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

static const char *c_float(unsigned bits)
{
    return bits == 32 ? "float" : "double";
}

static void print_parameters(struct buf *out, const struct adapt_shape *s, bool names)
{
    if (!s->words && !s->floats)
        buf_puts(out, "void");
    for (unsigned i = 0; i < s->words + s->floats; i++) {
        bool word = i < s->words;
        unsigned k = word ? i : i - s->words;
        buf_printf(out, "%s%s", i ? ", " : "", word ? "word" : c_float(s->float_bits[k]));
        if (names)
            buf_printf(out, " %c%u", word ? 'a' : 'f', k);
    }
}

static void print_c_float(struct buf *out, uint64_t pattern, unsigned bits)
{
    const char *end = bits == 32 ? "f" : "";
    double x = float_number(pattern, bits);
    uint64_t fraction = pattern & word_ones(bits == 32 ? 22 : 51);
    if (isnan(x))
        buf_printf(out, "%s__builtin_nan%s(\"0x%" PRIx64 "\")", pattern >> (bits - 1) & 1 ? "-" : "", end,
                   fraction);
    else if (isinf(x))
        buf_printf(out, "%s__builtin_inf%s()", x < 0 ? "-" : "", end);
    else
        buf_printf(out, "%a%s", x, end);
}

/* What the wrapper hands to argument i of the inner function. */
static void print_c_argument(struct buf *out, const struct adapter *a, unsigned i)
{
    if (i < a->inner.words)
        print_c_value(out, &a->arg[i], "a");
    else if (a->arg[i].scale)
        print_float(out, a, i);
    else
        print_c_float(out, a->arg[i].constant, a->inner.float_bits[i - a->inner.words]);
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
    print_parameters(out, &a->inner, false);
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
    buf_puts(out, "/* n entries, with zeroes or the sign in front where there is more room; what is there "
                  "already is not\n"
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

void adapt_print_c(struct buf *out, const struct adapter *a, const char *target, bool pair, const char *inner,
                   const char *file)
{
    char room[64];
    const char *type = pair ? "words" : a->target.result_bits ? c_float(a->target.result_bits) : "word";
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
        print_parameters(out, &a->inner, false);
        buf_puts(out, ");\n");
    }
    if (file) { /* headers may declare the target otherwise, so that it has another name in C */
        buf_printf(out, "\n%s adapted(", type);
        print_parameters(out, &a->target, false);
        buf_printf(out, ") __asm__(\"%s\");\n", target);
        target = "adapted";
    }
    buf_printf(out, "\n%s %s(", type, target);
    print_parameters(out, &a->target, true);
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
            print_c_argument(out, a, i);
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
