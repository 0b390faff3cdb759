/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Z3 through its C interface. A plain context keeps every expression alive until it is deleted, which is what
 * the memory of translations wants; it is replaced when it has grown large. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include <z3.h>

#include "base/system.h"
#include "solve/internal.h"

enum { CONTEXT_MAX = 300000 }; /* expressions */

/* Graph nodes already translated. */
struct translation {
    const struct smt_graph *graph;
    VEC(Z3_ast) ast; /* NULL: not yet */
};

/* Z3 at work in a thread of its own. */
struct check {
    pthread_t thread;
    Z3_context c;
    Z3_solver s; /* NULL: none is at work */
    Z3_lbool answer;
    int done; /* can be read when there is an answer */
};

struct z3 {
    Z3_context c;
    struct check check; /* nothing is done with the context meanwhile */
    size_t made;
    VEC(struct translation) translation;
    uint64_t memory_mb;
};

/* The default handler ends the process; codes are looked at where calls can fail. */
static void ignore_error(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e;
}

static void context_open(struct z3 *z)
{
    Z3_config config = Z3_mk_config();
    Z3_set_param_value(config, "model", "true");
    z->c = Z3_mk_context(config);
    Z3_del_config(config);
    if (z->c)
        Z3_set_error_handler(z->c, ignore_error);
    z->made = 0;
}

/* Also after an error, as it may hold half-made things then. */
static void context_close(struct z3 *z)
{
    for (size_t i = 0; i < z->translation.len; i++)
        vec_free(&z->translation.data[i].ast);
    vec_clear(&z->translation);
    if (z->c)
        Z3_del_context(z->c);
    z->c = NULL;
}

/* ---- expressions ---- */

static Z3_sort make_sort(Z3_context c, struct smt_sort s)
{
    switch (s.kind) {
    case SMT_SORT_BITS:
        return s.a == 1 && s.b != SMT_RAW ? Z3_mk_bool_sort(c) : Z3_mk_bv_sort(c, s.a);
    case SMT_SORT_ARRAY:
        return Z3_mk_array_sort(c, make_sort(c, (struct smt_sort){SMT_SORT_BITS, s.a, 0}),
                                make_sort(c, (struct smt_sort){SMT_SORT_BITS, s.b, 0}));
    case SMT_SORT_FLOAT:
        return Z3_mk_fpa_sort(c, s.a, s.b);
    default:
        return Z3_mk_fpa_rounding_mode_sort(c);
    }
}

static Z3_ast make_literal(Z3_context c, const struct smt_info *n, struct bits v)
{
    if (n->sort.a == 1 && n->sort.b != SMT_RAW)
        return bits_bit(v, 0) ? Z3_mk_true(c) : Z3_mk_false(c);
    if (n->sort.a <= 64)
        return Z3_mk_unsigned_int64(c, bits_low(v), make_sort(c, n->sort));
    bool bit[OP_MAX_WIDTH];
    for (unsigned i = 0; i < n->sort.a; i++)
        bit[i] = bits_bit(v, i);
    return Z3_mk_bv_numeral(c, n->sort.a, bit);
}

static Z3_ast make_apply(struct z3 *z, const struct smt_graph *g, const struct smt_info *n, const Z3_ast *k)
{
    Z3_context c = z->c;
    Z3_sort *domain = xcalloc(n->nkids + 1u, sizeof *domain);
    for (unsigned i = 0; i < n->nkids; i++)
        domain[i] = make_sort(c, g->node.data[g->kid.data[n->kid + i]].sort);
    Z3_func_decl f =
        Z3_mk_func_decl(c, Z3_mk_string_symbol(c, n->name), n->nkids, domain, make_sort(c, n->sort));
    Z3_ast x = Z3_mk_app(c, f, n->nkids, k);
    free(domain);
    return x;
}

static Z3_ast make_rounding(Z3_context c, unsigned mode)
{
    switch (mode) {
    case OP_RTN:
        return Z3_mk_fpa_rtn(c);
    case OP_RTP:
        return Z3_mk_fpa_rtp(c);
    case OP_RTZ:
        return Z3_mk_fpa_rtz(c);
    case OP_RNA:
        return Z3_mk_fpa_rna(c);
    default:
        return Z3_mk_fpa_rne(c);
    }
}

static Z3_ast make_float(Z3_context c, const struct smt_info *n, const Z3_ast *k)
{
    Z3_sort sort = n->sort.kind == SMT_SORT_FLOAT ? make_sort(c, n->sort) : NULL;
    switch (n->op) {
    case SMT_FP_ADD:
        return Z3_mk_fpa_add(c, k[0], k[1], k[2]);
    case SMT_FP_SUB:
        return Z3_mk_fpa_sub(c, k[0], k[1], k[2]);
    case SMT_FP_MUL:
        return Z3_mk_fpa_mul(c, k[0], k[1], k[2]);
    case SMT_FP_DIV:
        return Z3_mk_fpa_div(c, k[0], k[1], k[2]);
    case SMT_FP_FMA:
        return Z3_mk_fpa_fma(c, k[0], k[1], k[2], k[3]);
    case SMT_FP_SQRT:
        return Z3_mk_fpa_sqrt(c, k[0], k[1]);
    case SMT_FP_RINT:
        return Z3_mk_fpa_round_to_integral(c, k[0], k[1]);
    case SMT_FP_EQ:
        return Z3_mk_fpa_eq(c, k[0], k[1]);
    case SMT_FP_LT:
        return Z3_mk_fpa_lt(c, k[0], k[1]);
    case SMT_FP_LEQ:
        return Z3_mk_fpa_leq(c, k[0], k[1]);
    case SMT_FP_ISNAN:
        return Z3_mk_fpa_is_nan(c, k[0]);
    case SMT_FP_FROM_BITS:
        return Z3_mk_fpa_to_fp_bv(c, k[0], sort);
    case SMT_FP_FROM_FP:
        return Z3_mk_fpa_to_fp_float(c, k[0], k[1], sort);
    case SMT_FP_FROM_SBV:
        return Z3_mk_fpa_to_fp_signed(c, k[0], k[1], sort);
    case SMT_FP_FROM_UBV:
        return Z3_mk_fpa_to_fp_unsigned(c, k[0], k[1], sort);
    case SMT_FP_TO_UBV:
        return Z3_mk_fpa_to_ubv(c, k[0], k[1], n->p);
    case SMT_FP_TO_SBV:
        return Z3_mk_fpa_to_sbv(c, k[0], k[1], n->p);
    default:
        return Z3_mk_fpa_to_ieee_bv(c, k[0]);
    }
}

static Z3_ast make_node(struct z3 *z, const struct smt_graph *g, const struct smt_info *n, const Z3_ast *k)
{
    static Z3_ast (*const binary[SMT_CONST])(Z3_context, Z3_ast, Z3_ast) = {
        [SMT_XOR] = Z3_mk_xor,       [SMT_EQ] = Z3_mk_eq,         [SMT_BVADD] = Z3_mk_bvadd,
        [SMT_BVSUB] = Z3_mk_bvsub,   [SMT_BVMUL] = Z3_mk_bvmul,   [SMT_BVUDIV] = Z3_mk_bvudiv,
        [SMT_BVUREM] = Z3_mk_bvurem, [SMT_BVSDIV] = Z3_mk_bvsdiv, [SMT_BVSREM] = Z3_mk_bvsrem,
        [SMT_BVAND] = Z3_mk_bvand,   [SMT_BVOR] = Z3_mk_bvor,     [SMT_BVXOR] = Z3_mk_bvxor,
        [SMT_BVSHL] = Z3_mk_bvshl,   [SMT_BVLSHR] = Z3_mk_bvlshr, [SMT_BVASHR] = Z3_mk_bvashr,
        [SMT_BVULT] = Z3_mk_bvult,   [SMT_BVULE] = Z3_mk_bvule,   [SMT_BVSLT] = Z3_mk_bvslt,
        [SMT_BVSLE] = Z3_mk_bvsle,   [SMT_CONCAT] = Z3_mk_concat, [SMT_SELECT] = Z3_mk_select,
    };
    Z3_context c = z->c;
    if (n->op < SMT_CONST && binary[n->op])
        return binary[n->op](c, k[0], k[1]);
    switch (n->op) {
    case SMT_NOT:
        return Z3_mk_not(c, k[0]);
    case SMT_AND:
        return Z3_mk_and(c, 2, k);
    case SMT_OR:
        return Z3_mk_or(c, 2, k);
    case SMT_ITE:
        return Z3_mk_ite(c, k[0], k[1], k[2]);
    case SMT_BVNOT:
        return Z3_mk_bvnot(c, k[0]);
    case SMT_BVNEG:
        return Z3_mk_bvneg(c, k[0]);
    case SMT_EXTRACT:
        return Z3_mk_extract(c, n->p, n->q, k[0]);
    case SMT_ZERO_EXTEND:
        return Z3_mk_zero_ext(c, n->p, k[0]);
    case SMT_SIGN_EXTEND:
        return Z3_mk_sign_ext(c, n->p, k[0]);
    case SMT_STORE:
        return Z3_mk_store(c, k[0], k[1], k[2]);
    case SMT_CONST_ARRAY:
        return Z3_mk_const_array(c, make_sort(c, (struct smt_sort){SMT_SORT_BITS, n->sort.a, 0}), k[0]);
    case SMT_CONST:
        return make_literal(c, n, g->value.data[n->kid]);
    case SMT_SYMBOL:
        return Z3_mk_const(c, Z3_mk_string_symbol(c, n->name), make_sort(c, n->sort));
    case SMT_APPLY:
        return make_apply(z, g, n, k);
    case SMT_ROUNDING:
        return make_rounding(c, n->p);
    default:
        return make_float(c, n, k);
    }
}

static struct translation *translation_of(struct z3 *z, const struct smt_graph *g)
{
    for (size_t i = 0; i < z->translation.len; i++)
        if (z->translation.data[i].graph == g)
            return &z->translation.data[i];
    vec_push(&z->translation, (struct translation){.graph = g});
    return &vec_last(&z->translation);
}

/* NULL when Z3 refused something. */
static Z3_ast translate(struct z3 *z, struct translation *tr, smt_node root)
{
    const struct smt_graph *g = tr->graph;
    while (tr->ast.len < g->node.len)
        vec_push(&tr->ast, NULL);
    VEC(smt_node) stack = VEC_INIT;
    VEC(Z3_ast) kids = VEC_INIT;
    vec_push(&stack, root);
    while (stack.len) {
        smt_node x = vec_last(&stack);
        const struct smt_info *n = &g->node.data[x];
        bool ready = true;
        vec_clear(&kids);
        for (unsigned i = 0; n->op != SMT_CONST && i < n->nkids && !tr->ast.data[x]; i++) {
            smt_node kid = g->kid.data[n->kid + i];
            vec_push(&kids, tr->ast.data[kid]);
            if (!tr->ast.data[kid]) {
                ready = false;
                vec_push(&stack, kid);
            }
        }
        if (!ready)
            continue;
        (void)vec_pop(&stack);
        if (tr->ast.data[x])
            continue;
        tr->ast.data[x] = make_node(z, g, n, kids.data);
        z->made++;
        if (!tr->ast.data[x])
            break;
    }
    vec_free(&stack);
    vec_free(&kids);
    return tr->ast.data[root];
}

/* ---- models ---- */

static bool get_bits(Z3_context c, Z3_ast v, struct bits *out)
{
    Z3_lbool b = Z3_get_bool_value(c, v);
    if (b != Z3_L_UNDEF) {
        *out = bits_u64(b == Z3_L_TRUE, 1);
        return true;
    }
    if (Z3_get_ast_kind(c, v) != Z3_NUMERAL_AST)
        return false;
    Z3_sort s = Z3_get_sort(c, v);
    if (Z3_get_sort_kind(c, s) != Z3_BV_SORT)
        return false;
    Z3_string text = Z3_get_numeral_string(c, v);
    return text && smtlib_decimal(text, strlen(text), Z3_get_bv_sort_size(c, s), out);
}

static bool add_cell(struct value *out, struct map *seen, Z3_context c, Z3_ast index, Z3_ast cell)
{
    struct bits i;
    struct cell x;
    if (!get_bits(c, index, &i) || !bits_to_u64(i, &x.index) || !get_bits(c, cell, &x.value))
        return false;
    if (map_set(seen, x.index, 1))
        vec_push(&out->cell, x);
    return true;
}

/* The contents of an array given as a function: a table and an else. */
static bool get_table(Z3_context c, Z3_model m, Z3_func_decl f, struct map *seen, struct value *out)
{
    if (!f || !Z3_model_has_interp(c, m, f))
        return false;
    Z3_func_interp table = Z3_model_get_func_interp(c, m, f);
    if (!table)
        return false;
    Z3_func_interp_inc_ref(c, table);
    bool ok = get_bits(c, Z3_func_interp_get_else(c, table), &out->bits);
    unsigned n = Z3_func_interp_get_num_entries(c, table);
    for (unsigned i = 0; ok && i < n; i++) {
        Z3_func_entry e = Z3_func_interp_get_entry(c, table, i);
        Z3_func_entry_inc_ref(c, e);
        ok = Z3_func_entry_get_num_args(c, e) == 1 &&
             add_cell(out, seen, c, Z3_func_entry_get_arg(c, e, 0), Z3_func_entry_get_value(c, e));
        Z3_func_entry_dec_ref(c, e);
    }
    Z3_func_interp_dec_ref(c, table);
    return ok;
}

static bool get_array(Z3_context c, Z3_model m, Z3_ast v, struct value *out)
{
    struct map seen = {0};
    bool ok = false;
    for (;;) {
        if (Z3_get_ast_kind(c, v) != Z3_APP_AST)
            break;
        Z3_app app = Z3_to_app(c, v);
        Z3_func_decl f = Z3_get_app_decl(c, app);
        Z3_decl_kind kind = Z3_get_decl_kind(c, f);
        if (kind == Z3_OP_STORE && Z3_get_app_num_args(c, app) == 3) {
            if (!add_cell(out, &seen, c, Z3_get_app_arg(c, app, 1), Z3_get_app_arg(c, app, 2)))
                break;
            v = Z3_get_app_arg(c, app, 0);
            continue;
        }
        if (kind == Z3_OP_CONST_ARRAY)
            ok = get_bits(c, Z3_get_app_arg(c, app, 0), &out->bits);
        else if (kind == Z3_OP_AS_ARRAY)
            ok = get_table(c, m, Z3_get_as_array_func_decl(c, v), &seen, out);
        break;
    }
    map_free(&seen);
    return ok;
}

static bool get_model(struct z3 *z, struct translation *tr, const struct question *q, Z3_model m,
                      struct reply *r)
{
    for (size_t i = 0; i < q->nwanted; i++) {
        Z3_ast v, x = translate(z, tr, q->wanted_node[i]);
        struct value value = {.is_array = term_is_array(q->terms, q->wanted[i])};
        if (!x || !Z3_model_eval(z->c, m, x, true, &v) || !v)
            return false;
        if (!(value.is_array ? get_array(z->c, m, v, &value) : get_bits(z->c, v, &value.bits))) {
            value_free(&value);
            return false;
        }
        assignment_add(&r->model, q->wanted[i], value);
    }
    return true;
}

/* ---- checks in a thread ---- */

/* Z3 walks over expressions by recursion in places, and a stack that overflows takes the process with it. */
static size_t stack_size(void)
{
    enum { USUAL = 8 << 20, MOST = 1 << 30 };
    struct rlimit stack;
    return getrlimit(RLIMIT_STACK, &stack) < 0 || stack.rlim_cur > MOST ? USUAL : stack.rlim_cur;
}

static void *check_main(void *ctx)
{
    struct check *k = ctx;
    k->answer = Z3_solver_check(k->c, k->s);
    eventfd_write(k->done, 1);
    return NULL;
}

/* As much stack as this thread has, and no signals, which are for this one to handle. */
static bool check_start(struct check *k, Z3_context c, Z3_solver s)
{
    pthread_attr_t attr;
    sigset_t all, before;
    if (pthread_attr_init(&attr))
        return false;
    *k = (struct check){.c = c, .s = s, .answer = Z3_L_UNDEF, .done = eventfd(0, EFD_CLOEXEC)};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = k->done >= 0 && !pthread_attr_setstacksize(&attr, stack_size()) &&
              !pthread_create(&k->thread, &attr, check_main, k);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (!ok && k->done >= 0)
        close(k->done);
    if (!ok)
        k->s = NULL;
    return ok;
}

static Z3_lbool check_end(struct check *k)
{
    pthread_join(k->thread, NULL);
    close(k->done);
    k->s = NULL;
    return k->answer;
}

/* Waits for a check that was given up, which takes some milliseconds: whoever gave it up did not. */
static void check_settle(struct z3 *z)
{
    enum { AGAIN_MS = 5 };
    Z3_solver s = z->check.s;
    struct pollfd p = {z->check.done, POLLIN, 0};
    if (!s)
        return;
    /* one that came before the check had begun is lost */
    do
        Z3_solver_interrupt(z->c, s);
    while (poll(&p, 1, AGAIN_MS) <= 0);
    check_end(&z->check);
    bool failed = Z3_get_error_code(z->c) != Z3_OK;
    Z3_solver_dec_ref(z->c, s);
    if (failed)
        context_close(z);
}

/* False when the answer is no longer wanted: the check goes on until it notices. */
static bool check(struct z3 *z, Z3_solver s, const struct question *q, Z3_lbool *answer)
{
    if (!q->meanwhile || !check_start(&z->check, z->c, s)) {
        *answer = Z3_solver_check(z->c, s);
        return true;
    }
    if (!q->meanwhile(q->meanwhile_ctx, z->check.done)) {
        Z3_solver_interrupt(z->c, s);
        return false;
    }
    *answer = check_end(&z->check);
    return true;
}

struct z3 *z3_new(void)
{
    return xcalloc(1, sizeof(struct z3));
}

void z3_free(struct z3 *z)
{
    if (!z)
        return;
    check_settle(z);
    context_close(z);
    vec_free(&z->translation);
    free(z);
}

/* ---- asking ---- */

static void set_limits(struct z3 *z, Z3_solver s, const struct question *q)
{
    if (q->memory_mb && q->memory_mb != z->memory_mb) {
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)q->memory_mb);
        Z3_global_param_set("memory_max_size", text);
        z->memory_mb = q->memory_mb;
    }
    Z3_params p = Z3_mk_params(z->c);
    Z3_params_inc_ref(z->c, p);
    Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "timeout"), q->timeout_ms);
    if (q->effort)
        Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "rlimit"), q->effort);
    Z3_solver_set_params(z->c, s, p);
    Z3_params_dec_ref(z->c, p);
}

/* Z3 has one word for both limits. */
static void explain_unknown(struct z3 *z, Z3_solver s, const struct question *q, uint64_t steps,
                            struct reply *r)
{
    Z3_error_code code = Z3_get_error_code(z->c);
    if (code == Z3_MEMOUT_FAIL) {
        reply_limit(r, q, WHY_MEMORY);
        return;
    }
    if (code != Z3_OK) {
        reply_unknown(r, "Z3: %.200s", Z3_get_error_msg(z->c, code));
        return;
    }
    const char *why = Z3_solver_get_reason_unknown(z->c, s);
    bool ended = strstr(why, "timeout") || strstr(why, "canceled") || strstr(why, "resource limit");
    if (ended && q->effort && steps >= q->effort)
        reply_limit(r, q, WHY_STEPS);
    else if (ended)
        reply_limit(r, q, WHY_TIME);
    else if (strstr(why, "memory"))
        reply_limit(r, q, WHY_MEMORY);
    else
        reply_unknown(r, "Z3 gave up: %.200s", why);
}

/* Of this context so far; what matters is the difference of two. */
static uint32_t steps_done(struct z3 *z, Z3_solver s)
{
    Z3_stats all = Z3_solver_get_statistics(z->c, s);
    uint32_t steps = 0;
    Z3_stats_inc_ref(z->c, all);
    for (unsigned i = 0; i < Z3_stats_size(z->c, all); i++)
        if (strcmp(Z3_stats_get_key(z->c, all, i), "rlimit count") == 0)
            steps = Z3_stats_get_uint_value(z->c, all, i);
    Z3_stats_dec_ref(z->c, all);
    return steps;
}

enum outcome { ENDED, NO_LONGER_WANTED, FAILED };

/* One solver on one query. It is as good as `begin` steps to make it. */
static enum outcome attempt(struct z3 *z, struct translation *tr, Z3_solver s, const struct question *q,
                            uint64_t begin, struct reply *r)
{
    Z3_solver_inc_ref(z->c, s);
    set_limits(z, s, q);
    uint32_t before = q->effort ? steps_done(z, s) : 0;
    bool ok = true;
    for (size_t i = 0; i < q->nassertions && ok; i++) {
        Z3_ast x = translate(z, tr, q->assertion[i]);
        ok = x != NULL;
        if (ok)
            Z3_solver_assert(z->c, s, x);
    }
    Z3_lbool answer = Z3_L_UNDEF;
    if (ok && !check(z, s, q, &answer))
        return NO_LONGER_WANTED;
    bool failed = Z3_get_error_code(z->c) != Z3_OK;
    uint32_t steps = q->effort && !failed ? steps_done(z, s) - before : 0;
    r->steps += q->effort ? steps + begin : 0;
    if (failed || answer == Z3_L_UNDEF) {
        explain_unknown(z, s, q, steps, r);
    } else if (answer == Z3_L_FALSE) {
        r->answer = SOLVE_UNSAT;
    } else {
        Z3_model m = Z3_solver_get_model(z->c, s);
        r->answer = SOLVE_SAT;
        if (m)
            Z3_model_inc_ref(z->c, m);
        if (!m || !get_model(z, tr, q, m, r))
            reply_unknown(r, "Z3 answered sat with a malformed model");
        if (m)
            Z3_model_dec_ref(z->c, m);
    }
    Z3_solver_dec_ref(z->c, s);
    return failed ? FAILED : ENDED;
}

/* Gates, about, that a node becomes before the search begins. Z3 does not count the steps that takes, and looks at no
 * limit meanwhile: a few hundred gates were seen to take a millisecond. */
static uint64_t gates_of(const struct smt_graph *g, const struct smt_info *n)
{
    const struct smt_sort sort = n->nkids ? g->node.data[g->kid.data[n->kid + n->nkids - 1]].sort : n->sort;
    const uint64_t w = sort.kind == SMT_SORT_FLOAT ? sort.b : sort.a, square = w * w;
    bool computed = true; /* no operand is a number */
    for (unsigned k = 0; n->op != SMT_CONST && k < n->nkids; k++)
        computed = computed && g->node.data[g->kid.data[n->kid + k]].op != SMT_CONST;
    switch (n->op) {
    case SMT_BVMUL:
        return computed ? square : square / 4;
    case SMT_BVUDIV:
    case SMT_BVUREM:
    case SMT_BVSDIV:
    case SMT_BVSREM:
        return 3 * square;
    case SMT_FP_MUL:
        return 4 * square;
    case SMT_FP_FMA:
    case SMT_FP_SQRT:
        return 8 * square;
    case SMT_FP_DIV:
        return 27 * square;
    case SMT_FP_ADD:
    case SMT_FP_SUB:
    case SMT_FP_RINT:
    case SMT_FP_FROM_FP:
    case SMT_FP_FROM_SBV:
    case SMT_FP_FROM_UBV:
    case SMT_FP_TO_UBV:
    case SMT_FP_TO_SBV:
        return 80 * w;
    default:
        return 0;
    }
}

struct survey {
    uint64_t gates;
    bool bits_only; /* bit-vectors only */
    bool in_logic; /* ... and functions of them, and arrays, as QF_AUFBV has them */
    uint32_t depth;
};

static struct survey look_over(const struct question *q)
{
    struct smt_nodes node = {0};
    struct map depth = {0};
    struct survey v = {.bits_only = true, .in_logic = true};
    smt_reachable(q->graph, q->assertion, q->nassertions, &node);
    for (size_t i = 0; i < node.len; i++) {
        const struct smt_info *n = &q->graph->node.data[node.data[i]];
        uint64_t deepest = 0, d;
        v.gates += gates_of(q->graph, n);
        v.bits_only &= n->sort.kind == SMT_SORT_BITS;
        v.in_logic &= (n->sort.kind == SMT_SORT_BITS || n->sort.kind == SMT_SORT_ARRAY) && n->op != SMT_CONST_ARRAY;
        for (unsigned k = 0; n->op != SMT_CONST && k < n->nkids; k++) {
            d = map_find(&depth, q->graph->kid.data[n->kid + k], 0);
            deepest = d > deepest ? d : deepest;
        }
        map_set(&depth, node.data[i], deepest + 1);
        v.depth = deepest + 1 > v.depth ? (uint32_t)deepest + 1 : v.depth;
    }
    map_free(&depth);
    vec_free(&node);
    return v;
}

/* 8 MB of stack were seen to last for 24,000 levels and not for 50,000. */
static uint32_t depth_limit(void)
{
    enum { BYTES_A_LEVEL = 700 };
    return (uint32_t)(stack_size() / BYTES_A_LEVEL);
}

void z3_ask(struct z3 *z, const struct question *q, struct reply *r)
{
    enum { PLAIN_MS = 30, PLAIN_STEPS = PLAIN_MS * SOLVE_STEPS_MS };
    enum { GATES_A_MS = 250, MORE_STEPS = 100 * SOLVE_STEPS_MS }; /* what it may take to begin, beyond the effort */
    *r = (struct reply){.answer = SOLVE_UNKNOWN};
    check_settle(z);
    if (z->c && z->made > CONTEXT_MAX)
        context_close(z);
    if (!z->c)
        context_open(z);
    if (!z->c) {
        reply_unknown(r, "Z3 could not be started; it may need more memory");
        return;
    }
    struct translation *tr = translation_of(z, q->graph);
    struct survey v = look_over(q);
    const uint64_t begin = q->effort ? v.gates * SOLVE_STEPS_MS / GATES_A_MS : 0;
    enum outcome outcome = ENDED;
    if (q->effort && begin > (uint64_t)q->effort + MORE_STEPS) {
        reply_limit(r, q, WHY_STEPS);
        return;
    }
    if (v.depth > depth_limit()) {
        reply_unknown(r, "the query is nested %u deep, which Z3's use of the stack does not allow", v.depth);
        return;
    }
    /* Z3's plain core answers small queries about bit-vectors many times faster than its tactics, which are
     * better at everything else. */
    if (q->timeout_ms >= PLAIN_MS && v.bits_only) {
        struct question brief = *q;
        if (!q->effort)
            brief.timeout_ms = PLAIN_MS;
        else if (q->effort > PLAIN_STEPS)
            brief.effort = PLAIN_STEPS;
        outcome = attempt(z, tr, Z3_mk_simple_solver(z->c), &brief, begin + SOLVE_STEPS_MS / 2, r);
    }
    /* A solver made for the logic is made sooner and is faster than the one for everything; see docs/benchmarks.md. */
    if (outcome == ENDED && r->answer == SOLVE_UNKNOWN)
        outcome = v.in_logic ? attempt(z, tr, Z3_mk_solver_for_logic(z->c, Z3_mk_string_symbol(z->c, "QF_AUFBV")), q,
                                       begin + SOLVE_STEPS_MS, r)
                             : attempt(z, tr, Z3_mk_solver(z->c), q, begin + 5 * SOLVE_STEPS_MS, r);
    if (outcome == FAILED)
        context_close(z);
}
