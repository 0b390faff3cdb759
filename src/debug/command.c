/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of a session, from one table. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "debug/command.h"
#include "debug/expr.h"
#include "debug/variable.h"

typedef bool command_fn(struct request *r);

struct debug_command {
    const char *name, *alias, *arguments, *help;
    command_fn *run;
    int a; /* for functions that serve several commands */
    bool back;
};

bool request_bad(struct request *r, const char *fmt, ...)
{
    char text[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return error_set(r->err, ERROR_USAGE, "%s: %s", r->name, text);
}

bool request_empty(struct request *r)
{
    return *r->rest ? request_bad(r, "takes no argument") : true;
}

bool request_count(struct request *r, uint64_t initial, uint64_t *out)
{
    *out = initial;
    if (!*r->rest)
        return true;
    char *end;
    unsigned long long n = strtoull(r->rest, &end, 0);
    if (*end || !isdigit((unsigned char)*r->rest) || n == 0 || n > UINT32_MAX)
        return request_bad(r, "'%s' is not a count", r->rest);
    *out = n;
    return true;
}

bool request_value(struct request *r, struct debug_side *side, const char *text, uint64_t *out)
{
    if (!*text)
        return request_bad(r, "an expression is missing");
    struct error e = {0};
    if (expr_eval(side->d, text, out, &e))
        return true;
    return request_bad(r, "%s", e.text);
}

bool request_range(struct request *r, struct debug_side *side, uint64_t initial, uint64_t *address,
                   uint64_t *size)
{
    const char *at = r->rest;
    struct error e = {0};
    *size = initial;
    if (!*at)
        return request_bad(r, "an address is missing");
    if (!expr_take(side->d, &at, address, NULL, &e) || (*at && !expr_eval(side->d, at, size, &e)))
        return request_bad(r, "%s", e.text);
    return true;
}

char *request_trim(const char *p, size_t n)
{
    while (n && isspace((unsigned char)*p)) {
        p++;
        n--;
    }
    while (n && isspace((unsigned char)p[n - 1]))
        n--;
    char *s = xmalloc(n + 1);
    memcpy(s, p, n);
    s[n] = 0;
    return s;
}

/* ---- moving ---- */

static void show_after(struct debug_session *s, struct debug_side *side, struct buf *out)
{
    show_notes(side, out);
    if (s->show)
        show_code(side, s->show, true, out);
    else
        show_position(side, out);
}

static const struct debug_command *find(const char *word, size_t n);

static void move_sides(struct request *r, const struct move *m)
{
    struct debug_session *s = r->s;
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct buf said = BUF_INIT;
        enum move_end e = move(s, &s->side[i], m, &said);
        show_notes(&s->side[i], r->out);
        buf_puts(r->out, buf_text(&said));
        buf_free(&said);
        move_end_text(s, &s->side[i], e, r->out);
        show_after(s, &s->side[i], r->out);
    }
    if (s->pair)
        lockstep_moved(s->pair);
}

static bool run_move(struct request *r)
{
    const struct debug_command *c = find(r->name, strlen(r->name));
    struct move m = {.kind = (enum move_kind)c->a, .back = c->back};
    if (m.kind == MOVE_FINISH || m.kind == MOVE_CONTINUE) {
        if (!request_empty(r))
            return false;
        m.count = 1;
    } else if (!request_count(r, 1, &m.count)) {
        return false;
    }
    struct debug_session *s = r->s;
    if (m.kind == MOVE_CONTINUE && !m.back && s->pair && s->first != s->last) {
        struct buf said = BUF_INIT;
        lockstep_continue(s, &said);
        for (unsigned i = r->s->first; i <= r->s->last; i++)
            show_notes(&s->side[i], r->out);
        buf_puts(r->out, buf_text(&said));
        buf_free(&said);
        for (unsigned i = r->s->first; i <= r->s->last; i++)
            show_after(s, &s->side[i], r->out);
        return true;
    }
    move_sides(r, &m);
    return true;
}

static bool run_until(struct request *r)
{
    struct move m = {.kind = MOVE_UNTIL, .count = 1};
    for (unsigned i = r->s->first; i <= r->s->last; i++)
        if (!request_value(r, &r->s->side[i], r->rest, &m.address))
            return false;
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_session *s = r->s;
        unsigned first = s->first, last = s->last;
        request_value(r, &s->side[i], r->rest, &m.address);
        m.address = debuggee_address(s->side[i].d, m.address);
        s->first = s->last = i;
        move_sides(r, &m);
        s->first = first;
        s->last = last;
    }
    return true;
}

static bool run_restart(struct request *r)
{
    if (!request_empty(r))
        return false;
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        while (debuggee_back(side->d))
            ;
        move_end_text(r->s, side, MOVE_AT_START, r->out);
        show_after(r->s, side, r->out);
    }
    if (r->s->pair)
        lockstep_moved(r->s->pair);
    return true;
}

static bool run_return(struct request *r)
{
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        uint64_t value = 0;
        struct error e = {0};
        if (*r->rest && !request_value(r, side, r->rest, &value))
            return false;
        if (!debuggee_return(side->d, value, &e)) {
            if (r->s->first != r->s->last) { /* of two, one may have gone another way */
                buf_printf(r->out, "%s: %s\n", side->d->title, e.text);
                continue;
            }
            return request_bad(r, "%s", e.text);
        }
        show_state(side->d, r->out);
        show_after(r->s, side, r->out);
    }
    return true;
}

static bool run_jump(struct request *r)
{
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        uint64_t to;
        if (!request_value(r, &r->s->side[i], r->rest, &to))
            return false;
    }
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        uint64_t to = 0;
        request_value(r, side, r->rest, &to);
        debuggee_jump(side->d, debuggee_code_label(side->d, to));
        show_state(side->d, r->out);
        show_after(r->s, side, r->out);
    }
    return true;
}

static bool run_skip(struct request *r)
{
    if (!request_empty(r))
        return false;
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        const struct ir_block *b = debuggee_block(side->d);
        if (!b || !b->bytes) {
            if (side->d->state == DEBUGGEE_CALL)
                return request_bad(r, "'return VALUE' continues after a call");
            return request_bad(r, "no instruction here");
        }
        debuggee_jump(side->d, side->d->at + b->bytes);
        show_state(side->d, r->out);
        show_after(r->s, side, r->out);
    }
    return true;
}

/* ---- looking ---- */

enum look { LOOK_WHERE, LOOK_FRAMES, LOOK_IR, LOOK_INFO, LOOK_LOCALS };

static void info(struct debug_side *side, struct buf *out)
{
    const struct debuggee *d = side->d;
    const struct object_info *o = object_info(d->o);
    if (*d->title)
        buf_printf(out, "%s: ", d->title);
    buf_printf(out, "%s, %s; %" PRIu64 " instructions run, %zu changes can be undone%s\n", o->name,
               d->m->name, d->steps, d->log.len, d->forgot ? ", older ones not" : "");
}

static bool run_look(struct request *r)
{
    if (!request_empty(r))
        return false;
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        switch ((enum look)find(r->name, strlen(r->name))->a) {
        case LOOK_WHERE:
            show_state(side->d, r->out);
            show_position(side, r->out);
            break;
        case LOOK_FRAMES:
            show_frames(side, r->out);
            break;
        case LOOK_IR:
            show_statements(side, r->out);
            break;
        case LOOK_INFO:
            info(side, r->out);
            break;
        case LOOK_LOCALS:
            variables_text(side->d, side->d->title, r->out);
            break;
        }
    }
    return true;
}

static bool run_code(struct request *r)
{
    uint64_t n;
    if (!request_count(r, 5, &n))
        return false;
    if (n > 10000)
        n = 10000;
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        if (strcmp(r->name, "list") == 0)
            show_source(&r->s->side[i], (unsigned)n, r->out);
        else
            show_code(&r->s->side[i], (unsigned)n, strcmp(r->name, "show") == 0, r->out);
    }
    return true;
}

static bool run_always(struct request *r)
{
    const char *p = r->rest;
    if (strncmp(p, "show ", 5) == 0)
        p += 5;
    char *end;
    unsigned long n = strtoul(p, &end, 10);
    if (!isdigit((unsigned char)*p) || *end || n > 1000)
        return request_bad(r, "'always show N', 0 for none");
    r->s->show = (unsigned)n;
    return true;
}

/* ---- two versions ---- */

static bool two(struct request *r)
{
    return r->s->pair ? true : request_bad(r, "only one program is loaded");
}

static bool run_side(struct request *r)
{
    static const char *const names[] = {"old", "new", "both"};
    if (!two(r))
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(r->rest, names[i]) == 0) {
            r->s->first = i == 1;
            r->s->last = i != 0;
            return true;
        }
    return request_bad(r, "old, new or both");
}

/* "old COMMAND", "new COMMAND" */
static bool run_on_side(struct request *r)
{
    if (!two(r))
        return false;
    if (!*r->rest)
        return request_bad(r, "a command is missing");
    struct debug_session *s = r->s;
    unsigned first = s->first, last = s->last;
    s->first = s->last = r->name[0] == 'n';
    enum debug_reply reply = debug_session_command(s, r->rest, r->out, r->err);
    s->first = first;
    s->last = last;
    return reply != DEBUG_BAD;
}

static bool run_diff(struct request *r)
{
    if (!two(r) || !request_empty(r))
        return false;
    lockstep_compare(r->s, r->out);
    return true;
}

static bool run_compare(struct request *r)
{
    struct error e = {0};
    if (!two(r))
        return false;
    return lockstep_select(r->s->pair, r->rest, &e) ? true : request_bad(r, "%s", e.text);
}

/* ---- the rest ---- */

static bool run_help(struct request *r);

static bool run_echo(struct request *r)
{
    buf_printf(r->out, "%s\n", r->rest);
    return true;
}

static bool run_quit(struct request *r)
{
    return request_empty(r);
}

static const struct debug_command table[] = {
    {"step", "s", "[N]", "one instruction, into calls", run_move, MOVE_STEP, false},
    {"next", "n", "[N]", "one instruction, over calls", run_move, MOVE_NEXT, false},
    {"line", "li", "[N]", "to another source line, into calls", run_move, MOVE_LINE, false},
    {"nextline", "nl", "[N]", "to another source line, over calls", run_move, MOVE_NEXT_LINE, false},
    {"stmt", "st", "[N]", "one IR statement", run_move, MOVE_STATEMENT, false},
    {"block", "bl", "[N]", "to the next basic block", run_move, MOVE_BLOCK, false},
    {"finish", "fin", "", "to the return of the function", run_move, MOVE_FINISH, false},
    {"continue", "c", "", "to the next stop point; two versions: to the first difference", run_move,
     MOVE_CONTINUE, false},
    {"until", "u", "ADDRESS", "to an address", run_until, 0, false},
    {"-step", "-s", "[N]", "back one instruction", run_move, MOVE_STEP, true},
    {"-next", "-n", "[N]", "back one instruction, over calls", run_move, MOVE_NEXT, true},
    {"-line", "-li", "[N]", "back to the start of a source line, into calls", run_move, MOVE_LINE, true},
    {"-nextline", "-nl", "[N]", "back to the start of a source line, over calls", run_move, MOVE_NEXT_LINE,
     true},
    {"-stmt", "-st", "[N]", "back one IR statement", run_move, MOVE_STATEMENT, true},
    {"-block", "-bl", "[N]", "back to the start of a basic block", run_move, MOVE_BLOCK, true},
    {"-finish", "-fin", "", "back to the call of this function", run_move, MOVE_FINISH, true},
    {"-continue", "-c", "", "back to the previous stop point, or to the start", run_move, MOVE_CONTINUE,
     true},
    {"restart", NULL, "", "back to the beginning", run_restart, 0, false},
    {"return", "ret", "[VALUE]", "set the result of the call or system call that stopped the run", run_return,
     0, false},
    {"jump", "j", "ADDRESS", "continue elsewhere", run_jump, 0, false},
    {"skip", NULL, "", "continue after this instruction, without running it", run_skip, 0, false},
    {"break", "b", "PLACE [if CONDITION]",
     "stop at an address, symbol, FILE:LINE or :LINE; 'break if CONDITION': anywhere", command_break, 0, false},
    {"tbreak", "tb", "PLACE [if CONDITION]", "the same, once", command_break, 0, false},
    {"watch", "w", "EXPRESSION", "stop when the value changes", command_watch, 0, false},
    {"rwatch", NULL, "ADDRESS [LENGTH]", "stop when memory is read", command_access_watch, 0, false},
    {"awatch", NULL, "ADDRESS [LENGTH]", "stop when memory is read or written", command_access_watch, 0, false},
    {"delete", "clear", "[N]", "remove stop point N, or all", command_delete, 0, false},
    {"breaks", NULL, "", "list the stop points", command_breaks, 0, false},
    {"where", NULL, "", "the position", run_look, LOOK_WHERE, false},
    {"backtrace", "bt", "", "the call stack", run_look, LOOK_FRAMES, false},
    {"locals", "lo", "", "parameters and variables of the function, from debug information", run_look,
     LOOK_LOCALS, false},
    {"ir", NULL, "", "this instruction and its IR", run_look, LOOK_IR, false},
    {"show", NULL, "[N]", "N surrounding instructions with their IR", run_code, 0, false},
    {"dis", NULL, "[N]", "N surrounding instructions with source lines", run_code, 0, false},
    {"list", "l", "[N]", "N surrounding source lines", run_code, 0, false},
    {"always", NULL, "show N", "run 'show N' after every move; 0: off", run_always, 0, false},
    {"regs", "r", "[all]", "registers; '*' marks those that changed since the last listing", command_registers, 0,
     false},
    {"all", NULL, "", "all registers", command_registers, 0, false},
    {"print", "p", "[/FORMAT] EXPRESSION", "a value; 'p ADDRESS N': N bytes", command_print, 0, false},
    {"x", NULL, "[/NFU] ADDRESS", "memory: N items, format x d u t c s i a, size b h w g", command_examine, 0,
     false},
    {"set", NULL, "PLACE = VALUE",
     "a register, flag, byte, mem32[ADDRESS]; a value may be \"text\" or hex:0011", command_set, 0, false},
    {"diff", NULL, "", "two versions: what differs now", run_diff, 0, false},
    {"compare", NULL, "WORD,...", "two versions: what continue compares: path calls memory result all",
     run_compare, 0, false},
    {"side", NULL, "old|new|both", "two versions: which one commands apply to", run_side, 0, false},
    {"old", NULL, "COMMAND", "two versions: a command for the old one", run_on_side, 0, false},
    {"new", NULL, "COMMAND", "two versions: a command for the new one", run_on_side, 0, false},
    {"info", NULL, "", "the program and its progress", run_look, LOOK_INFO, false},
    {"echo", NULL, "TEXT", "print TEXT", run_echo, 0, false},
    {"help", "h", "[COMMAND]", "this list", run_help, 0, false},
    {"quit", "q", "", "end", run_quit, 0, false},
};
enum { COMMANDS = sizeof table / sizeof *table };

static bool run_help(struct request *r)
{
    const struct debug_command *only = *r->rest ? find(r->rest, strlen(r->rest)) : NULL;
    if (*r->rest && !only)
        return request_bad(r, "no command '%s'", r->rest);
    for (size_t i = 0; i < COMMANDS; i++) {
        const struct debug_command *c = &table[i];
        char head[80];
        if (only && c != only)
            continue;
        snprintf(head, sizeof head, "%s%s%s %s", c->name, c->alias ? ", " : "", c->alias ? c->alias : "",
                 c->arguments);
        buf_printf(r->out, "  %-34s %s\n", head, c->help);
    }
    if (!only)
        buf_puts(
            r->out,
            "An empty line repeats the last command on a terminal. Expressions are as in C, with registers, "
            "flags,\n"
            "symbols, variables (p->f, s.f, a[i], *p), arg0.., ret, mem8[] to mem64[], and <s for signed comparison. '#' begins "
            "a comment.\n");
    return true;
}

/* By name, alias, or a beginning that only one name has. */
static const struct debug_command *find(const char *word, size_t n)
{
    const struct debug_command *found = NULL;
    for (size_t i = 0; i < COMMANDS; i++) {
        const struct debug_command *c = &table[i];
        if ((strlen(c->name) == n && strncmp(c->name, word, n) == 0) ||
            (c->alias && strlen(c->alias) == n && strncmp(c->alias, word, n) == 0))
            return c;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (n >= 2 && strncmp(table[i].name, word, n) == 0) {
            if (found)
                return NULL;
            found = &table[i];
        }
    return found;
}

enum debug_reply debug_session_command(struct debug_session *s, const char *line, struct buf *out,
                                       struct error *err)
{
    char *text = request_trim(line, strlen(line)), *format = NULL;
    enum debug_reply reply = DEBUG_OK;
    if (*text && *text != '#') {
        size_t n = strcspn(text, " \t/");
        const char *rest = text + n;
        const struct debug_command *c = find(text, n);
        if (*rest == '/') {
            size_t k = strcspn(rest, " \t");
            format = request_trim(rest + 1, k - 1);
            rest += k;
        }
        while (isspace((unsigned char)*rest))
            rest++;
        struct request r = {s, c ? c->name : "", format ? format : "", rest, out, err};
        s->deadline = s->opt.timeout_ms ? now_ms() + s->opt.timeout_ms : 0;
        bool formatted = c && (c->run == command_examine || c->run == command_print);
        if (!c || (format && !formatted)) {
            error_set(err, ERROR_USAGE, "unknown command '%.*s'; 'h' lists the commands", (int)n, text);
            reply = DEBUG_BAD;
        } else if (!c->run(&r)) {
            reply = DEBUG_BAD;
        } else if (c->run == run_quit) {
            reply = DEBUG_QUIT;
        }
    }
    free(format);
    free(text);
    return reply;
}

void debug_session_commands(struct buf *out)
{
    for (size_t i = 0; i < COMMANDS; i++)
        buf_printf(out, "%s\n", table[i].name);
}

void debug_session_words(const struct debug_session *s, struct buf *out)
{
    enum { MAX_WORDS = 200000 };
    const struct debuggee *d = s->side[0].d;
    for (unsigned i = 0; i < d->m->nreg; i++)
        if (!d->m->reg[i].pseudo)
            buf_printf(out, "%s\n", d->m->reg[i].name);
    for (unsigned side = 0; side < s->nsides; side++) {
        const struct flow_function *f;
        size_t n = program_functions(s->side[side].d->p, &f);
        for (size_t i = 0; i < n && i < MAX_WORDS; i++)
            if (f[i].named && !strpbrk(f[i].name, " \t\n\r"))
                buf_printf(out, "%s\n", f[i].name);
    }
}
