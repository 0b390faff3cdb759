/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing terms as SMT-LIB 2.6. The text is linear in the number of nodes: a node used more than once gets a
 * name (define-fun in a script, let in an expression), and so does one nested too deep, so that readers which
 * recurse survive long chains of writes. */
#include "term/smtlib.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NESTING = 12 };

struct printer {
    struct buf *out;
    const struct smt_graph *g;
    struct smt_nodes node;      /* what is reachable, operands first */
    struct map named;           /* node -> 1 once it is referred to by name */
    struct strmap by_signature; /* "name signature" -> printed name */
    struct strmap taken;        /* printed names */
    struct arena arena;
    char prefix[32]; /* of the names given here; begins no symbol's name */
};

/* ---- names ---- */

/* Commands are reserved words: as symbols they are quoted. */
static bool is_command(const char *s)
{
    static const char *const prefix[] = {"assert", "check-", "declare-", "define-", "get-",
                                         "set-",   "block-", "reset-",   "simplify"};
    static const char *const whole[] = {"echo",  "exit",    "pop",       "push",
                                        "reset", "include", "synth-fun", "constraint"};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (!strncmp(s, prefix[i], strlen(prefix[i])))
            return true;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!strcmp(s, whole[i]))
            return true;
    return false;
}

static bool is_simple(const char *s)
{
    if (!*s || (*s >= '0' && *s <= '9') || is_command(s))
        return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              strchr("~!@$%^&*_-+=<>.?/", *s)))
            return false;
    return true;
}

/* Quoting does not change what a symbol is, so a name with a meaning of its own, or one no quotes can hold,
 * has to become another. */
static const char *spell(struct printer *p, const char *name, unsigned attempt)
{
    struct buf b = BUF_INIT;
    if (*name == '@' || *name == '.' || smtlib_is_reserved(name))
        buf_puts(&b, "_");
    for (const char *s = name; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '|' || c == '\\' || c < 32 || c >= 127)
            buf_printf(&b, "%%%02x", c);
        else
            buf_putc(&b, *s);
    }
    if (attempt)
        buf_printf(&b, "~%u", attempt);
    const char *text = is_simple(buf_text(&b)) ? arena_strdup(&p->arena, buf_text(&b))
                                               : arena_printf(&p->arena, "|%s|", buf_text(&b));
    buf_free(&b);
    return text;
}

static void print_sort(struct buf *out, struct smt_sort s)
{
    switch (s.kind) {
    case SMT_SORT_BITS:
        if (s.a == 1 && s.b != SMT_RAW)
            buf_puts(out, "Bool");
        else
            buf_printf(out, "(_ BitVec %u)", s.a);
        break;
    case SMT_SORT_ARRAY:
        buf_puts(out, "(Array ");
        print_sort(out, (struct smt_sort){SMT_SORT_BITS, s.a, 0});
        buf_putc(out, ' ');
        print_sort(out, (struct smt_sort){SMT_SORT_BITS, s.b, 0});
        buf_putc(out, ')');
        break;
    case SMT_SORT_FLOAT:
        buf_printf(out, "(_ FloatingPoint %u %u)", s.a, s.b);
        break;
    default:
        buf_puts(out, "RoundingMode");
    }
}

static const struct smt_info *info(const struct printer *p, smt_node n)
{
    return &p->g->node.data[n];
}

static smt_node kid(const struct printer *p, smt_node n, unsigned i)
{
    return p->g->kid.data[info(p, n)->kid + i];
}

static void print_signature(struct printer *p, struct buf *out, smt_node n)
{
    buf_putc(out, '(');
    for (unsigned i = 0; i < info(p, n)->nkids; i++) {
        if (i)
            buf_putc(out, ' ');
        print_sort(out, info(p, kid(p, n, i))->sort);
    }
    buf_puts(out, ") ");
    print_sort(out, info(p, n)->sort);
}

/* The printed name of a symbol or function; two with one name and different sorts are told apart. */
static const char *declared_name(struct printer *p, smt_node n, bool *fresh)
{
    struct buf key = BUF_INIT;
    buf_printf(&key, "%s ", info(p, n)->name);
    print_signature(p, &key, n);
    uint64_t known;
    *fresh = !strmap_get(&p->by_signature, buf_text(&key), &known);
    if (*fresh) {
        const char *name;
        unsigned attempt = 0;
        do
            name = spell(p, info(p, n)->name, attempt++);
        while (strmap_get(&p->taken, name, NULL));
        strmap_set(&p->taken, name, 1);
        known = (uintptr_t)name;
        strmap_set(&p->by_signature, arena_strdup(&p->arena, buf_text(&key)), known);
    }
    buf_free(&key);
    return (const char *)(uintptr_t)known;
}

static void choose_prefix(struct printer *p)
{
    size_t n = 1;
    for (size_t i = 0; i < p->node.len; i++) {
        const char *name = info(p, p->node.data[i])->name;
        size_t dollars = name ? strspn(name, "$") : 0;
        if (dollars >= n && dollars + 2 < sizeof p->prefix)
            n = dollars + 1;
    }
    memset(p->prefix, '$', n);
    p->prefix[n] = 0;
}

/* ---- expressions ---- */

static void print_literal(struct printer *p, smt_node n)
{
    struct smt_sort s = info(p, n)->sort;
    struct bits v = p->g->value.data[info(p, n)->kid];
    if (s.a == 1 && s.b != SMT_RAW) {
        buf_puts(p->out, bits_bit(v, 0) ? "true" : "false");
    } else if (s.a % 4) {
        buf_puts(p->out, "#b");
        for (unsigned i = s.a; i-- > 0;)
            buf_putc(p->out, bits_bit(v, i) ? '1' : '0');
    } else {
        buf_puts(p->out, "#x");
        for (unsigned i = s.a; i >= 4; i -= 4)
            buf_putc(p->out, "0123456789abcdef"[v.w[(i - 4) / 64] >> ((i - 4) % 64) & 15]);
    }
}

static const char *const rounding_name[] = {"RNE", "RTN", "RTP", "RTZ", "RNA"};

static void print_head(struct printer *p, smt_node n)
{
    const struct smt_info *x = info(p, n);
    if (x->op == SMT_APPLY) {
        bool fresh;
        buf_puts(p->out, declared_name(p, n, &fresh));
    } else if (x->op == SMT_CONST_ARRAY) {
        buf_puts(p->out, "(as const ");
        print_sort(p->out, x->sort);
        buf_putc(p->out, ')');
    } else {
        const struct smt_op_info *op = &smt_op_info[x->op];
        if (!op->numerals)
            buf_puts(p->out, op->name);
        else if (op->numerals == 1)
            buf_printf(p->out, "(_ %s %u)", op->name, x->p);
        else
            buf_printf(p->out, "(_ %s %u %u)", op->name, x->p, x->q);
    }
}

static bool is_leaf(const struct smt_info *x)
{
    return x->op == SMT_CONST || x->op == SMT_SYMBOL || x->op == SMT_ROUNDING ||
           (x->op == SMT_APPLY && !x->nkids);
}

/* Recursion is bounded: what is nested deeper than NESTING has a name. */
static void print_node(struct printer *p, smt_node n, bool define)
{
    const struct smt_info *x = info(p, n);
    bool fresh;
    if (!define && map_get(&p->named, n, NULL)) {
        buf_printf(p->out, "%s%u", p->prefix, n);
    } else if (x->op == SMT_CONST) {
        print_literal(p, n);
    } else if (x->op == SMT_ROUNDING) {
        buf_puts(p->out, rounding_name[x->p]);
    } else if (is_leaf(x)) {
        buf_puts(p->out, declared_name(p, n, &fresh));
    } else {
        buf_putc(p->out, '(');
        print_head(p, n);
        for (unsigned i = 0; i < x->nkids; i++) {
            buf_putc(p->out, ' ');
            print_node(p, kid(p, n, i), false);
        }
        buf_putc(p->out, ')');
    }
}

/* Marks the nodes to be named: used more than once, wanted, at the nesting limit, or without an SMT-LIB
 * function. */
static void choose_named(struct printer *p, const smt_node *wanted, size_t nwanted)
{
    struct map uses = {0}, depth = {0};
    for (size_t i = 0; i < p->node.len; i++) {
        smt_node n = p->node.data[i];
        if (info(p, n)->op == SMT_CONST)
            continue;
        for (unsigned k = 0; k < info(p, n)->nkids; k++)
            map_set(&uses, kid(p, n, k), map_find(&uses, kid(p, n, k), 0) + 1);
    }
    for (size_t i = 0; i < nwanted; i++)
        map_set(&uses, wanted[i], 2);
    for (size_t i = 0; i < p->node.len; i++) {
        smt_node n = p->node.data[i];
        if (is_leaf(info(p, n)))
            continue;
        uint64_t deepest = 0;
        for (unsigned k = 0; k < info(p, n)->nkids; k++) {
            uint64_t d = map_find(&depth, kid(p, n, k), 0);
            deepest = d > deepest ? d : deepest;
        }
        bool name = map_find(&uses, n, 0) > 1 || deepest >= NESTING || info(p, n)->op == SMT_FP_TO_BITS;
        if (name)
            map_set(&p->named, n, 1);
        map_set(&depth, n, name ? 0 : deepest + 1);
    }
    map_free(&uses);
    map_free(&depth);
}

static void printer_start(struct printer *p, struct buf *out, const struct smt_graph *g, const smt_node *root,
                          size_t n)
{
    *p = (struct printer){.out = out, .g = g};
    smt_reachable(g, root, n, &p->node);
    choose_prefix(p);
}

static void printer_end(struct printer *p)
{
    vec_free(&p->node);
    map_free(&p->named);
    strmap_free(&p->by_signature);
    strmap_free(&p->taken);
    arena_free(&p->arena);
}

/* ---- scripts ---- */

static void print_logic(struct printer *p)
{
    bool arrays = false, functions = false, floats = false, beyond = false;
    for (size_t i = 0; i < p->node.len; i++) {
        const struct smt_info *x = info(p, p->node.data[i]);
        arrays |= x->sort.kind == SMT_SORT_ARRAY;
        floats |= x->sort.kind == SMT_SORT_FLOAT;
        functions |= x->op == SMT_APPLY;
        /* Constant arrays, and arrays of or over Booleans, are outside the standard's named logics; floats
         * with arrays or functions have a name solvers do not all know. */
        beyond |= x->op == SMT_CONST_ARRAY ||
                  (x->sort.kind == SMT_SORT_ARRAY && (x->sort.a == 1 || x->sort.b == 1));
    }
    if (beyond || (floats && (arrays || functions)))
        buf_puts(p->out, "(set-logic ALL)\n");
    else
        buf_printf(p->out, "(set-logic QF_%s%sBV%s)\n", arrays ? "A" : "", functions ? "UF" : "",
                   floats ? "FP" : "");
}

static void print_declarations(struct printer *p)
{
    for (size_t i = 0; i < p->node.len; i++) {
        smt_node n = p->node.data[i];
        if (info(p, n)->op != SMT_SYMBOL && info(p, n)->op != SMT_APPLY)
            continue;
        bool fresh;
        const char *name = declared_name(p, n, &fresh);
        if (!fresh)
            continue;
        buf_printf(p->out, "(declare-fun %s ", name);
        print_signature(p, p->out, n);
        buf_puts(p->out, ")\n");
    }
}

static void print_definitions(struct printer *p)
{
    for (size_t i = 0; i < p->node.len; i++) {
        smt_node n = p->node.data[i];
        if (!map_get(&p->named, n, NULL))
            continue;
        const struct smt_info *x = info(p, n);
        if (x->op == SMT_FP_TO_BITS) {
            /* The bits are any that mean this float. They are unique but for a NaN, which the lowering takes
             * care of. */
            struct smt_sort f = info(p, kid(p, n, 0))->sort;
            buf_printf(p->out, "(declare-fun %s%u () ", p->prefix, n);
            print_sort(p->out, x->sort);
            buf_printf(p->out, ")\n(assert (= ((_ to_fp %u %u) %s%u) ", f.a, f.b, p->prefix, n);
            print_node(p, kid(p, n, 0), false);
            buf_puts(p->out, "))\n");
            continue;
        }
        buf_printf(p->out, "(define-fun %s%u () ", p->prefix, n);
        print_sort(p->out, x->sort);
        buf_putc(p->out, ' ');
        print_node(p, n, true);
        buf_puts(p->out, ")\n");
    }
}

void smt_print_script(struct buf *out, const struct smt_graph *g, const smt_node *assertion, size_t n,
                      const smt_node *wanted, size_t nwanted)
{
    VEC(smt_node) root = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        vec_push(&root, assertion[i]);
    for (size_t i = 0; i < nwanted; i++)
        vec_push(&root, wanted[i]);
    struct printer p;
    printer_start(&p, out, g, root.data, root.len);
    vec_free(&root);
    choose_named(&p, wanted, nwanted);
    if (nwanted)
        buf_puts(out, "(set-option :produce-models true)\n");
    print_logic(&p);
    print_declarations(&p);
    print_definitions(&p);
    for (size_t i = 0; i < n; i++) {
        buf_puts(out, "(assert ");
        print_node(&p, assertion[i], false);
        buf_puts(out, ")\n");
    }
    buf_puts(out, "(check-sat)\n");
    if (nwanted) {
        buf_puts(out, "(get-value (");
        for (size_t i = 0; i < nwanted; i++) {
            if (i)
                buf_putc(out, ' ');
            print_node(&p, wanted[i], false);
        }
        buf_puts(out, "))\n");
    }
    printer_end(&p);
}

void term_smtlib_script(struct buf *out, struct terms *t, const term *assertion, size_t n, bool fp_theory,
                        bool want_model)
{
    struct smt_graph g;
    smt_graph_init(&g, t, fp_theory);
    VEC(smt_node) root = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        vec_push(&root, smt_lower(&g, assertion[i]));
    if (want_model)
        buf_puts(out, "(set-option :produce-models true)\n");
    smt_print_script(out, &g, root.data, root.len, NULL, 0);
    if (want_model)
        buf_puts(out, "(get-model)\n");
    vec_free(&root);
    smt_graph_free(&g);
}

/* Floating-point operators appear as uninterpreted functions: an expression alone has no room for the
 * constraints their results need in the theory. */
void term_smtlib(struct buf *out, struct terms *t, term x)
{
    struct smt_graph g;
    smt_graph_init(&g, t, false);
    smt_node root = smt_lower(&g, x);
    struct printer p;
    printer_start(&p, out, &g, &root, 1);
    choose_named(&p, NULL, 0);
    size_t open = 0;
    for (size_t i = 0; i < p.node.len; i++) {
        smt_node n = p.node.data[i];
        if (n == root || !map_get(&p.named, n, NULL))
            continue;
        buf_printf(out, "(let ((%s%u ", p.prefix, n);
        print_node(&p, n, true);
        buf_puts(out, ")) ");
        open++;
    }
    print_node(&p, root, true);
    while (open--)
        buf_putc(out, ')');
    printer_end(&p);
    smt_graph_free(&g);
}
