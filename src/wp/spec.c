/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effect of a call that is not followed: a user's summary, or the first built-in one that applies.
 * `arg-terms` and `chaos-caller-saved` are the engine's own summary (exec/explore.h): results, memory and
 * registers that a callee may change are unknown functions of arguments and memory. What is weaker than that
 * is an assumption, and listed. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "wp/internal.h"

static const char *const spec_word[SPEC_COUNT_] = {
    [SPEC_VERIFIER_ERROR] = "verifier-error",
    [SPEC_VERIFIER_ASSUME] = "verifier-assume",
    [SPEC_VERIFIER_NONDET] = "verifier-nondet",
    [SPEC_AFL_MAYBE_LOG] = "afl-maybe-log",
    [SPEC_ARG_TERMS] = "arg-terms",
    [SPEC_CHAOS_CALLER_SAVED] = "chaos-caller-saved",
    [SPEC_RAX_OUT] = "rax-out",
    [SPEC_CHAOS_RAX] = "chaos-rax",
    [SPEC_EMPTY] = "empty",
};

/* ---- reading ---- */

static char *trimmed(struct arena *a, const char *from, size_t n)
{
    while (n && isspace((unsigned char)*from))
        from++, n--;
    while (n && isspace((unsigned char)from[n - 1]))
        n--;
    return arena_strndup(a, from, n);
}

/* Up to `stop` outside parentheses, strings and bars. */
static size_t until(const char *s, char stop)
{
    int depth = 0;
    size_t i = 0;
    for (; s[i] && (depth > 0 || s[i] != stop); i++) {
        if (s[i] == '"' || s[i] == '|') {
            char quote = s[i];
            for (i++; s[i] && s[i] != quote; i++)
                ;
            if (!s[i])
                break;
        }
        depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
    }
    return i;
}

static bool read_user(struct wp *w, const char *option, const char *text, unsigned side, bool own_name)
{
    while (text && *text) {
        size_t n = until(text, ';');
        char *one = trimmed(w->arena, text, n);
        text += n + (text[n] == ';');
        if (!*one)
            continue;
        size_t a = until(one, ',');
        if (!one[a])
            return wp_fail(w, "%s: '%.60s' is not NAME,(assert PRE),(assert POST)", option, one);
        size_t b = until(one + a + 1, ',');
        if (!one[a + 1 + b])
            return wp_fail(w, "%s: '%.60s' has no postcondition; write NAME,(assert PRE),(assert POST)",
                           option, one);
        vec_push(&w->user[side],
                 (struct user_spec){.name = trimmed(w->arena, one, a),
                                    .pre = trimmed(w->arena, one + a + 1, b),
                                    .post = trimmed(w->arena, one + a + b + 2, strlen(one + a + b + 2)),
                                    .own_name = own_name});
    }
    return true;
}

static bool read_builtin(struct wp *w)
{
    const char *at = w->opt->fun_specs;
    w->nspecs = 0;
    for (unsigned i = 0; !at && i < SPEC_COUNT_; i++)
        w->spec[w->nspecs++] = (uint8_t)i;
    while (at && *at) {
        size_t n = strcspn(at, ",");
        char *word = trimmed(w->arena, at, n);
        at += n + (at[n] == ',');
        unsigned k = 0;
        while (k < SPEC_COUNT_ && strcmp(word, spec_word[k]) != 0)
            k++;
        if (k == SPEC_COUNT_ && *word)
            return wp_fail(
                w,
                "--fun-specs: unknown summary '%.40s'; known are verifier-error, verifier-assume, "
                "verifier-nondet, afl-maybe-log, arg-terms, chaos-caller-saved, rax-out, chaos-rax, "
                "empty",
                word);
        if (*word && w->nspecs < SPEC_COUNT_)
            w->spec[w->nspecs++] = (uint8_t)k;
    }
    return true;
}

bool specs_read(struct wp *w)
{
    const struct wp_options *o = w->opt;
    if (w->nsides < 2 && (o->user_specs_orig || o->user_specs_mod))
        return wp_fail(
            w, "--user-func-specs-orig and -mod are for comparing two programs; use --user-func-specs");
    for (unsigned i = 0; i < w->nsides; i++) {
        if (!read_user(w, i ? "--user-func-specs-mod" : "--user-func-specs-orig",
                       i ? o->user_specs_mod : o->user_specs_orig, i, true) ||
            !read_user(w, "--user-func-specs", o->user_specs, i, false))
            return false;
    }
    if (o->follow) {
        /* all of the name has to match */
        char *whole = arena_printf(w->arena, "^(%s)$", o->follow);
        int e = regcomp(&w->follow, whole, REG_EXTENDED | REG_NOSUB);
        if (e != 0) {
            char why[128];
            regerror(e, &w->follow, why, sizeof why);
            return wp_fail(w, "--inline: '%s' is not a regular expression: %s", o->follow, why);
        }
        w->has_follow = true;
    }
    return read_builtin(w);
}

/* ---- names ---- */

const struct user_spec *spec_of_user(const struct side *s, const char *name)
{
    const struct wp *w = s->w;
    for (size_t i = 0; name && i < w->user[s->code->new].len; i++)
        if (strcmp(w->user[s->code->new].data[i].name, name) == 0)
            return &w->user[s->code->new].data[i];
    return NULL;
}

static bool is_unique(const struct program *p, const char *name, uint64_t address)
{
    const struct flow_function *f;
    size_t n = program_functions(p, &f);
    for (size_t i = 0; i < n; i++)
        if (f[i].address != address && !(f[i].flags & (FLOW_PLT | FLOW_EXTERN)) &&
            strcmp(f[i].name, name) == 0)
            return false;
    return true;
}

/* The original's name of what the modified version calls `name`. */
static const char *name_back(struct side *s, const char *name)
{
    struct wp *w = s->w;
    struct program *orig = w->side[0].code->p;
    const struct flow_function *f;
    size_t n = program_functions(orig, &f);
    struct buf to = BUF_INIT;
    const char *found = NULL;
    for (size_t i = 0; i < n && !found; i++) {
        struct error err = {0};
        buf_clear(&to);
        if (map_name(w->opt->name_map, f[i].name, &to, &err) && strcmp(buf_text(&to), name) == 0)
            found = f[i].name;
    }
    buf_free(&to);
    return found;
}

/* Unknown functions of the two versions are the same when they have the same name here. */
const char *spec_name(struct side *s, const char *name, uint64_t address)
{
    struct wp *w = s->w;
    if (!name)
        return name;
    const struct user_spec *u = spec_of_user(s, name);
    if (u && u->own_name)
        return arena_printf(w->arena, "%s@%s", name, s->code->new ? "mod" : "orig");
    const struct flow_function *f = address ? program_function_at(s->code->p, address) : NULL;
    bool own = f && !(f->flags & (FLOW_PLT | FLOW_EXTERN));
    if (w->nsides < 2)
        return own && !is_unique(s->code->p, name, address)
                   ? arena_printf(w->arena, "%s@%#" PRIx64, name, address)
                   : name;
    const char *back = s->code->new == 1 && w->opt->name_map ? name_back(s, name) : NULL;
    if (back)
        return back;
    const struct flow_function *old = f;
    if (own && s->code->new == 1 && w->pair.m) {
        const struct match_pair *pair = match_function_new(w->pair.m, address);
        const struct flow_function *all;
        program_functions(w->side[0].code->p, &all);
        old = pair && pair->old != MATCH_NONE ? &all[pair->old] : NULL;
        if (!old)
            return arena_printf(w->arena, "%s@new", name);
    }
    if (!own || !old)
        return name;
    return is_unique(w->side[0].code->p, old->name, old->address)
               ? old->name
               : arena_printf(w->arena, "%s@%#" PRIx64, old->name, old->address);
}

/* ---- at a call ---- */

bool spec_is_error(const char *name)
{
    static const char *const all[] = {"__VERIFIER_error", "__assert_fail",        "__assert",
                                      "__assert_rtn",     "__assert_perror_fail", "reach_error"};
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    return false;
}

/* Does the code of the callee assign the register? */
static bool assigns(struct side *s, const struct flow_function *f, unsigned offset)
{
    const struct flow_graph *g = flow_graph(s->code->p, f);
    for (uint32_t b = 0; b < g->nblocks; b++)
        for (uint32_t i = 0; i < g->block[b].ninsn; i++)
            if (g->block[b].insn[i].op == IR_PUT && g->block[b].insn[i].a == offset)
                return true;
    return false;
}

static bool is_empty(struct side *s, const struct flow_function *f)
{
    const struct flow_graph *g = flow_graph(s->code->p, f);
    return g->nblocks == 1 && g->block[0].end.kind == IR_END_RET && g->block[0].nmark == 1;
}

static bool applies(struct side *s, enum builtin_spec k, const struct exec_callee *c)
{
    const char *name = c->name ? c->name : "";
    switch (k) {
    case SPEC_VERIFIER_ERROR:
        return spec_is_error(name);
    case SPEC_VERIFIER_ASSUME:
        return strcmp(name, "__VERIFIER_assume") == 0;
    case SPEC_VERIFIER_NONDET:
        return strncmp(name, "__VERIFIER_nondet", 17) == 0 || strcmp(name, "malloc") == 0 ||
               strcmp(name, "calloc") == 0;
    case SPEC_AFL_MAYBE_LOG:
        return strcmp(name, "__afl_maybe_log") == 0;
    case SPEC_ARG_TERMS:
        return c->f && flow_prototype(s->code->p, c->f).nargs >= 0 && !is_empty(s, c->f);
    case SPEC_CHAOS_CALLER_SAVED:
        return !(c->f && is_empty(s, c->f));
    case SPEC_RAX_OUT:
        return c->f && assigns(s, c->f, s->code->m->ret);
    case SPEC_CHAOS_RAX:
        return true;
    case SPEC_EMPTY:
        return c->f && is_empty(s, c->f);
    case SPEC_COUNT_:
        break;
    }
    return false;
}

/* The first of the built-in ones that applies. */
static enum builtin_spec chosen(struct side *s, const struct exec_callee *c)
{
    const struct wp *w = s->w;
    for (unsigned i = 0; i < w->nspecs; i++)
        if (applies(s, w->spec[i], c))
            return w->spec[i];
    return SPEC_COUNT_;
}

bool spec_is_meant(struct side *s, const struct flow_function *f)
{
    struct exec_callee c = {.name = f->name, .f = f};
    enum builtin_spec k = chosen(s, &c);
    return spec_of_user(s, f->name) || k == SPEC_VERIFIER_ERROR || k == SPEC_VERIFIER_ASSUME ||
           (k == SPEC_VERIFIER_NONDET && strncmp(f->name, "__VERIFIER_nondet", 17) == 0);
}

/* Is the engine's own summary used, of which more is known? */
static bool is_helper(struct side *s, const struct exec_callee *c)
{
    enum builtin_spec k = helper_is_known(s, c->name) ? chosen(s, c) : SPEC_EMPTY;
    return k == SPEC_ARG_TERMS || k == SPEC_CHAOS_CALLER_SAVED;
}

static struct exec_call only(struct side *s, const uint16_t *list, unsigned n)
{
    return (struct exec_call){EXEC_CALL_ONLY, n ? arena_dup(s->w->arena, list, n * sizeof *list) : NULL, n};
}

static void keep_before(struct side *s, const struct exec_moment *at)
{
    unsigned unit = s->code->m->pointer_width / 8;
    for (unsigned o = 0; o + unit <= s->code->m->file_size; o += unit)
        map_set(&s->before, o, moment_register(at, o, unit * 8));
    s->before_mem = moment_memory(at);
}

static void weak(struct side *s, const struct exec_callee *c, enum builtin_spec k)
{
    wp_note(s->w, "%s is assumed to change %s (--fun-specs: %s)", c->name ? c->name : "a computed call",
            k == SPEC_EMPTY ? "nothing" : "no more than the return register", spec_word[k]);
}

static struct exec_call built_in(struct side *s, struct exec_moment *at, const struct exec_callee *c)
{
    struct wp *w = s->w;
    uint16_t ret = s->code->m->ret, list[4] = {0};
    unsigned n = 0;
    enum builtin_spec k = chosen(s, c);
    switch (k) {
    case SPEC_VERIFIER_ERROR:
        return (struct exec_call){.kind = EXEC_CALL_END};
    case SPEC_VERIFIER_ASSUME: {
        term arg = s->code->m->nargs ? moment_register(at, s->code->m->arg[0], 32)
                                     : term_read(w->t, moment_memory(at),
                                                 term_add_const(w->t, moment_register(at, s->code->m->sp, 32),
                                                                s->code->m->stack_arg),
                                                 32);
        moment_assume(at, term_not(w->t, term_eq(w->t, arg, term_const(w->t, 32, 0))));
        return only(s, list, 0);
    }
    case SPEC_VERIFIER_NONDET:
        if (strncmp(c->name, "__VERIFIER_nondet", 17) != 0)
            return (struct exec_call){0}; /* an allocation: what the library is known to do */
        list[n++] = ret;
        if (s->code->m->ret2 != UINT16_MAX)
            list[n++] = s->code->m->ret2;
        if (s->code->m->fret != UINT16_MAX)
            list[n++] = s->code->m->fret;
        return only(s, list, n);
    case SPEC_AFL_MAYBE_LOG: {
        static const char *const changed[] = {"rax", "rcx", "rdx"};
        uint16_t width;
        for (unsigned r = 0; r < 3; r++)
            n += machine_register_find(s->code->m, changed[r], &list[n], &width);
        wp_note(w, "__afl_maybe_log is assumed to change RAX, RCX and RDX only (--fun-specs: afl-maybe-log)");
        return only(s, list, n);
    }
    case SPEC_ARG_TERMS:
    case SPEC_CHAOS_CALLER_SAVED:
        return (struct exec_call){0};
    case SPEC_RAX_OUT:
    case SPEC_CHAOS_RAX:
        weak(s, c, k);
        return only(s, &ret, 1);
    case SPEC_EMPTY:
        weak(s, c, k);
        return only(s, list, 0);
    case SPEC_COUNT_:
        break;
    }
    return (struct exec_call){0};
}

static bool is_followed(const struct wp *w, const struct exec_callee *c)
{
    for (size_t i = 0; c->f && c->name && i < w->also.len; i++)
        if (strcmp(w->also.data[i], c->name) == 0)
            return true;
    return w->has_follow && c->f && c->name && regexec(&w->follow, c->name, 0, NULL, 0) == 0;
}

struct exec_call spec_call(struct side *s, struct exec_moment *at, const struct exec_callee *c)
{
    struct wp *w = s->w;
    if (w->opt->trip_asserts && spec_is_error(c->name))
        goal_add(w, (struct goal){.kind = GOAL_ASSERT,
                                  .side = (uint8_t)s->code->new,
                                  .site = c->site,
                                  .when = moment_condition(at),
                                  .must = term_false(w->t),
                                  .tag = arena_printf(w->arena, "%s is not reached at 0x%" PRIx64, c->name,
                                                      object_display_address(s->code->o, c->site))});
    if (is_followed(w, c))
        return (struct exec_call){.kind = EXEC_CALL_FOLLOW};
    unchecked_library(s, at, c);
    const struct user_spec *u = spec_of_user(s, c->name);
    if (!u && is_helper(s, c))
        keep_before(s, at);
    if (!u || w->failed)
        return built_in(s, at, c);
    struct condition_names names = {.side = s, .now = at};
    char what[128];
    snprintf(what, sizeof what, "summary of %s, precondition", u->name);
    term pre = condition_read(w, what, u->pre, &names);
    if (pre != TERM_NONE)
        goal_add(w, (struct goal){.kind = GOAL_SPEC,
                                  .side = (uint8_t)s->code->new,
                                  .site = c->site,
                                  .when = moment_condition(at),
                                  .must = pre,
                                  .tag = arena_printf(w->arena, "precondition of %s at 0x%" PRIx64, u->name,
                                                      object_display_address(s->code->o, c->site))});
    keep_before(s, at);
    return (struct exec_call){0};
}

void spec_called(struct side *s, struct exec_moment *at, const struct exec_callee *c)
{
    struct wp *w = s->w;
    if (is_followed(w, c)) {
        wp_note(w, "%s is summarised where calls are nested deeper than the inlining limit", c->name);
        return;
    }
    unchecked_called(s, c);
    const struct user_spec *u = spec_of_user(s, c->name);
    if (!u && is_helper(s, c))
        helper_called(s, at, c->name);
    if (!u || w->failed)
        return;
    struct condition_names names = {.side = s, .now = at, .before = &s->before, .before_mem = s->before_mem};
    char what[128];
    snprintf(what, sizeof what, "summary of %s, postcondition", u->name);
    term post = condition_read(w, what, u->post, &names);
    if (post != TERM_NONE) {
        moment_assume(at, post);
        wp_note(w, "the given summary of %s is correct", u->name);
    }
}

/* ---- names of the modified version made from those of the original ---- */

static bool map_one(const char *pattern, size_t n, const char *to, size_t nto, const char *name,
                    struct buf *out, struct error *err)
{
    char text[512];
    snprintf(text, sizeof text, "^%.*s$", (int)n, pattern);
    regex_t re;
    regmatch_t part[10];
    /* \( \) as in CBAT's examples is the basic syntax */
    int e = regcomp(&re, text, strstr(text, "\\(") ? 0 : REG_EXTENDED);
    if (e != 0) {
        char why[128];
        regerror(e, &re, why, sizeof why);
        return error_set(err, ERROR_USAGE, "--func-name-map: '%.*s' is not a regular expression: %s", (int)n,
                         pattern, why);
    }
    bool ok = regexec(&re, name, 10, part, 0) == 0;
    for (size_t i = 0; ok && i < nto; i++) {
        if (to[i] == '\\' && i + 1 < nto && isdigit((unsigned char)to[i + 1])) {
            const regmatch_t *p = &part[to[++i] - '0'];
            if (p->rm_so >= 0)
                buf_put(out, name + p->rm_so, (size_t)(p->rm_eo - p->rm_so));
        } else {
            buf_putc(out, to[i]);
        }
    }
    regfree(&re);
    return ok;
}

bool map_name(const char *map, const char *name, struct buf *out, struct error *err)
{
    while (map && *map) {
        size_t n = strcspn(map, ";"), comma = strcspn(map, ",");
        if (comma >= n)
            return error_set(err, ERROR_USAGE, "--func-name-map: '%.*s' is not REGEX,REPLACEMENT", (int)n,
                             map);
        if (map_one(map, comma, map + comma + 1, n - comma - 1, name, out, err))
            return true;
        if (err->kind)
            return false;
        map += n + (map[n] == ';');
    }
    return false;
}
