/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of a session, from one table. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "debug/expr.h"
#include "debug/private.h"

/* One command while it runs. */
struct request {
    struct debug_session *s;
    const char *name;   /* as in the table */
    const char *format; /* behind the slash: "16xb"; "" when there is none */
    const char *rest;   /* its arguments */
    struct buf *out;
    struct error *err;
};

typedef bool command_fn(struct request *r);

struct debug_command {
    const char *name, *alias, *arguments, *help;
    command_fn *run;
    int a; /* for functions that serve several commands */
    bool back;
};

__attribute__((format(printf, 2, 3))) static bool bad(struct request *r, const char *fmt, ...)
{
    char text[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return error_set(r->err, ERROR_USAGE, "%s: %s", r->name, text);
}

static bool no_arguments(struct request *r)
{
    return *r->rest ? bad(r, "takes no argument") : true;
}

static bool count_argument(struct request *r, uint64_t initial, uint64_t *out)
{
    *out = initial;
    if (!*r->rest)
        return true;
    char *end;
    unsigned long long n = strtoull(r->rest, &end, 0);
    if (*end || !isdigit((unsigned char)*r->rest) || n == 0 || n > UINT32_MAX)
        return bad(r, "'%s' is not a count", r->rest);
    *out = n;
    return true;
}

#define each_side(r, i) (unsigned i = (r)->s->first; i <= (r)->s->last; i++)

static bool expression(struct request *r, struct debug_side *side, const char *text, uint64_t *out)
{
    if (!*text)
        return bad(r, "an expression is missing");
    struct error e = {0};
    if (expr_eval(side->d, text, out, &e))
        return true;
    return bad(r, "%s", e.text);
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
    for
        each_side(r, i)
        {
            struct buf said = BUF_INIT;
            enum move_end e = move(s, &s->side[i], m, &said);
            show_notes(&s->side[i], r->out);
            buf_puts(r->out, buf_text(&said));
            buf_free(&said);
            move_end_text(s, &s->side[i], e, r->out);
            show_after(s, &s->side[i], r->out);
        }
    if (s->pair)
        pair_moved(s->pair);
}

static bool run_move(struct request *r)
{
    const struct debug_command *c = find(r->name, strlen(r->name));
    struct move m = {.kind = (enum move_kind)c->a, .back = c->back};
    if (m.kind == MOVE_FINISH || m.kind == MOVE_CONTINUE) {
        if (!no_arguments(r))
            return false;
        m.count = 1;
    } else if (!count_argument(r, 1, &m.count)) {
        return false;
    }
    struct debug_session *s = r->s;
    if (m.kind == MOVE_CONTINUE && !m.back && s->pair && s->first != s->last) {
        struct buf said = BUF_INIT;
        pair_continue(s, &said);
        for
            each_side(r, i) show_notes(&s->side[i], r->out);
        buf_puts(r->out, buf_text(&said));
        buf_free(&said);
        for
            each_side(r, i) show_after(s, &s->side[i], r->out);
        return true;
    }
    move_sides(r, &m);
    return true;
}

static bool run_until(struct request *r)
{
    struct move m = {.kind = MOVE_UNTIL, .count = 1};
    for
        each_side(r, i) if (!expression(r, &r->s->side[i], r->rest, &m.address)) return false;
    for
        each_side(r, i)
        {
            struct debug_session *s = r->s;
            unsigned first = s->first, last = s->last;
            expression(r, &s->side[i], r->rest, &m.address);
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
    if (!no_arguments(r))
        return false;
    for
        each_side(r, i)
        {
            struct debug_side *side = &r->s->side[i];
            while (debuggee_back(side->d))
                ;
            move_end_text(r->s, side, MOVE_AT_START, r->out);
            show_after(r->s, side, r->out);
        }
    if (r->s->pair)
        pair_moved(r->s->pair);
    return true;
}

static bool run_return(struct request *r)
{
    for
        each_side(r, i)
        {
            struct debug_side *side = &r->s->side[i];
            uint64_t value = 0;
            struct error e = {0};
            if (*r->rest && !expression(r, side, r->rest, &value))
                return false;
            if (!debuggee_return(side->d, value, &e)) {
                if (r->s->first != r->s->last) { /* of two, one may have gone another way */
                    buf_printf(r->out, "%s: %s\n", side->d->title, e.text);
                    continue;
                }
                return bad(r, "%s", e.text);
            }
            show_state(side->d, r->out);
            show_after(r->s, side, r->out);
        }
    return true;
}

static bool run_jump(struct request *r)
{
    for
        each_side(r, i)
        {
            uint64_t to;
            if (!expression(r, &r->s->side[i], r->rest, &to))
                return false;
        }
    for
        each_side(r, i)
        {
            struct debug_side *side = &r->s->side[i];
            uint64_t to = 0;
            expression(r, side, r->rest, &to);
            debuggee_jump(side->d, debuggee_code_label(side->d, to));
            show_state(side->d, r->out);
            show_after(r->s, side, r->out);
        }
    return true;
}

static bool run_skip(struct request *r)
{
    if (!no_arguments(r))
        return false;
    for
        each_side(r, i)
        {
            struct debug_side *side = &r->s->side[i];
            const struct ir_block *b = debuggee_block(side->d);
            if (!b || !b->bytes) {
                if (side->d->state == DEBUGGEE_CALL)
                    return bad(r, "'return VALUE' goes on behind a call");
                return bad(r, "there is no instruction here");
            }
            debuggee_jump(side->d, side->d->at + b->bytes);
            show_state(side->d, r->out);
            show_after(r->s, side, r->out);
        }
    return true;
}

/* ---- stop points ---- */

static char *trimmed(const char *p, size_t n)
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

/* "PLACE if CONDITION", "if CONDITION"; both may be empty. To be freed. */
static void split_condition(const char *text, char **place, char **condition)
{
    const char *at = strncmp(text, "if ", 3) == 0 ? text : strstr(text, " if ");
    *condition = NULL;
    if (!at) {
        *place = trimmed(text, strlen(text));
        return;
    }
    *place = trimmed(text, (size_t)(at - text));
    at = strstr(at, "if ") + 3;
    *condition = trimmed(at, strlen(at));
}

static void add_stop(struct debug_side *side, struct stop_point p)
{
    vec_push(&side->stop, p);
    stop_points_changed(side);
}

/* Addresses that stand for a function of another file. */
static size_t import_places(const struct debuggee *d, const char *name, uint64_t *out, size_t cap)
{
    size_t n = 0, count;
    uint64_t index;
    const struct object_stub *s;
    count = object_stubs(d->o, &s);
    for (size_t i = 0; i < count && n < cap; i++)
        if (s[i].name && strcmp(s[i].name, name) == 0 && debuggee_import_at(d, s[i].address))
            out[n++] = s[i].address;
    if (n < cap && strmap_get(&d->import_name, name, &index))
        out[n++] = d->import.data[index].address;
    return n;
}

static bool break_side(struct request *r, struct debug_side *side, const char *place, const char *condition,
                       bool temporary)
{
    enum { MAX_PLACES = 16 };
    struct debuggee *d = side->d;
    uint64_t at[MAX_PLACES], x;
    size_t n = 1;
    char name[256];
    if (condition && !expression(r, side, condition, &x))
        return false;
    if (!*place && !condition)
        return bad(r, "where? an address, a symbol, or 'if CONDITION'");
    if (*place) {
        n = import_places(d, place, at, MAX_PLACES);
        if (!n) {
            if (!expression(r, side, place, &at[0]))
                return false;
            n = 1;
            at[0] = debuggee_address(d, at[0]);
            if (!object_is_exec(d->o, at[0]) && !debuggee_import_at(d, at[0]))
                return bad(r, "there is no code at 0x%" PRIx64, at[0]);
        }
    }
    for (size_t i = 0; i < n; i++)
        add_stop(side, (struct stop_point){
                           .id = r->s->ids,
                           .kind = *place ? STOP_AT : STOP_WHEN,
                           .address = *place ? at[i] : 0,
                           .text = xstrdup(*place ? debuggee_describe(d, at[i], name, sizeof name) : ""),
                           .condition = condition ? xstrdup(condition) : NULL,
                           .temporary = temporary});
    if (*d->title)
        buf_printf(r->out, "%s: ", d->title);
    if (*place)
        buf_printf(r->out, "breakpoint %u at 0x%" PRIx64 " %s\n", r->s->ids, at[0],
                   vec_last(&side->stop).text);
    else
        buf_printf(r->out, "breakpoint %u if %s\n", r->s->ids, condition);
    return true;
}

static bool run_break(struct request *r)
{
    char *place, *condition;
    split_condition(r->rest, &place, &condition);
    bool ok = true;
    r->s->ids++;
    for
        each_side(r, i) ok =
            ok && break_side(r, &r->s->side[i], place, condition, strcmp(r->name, "tbreak") == 0);
    if (!ok) {
        for
            each_side(r, i) while (stop_point_remove(&r->s->side[i], r->s->ids));
        r->s->ids--;
    }
    free(place);
    free(condition);
    return ok;
}

static bool run_watch(struct request *r)
{
    uint64_t x;
    for
        each_side(r, i) if (!expression(r, &r->s->side[i], r->rest, &x)) return false;
    r->s->ids++;
    for
        each_side(r, i)
        {
            expression(r, &r->s->side[i], r->rest, &x);
            add_stop(&r->s->side[i],
                     (struct stop_point){
                         .id = r->s->ids, .kind = STOP_CHANGE, .text = xstrdup(r->rest), .last = x});
        }
    buf_printf(r->out, "watchpoint %u: %s\n", r->s->ids, r->rest);
    return true;
}

/* "ADDRESS [LENGTH]" */
static bool range_argument(struct request *r, struct debug_side *side, uint64_t initial, uint64_t *address,
                           uint64_t *size)
{
    const char *at = r->rest;
    struct error e = {0};
    *size = initial;
    if (!*at)
        return bad(r, "an address is missing");
    if (!expr_take(side->d, &at, address, &e) || (*at && !expr_eval(side->d, at, size, &e)))
        return bad(r, "%s", e.text);
    return true;
}

static bool run_access_watch(struct request *r)
{
    for
        each_side(r, i)
        {
            struct debug_side *side = &r->s->side[i];
            uint64_t address, size;
            if (!range_argument(r, side, side->d->m->pointer_width / 8, &address, &size))
                return false;
            if (!size || size > UINT32_MAX)
                return bad(r, "0x%" PRIx64 " is no length", size);
            char text[64];
            snprintf(text, sizeof text, "%" PRIu64 " bytes at 0x%" PRIx64, size, address);
            if (i == r->s->first)
                r->s->ids++;
            add_stop(side, (struct stop_point){.id = r->s->ids,
                                               .kind = STOP_ACCESS,
                                               .address = address,
                                               .size = size,
                                               .read = true,
                                               .write = r->name[0] == 'a',
                                               .text = xstrdup(text)});
            buf_printf(r->out, "watchpoint %u: %s\n", r->s->ids, text);
        }
    return true;
}

static bool run_delete(struct request *r)
{
    uint64_t id = 0;
    if (*r->rest && !count_argument(r, 0, &id))
        return false;
    bool any = false;
    for
        each_side(r, i)
        {
            struct debug_side *side = &r->s->side[i];
            for (size_t k = side->stop.len; k-- > 0;)
                if (!id || side->stop.data[k].id == id)
                    any |= stop_point_remove(side, side->stop.data[k].id);
        }
    return any || !id ? true : bad(r, "there is no number %" PRIu64, id);
}

static bool run_breaks(struct request *r)
{
    if (!no_arguments(r))
        return false;
    for
        each_side(r, i) show_stop_points(&r->s->side[i], r->out);
    return true;
}

/* ---- looking ---- */

enum look { LOOK_WHERE, LOOK_FRAMES, LOOK_IR, LOOK_INFO };

static void info(struct debug_side *side, struct buf *out)
{
    const struct debuggee *d = side->d;
    const struct object_info *o = object_info(d->o);
    if (*d->title)
        buf_printf(out, "%s: ", d->title);
    buf_printf(out, "%s, %s; %" PRIu64 " instructions run, %zu changes can be taken back%s\n", o->name,
               d->m->name, d->steps, d->log.len, d->forgot ? ", older ones not" : "");
}

static bool run_look(struct request *r)
{
    if (!no_arguments(r))
        return false;
    for
        each_side(r, i)
        {
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
            }
        }
    return true;
}

static bool run_registers(struct request *r)
{
    if (*r->rest && strcmp(r->rest, "all") != 0)
        return bad(r, "takes nothing, or 'all'");
    for
        each_side(r, i) show_registers(&r->s->side[i], *r->rest || strcmp(r->name, "all") == 0, r->out);
    return true;
}

static bool run_code(struct request *r)
{
    uint64_t n;
    if (!count_argument(r, 5, &n))
        return false;
    if (n > 10000)
        n = 10000;
    for
        each_side(r, i)
        {
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
        return bad(r, "'always show N', 0 for none");
    r->s->show = (unsigned)n;
    return true;
}

/* The format behind a slash: a count, a letter for how, a letter for the size. */
static bool read_format(struct request *r, unsigned word, unsigned *count, char *format, unsigned *unit)
{
    const char *p = r->format;
    unsigned long n = 1;
    if (isdigit((unsigned char)*p)) {
        char *end;
        n = strtoul(p, &end, 10);
        p = end;
    }
    if (n == 0 || n > 65536)
        return bad(r, "'%s': a count from 1 to 65536", r->format);
    *count = (unsigned)n;
    *unit = word;
    for (; *p; p++) {
        const char *sizes = "bhwg", *at = strchr(sizes, *p);
        if (strchr("xdutcsia", *p))
            *format = *p;
        else if (at)
            *unit = 1u << (at - sizes);
        else
            return bad(r, "'%s': letters are x d u t c s i a for the format and b h w g for the size",
                       r->format);
    }
    if (*format == 'c')
        *unit = 1;
    if (*format == 'a')
        *unit = word;
    return true;
}

static bool run_examine(struct request *r)
{
    for
        each_side(r, i)
        {
            struct debug_side *side = &r->s->side[i];
            unsigned count, unit;
            char format = 'x';
            uint64_t address;
            if (!read_format(r, side->d->m->pointer_width / 8, &count, &format, &unit) ||
                !expression(r, side, r->rest, &address))
                return false;
            show_memory(side, address, count, format, unit, r->out);
        }
    return true;
}

/* As in bildb a mere number is an address, and a second number asks for so many bytes. */
static bool run_print(struct request *r)
{
    for
        each_side(r, i)
        {
            struct debug_side *side = &r->s->side[i];
            unsigned count, unit;
            char format = 0;
            uint64_t value, size = 0;
            uint16_t offset, width;
            if (!read_format(r, 8, &count, &format, &unit) || !range_argument(r, side, 0, &value, &size))
                return false;
            bool number =
                r->rest[strspn(r->rest, "0123456789abcdefABCDEFxX")] == 0 && isdigit((unsigned char)*r->rest);
            if (size || (number && !format)) {
                show_memory(side, value, size > 65536 ? 65536 : size ? (unsigned)size : 1, 'x', 1, r->out);
            } else if (machine_register_find(side->d->m, r->rest, &offset, &width) && width > 64) {
                char hex[160];
                bits_format_hex(debuggee_get(side->d, offset, width), width, hex, sizeof hex);
                buf_printf(r->out, "%s%s%s = %s\n", side->d->title, *side->d->title ? ": " : "", r->rest,
                           hex);
            } else {
                show_value(side, r->rest, value, format, r->out);
            }
        }
    return true;
}

/* ---- changing ---- */

/* The '=' that is not part of a comparison. */
static const char *find_equals(const char *s)
{
    for (const char *p = s; (p = strchr(p, '=')); p++) {
        if (p[1] == '=')
            p++;
        else if (p == s || !strchr("<>!=", p[-1]))
            return p;
    }
    return NULL;
}

static int digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

/* "text" with \n \t \\ \" \xNN, or hex:0011ff. The bytes are added to *out; false when it is neither or
 * wrong. */
static bool read_bytes(struct request *r, const char *p, struct buf *out, bool *is)
{
    *is = true;
    if (strncmp(p, "hex:", 4) == 0) {
        for (p += 4; *p; p += 2) {
            if (digit(p[0]) < 0 || digit(p[1]) < 0)
                return bad(r, "hex: takes two digits for each byte");
            buf_putc(out, (char)(digit(p[0]) << 4 | digit(p[1])));
        }
        return true;
    }
    if (*p != '"') {
        *is = false;
        return true;
    }
    for (p++; *p && *p != '"'; p++) {
        if (*p != '\\') {
            buf_putc(out, *p);
            continue;
        }
        p++;
        if (*p == 'x' && digit(p[1]) >= 0 && digit(p[2]) >= 0) {
            buf_putc(out, (char)(digit(p[1]) << 4 | digit(p[2])));
            p += 2;
        } else if (*p && strchr("nt0\\\"", *p)) {
            buf_putc(out, *p == 'n' ? '\n' : *p == 't' ? '\t' : *p == '0' ? 0 : *p);
        } else {
            return bad(r, "a backslash is followed by n, t, 0, x and two digits, a quote or a backslash");
        }
    }
    if (*p != '"' || p[1])
        return bad(r, "the text must end with a quote");
    return true;
}

static bool set_register(struct request *r, struct debug_side *side, const char *name, const char *value,
                         bool *is)
{
    struct debuggee *d = side->d;
    uint16_t offset, width;
    uint64_t x;
    *is = true;
    if (*name == '$' || *name == '%')
        name++;
    if (machine_register_find(d->m, name, &offset, &width)) {
        struct bits v;
        if (!(width > 64 && value[0] == '0' && (value[1] | 0x20) == 'x' &&
              bits_parse_hex(value + 2, strlen(value + 2), width, &v))) {
            if (!expression(r, side, value, &x))
                return false;
            v = bits_u64(x, 64);
        }
        if (offset == d->m->pc)
            return bad(r, "'jump' goes on elsewhere");
        debuggee_put(d, offset, width, v);
        return true;
    }
    bool old;
    if (debuggee_flag(d, name, &old)) {
        if (!expression(r, side, value, &x))
            return false;
        debuggee_set_flag(d, name, x != 0);
        return true;
    }
    *is = false;
    return true;
}

static bool set_memory(struct request *r, struct debug_side *side, const char *left, const char *value)
{
    struct debuggee *d = side->d;
    unsigned bits = 8, n = 0;
    uint64_t address, x;
    struct buf bytes = BUF_INIT;
    bool is_bytes;
    char *inner = NULL;
    if (sscanf(left, "mem%u[%n", &bits, &n) == 1 && n && left[strlen(left) - 1] == ']') {
        if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
            return bad(r, "mem8, mem16, mem32 or mem64");
        inner = trimmed(left + n, strlen(left) - n - 1);
        left = inner;
    } else {
        bits = 8;
    }
    bool ok = expression(r, side, left, &address) && read_bytes(r, value, &bytes, &is_bytes);
    if (ok && !is_bytes) {
        uint8_t data[8];
        ok = expression(r, side, value, &x);
        bits_to_bytes(bits_u64(x, 64), data, 8);
        if (ok)
            buf_put(&bytes, data, bits / 8);
    }
    if (ok && bytes.len)
        debuggee_poke(d, address, (const uint8_t *)bytes.data, bytes.len);
    free(inner);
    buf_free(&bytes);
    return ok;
}

static bool run_set(struct request *r)
{
    const char *equals = find_equals(r->rest);
    if (!equals)
        return bad(
            r,
            "set REGISTER = VALUE, set ADDRESS = BYTE, set mem32[ADDRESS] = VALUE, set ADDRESS = \"text\"");
    char *left = trimmed(r->rest, (size_t)(equals - r->rest)),
         *right = trimmed(equals + 1, strlen(equals + 1));
    bool ok = *left && *right ? true : bad(r, "something is missing beside the '='");
    for (unsigned i = r->s->first; ok && i <= r->s->last; i++) {
        bool is;
        ok = set_register(r, &r->s->side[i], left, right, &is) &&
             (is || set_memory(r, &r->s->side[i], left, right));
        if (ok)
            stop_points_refresh(&r->s->side[i]);
    }
    free(left);
    free(right);
    return ok;
}

/* ---- two versions ---- */

static bool two(struct request *r)
{
    return r->s->pair ? true : bad(r, "there is one program only");
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
    return bad(r, "old, new or both");
}

/* "old COMMAND", "new COMMAND" */
static bool run_on_side(struct request *r)
{
    if (!two(r))
        return false;
    if (!*r->rest)
        return bad(r, "a command is missing");
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
    if (!two(r) || !no_arguments(r))
        return false;
    pair_compare(r->s, r->out);
    return true;
}

static bool run_compare(struct request *r)
{
    struct error e = {0};
    if (!two(r))
        return false;
    return pair_select(r->s->pair, r->rest, &e) ? true : bad(r, "%s", e.text);
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
    return no_arguments(r);
}

static const struct debug_command table[] = {
    {"step", "s", "[N]", "one instruction, into calls", run_move, MOVE_STEP, false},
    {"next", "n", "[N]", "one instruction, over calls", run_move, MOVE_NEXT, false},
    {"stmt", "st", "[N]", "one IR statement", run_move, MOVE_STATEMENT, false},
    {"block", "bl", "[N]", "to the next basic block", run_move, MOVE_BLOCK, false},
    {"finish", "fin", "", "to where the function returns", run_move, MOVE_FINISH, false},
    {"continue", "c", "", "to the next stop point; two versions: to the first difference", run_move,
     MOVE_CONTINUE, false},
    {"until", "u", "ADDRESS", "to an address", run_until, 0, false},
    {"-step", "-s", "[N]", "back one instruction", run_move, MOVE_STEP, true},
    {"-next", "-n", "[N]", "back one instruction, over calls", run_move, MOVE_NEXT, true},
    {"-stmt", "-st", "[N]", "back one IR statement", run_move, MOVE_STATEMENT, true},
    {"-block", "-bl", "[N]", "back to where a basic block begins", run_move, MOVE_BLOCK, true},
    {"-finish", "-fin", "", "back to the call of this function", run_move, MOVE_FINISH, true},
    {"-continue", "-c", "", "back to the stop point before, or to the beginning", run_move, MOVE_CONTINUE,
     true},
    {"restart", NULL, "", "back to the beginning", run_restart, 0, false},
    {"return", "ret", "[VALUE]", "give a call or system call that stopped the run its result", run_return, 0,
     false},
    {"jump", "j", "ADDRESS", "go on elsewhere", run_jump, 0, false},
    {"skip", NULL, "", "go on behind this instruction, without running it", run_skip, 0, false},
    {"break", "b", "PLACE [if CONDITION]", "stop at an address or symbol; 'break if CONDITION': anywhere",
     run_break, 0, false},
    {"tbreak", "tb", "PLACE [if CONDITION]", "the same, once", run_break, 0, false},
    {"watch", "w", "EXPRESSION", "stop when its value changes", run_watch, 0, false},
    {"rwatch", NULL, "ADDRESS [LENGTH]", "stop when memory is read", run_access_watch, 0, false},
    {"awatch", NULL, "ADDRESS [LENGTH]", "stop when memory is read or written", run_access_watch, 0, false},
    {"delete", "clear", "[N]", "remove stop point N, or all", run_delete, 0, false},
    {"breaks", NULL, "", "list the stop points", run_breaks, 0, false},
    {"where", NULL, "", "the position", run_look, LOOK_WHERE, false},
    {"backtrace", "bt", "", "the calls that led here", run_look, LOOK_FRAMES, false},
    {"ir", NULL, "", "this instruction and its IR", run_look, LOOK_IR, false},
    {"show", NULL, "[N]", "N instructions around, and their IR beside them", run_code, 0, false},
    {"dis", NULL, "[N]", "N instructions around, with source lines", run_code, 0, false},
    {"list", "l", "[N]", "N lines of source around", run_code, 0, false},
    {"always", NULL, "show N", "do 'show N' after every move; 0: do not", run_always, 0, false},
    {"regs", "r", "[all]", "registers; '*' marks those that changed since they were shown", run_registers, 0,
     false},
    {"all", NULL, "", "all registers", run_registers, 0, false},
    {"print", "p", "[/FORMAT] EXPRESSION", "a value; 'p ADDRESS N': N bytes", run_print, 0, false},
    {"x", NULL, "[/NFU] ADDRESS", "memory: N items, format x d u t c s i a, size b h w g", run_examine, 0,
     false},
    {"set", NULL, "PLACE = VALUE",
     "a register, flag, byte, mem32[ADDRESS]; a value may be \"text\" or hex:0011", run_set, 0, false},
    {"diff", NULL, "", "two versions: what differs now", run_diff, 0, false},
    {"compare", NULL, "WORD,...", "two versions: what continue compares: path calls memory result all",
     run_compare, 0, false},
    {"side", NULL, "old|new|both", "two versions: which one commands are for", run_side, 0, false},
    {"old", NULL, "COMMAND", "two versions: a command for the old one", run_on_side, 0, false},
    {"new", NULL, "COMMAND", "two versions: a command for the new one", run_on_side, 0, false},
    {"info", NULL, "", "the program and how far it ran", run_look, LOOK_INFO, false},
    {"echo", NULL, "TEXT", "print TEXT", run_echo, 0, false},
    {"help", "h", "[COMMAND]", "this list", run_help, 0, false},
    {"quit", "q", "", "end", run_quit, 0, false},
};
enum { COMMANDS = sizeof table / sizeof *table };

static bool run_help(struct request *r)
{
    const struct debug_command *only = *r->rest ? find(r->rest, strlen(r->rest)) : NULL;
    if (*r->rest && !only)
        return bad(r, "there is no command '%s'", r->rest);
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
            "symbols, arg0.., ret, mem8[] to mem64[], and <s for signed comparison. '#' begins a comment.\n");
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
    char *text = trimmed(line, strlen(line)), *format = NULL;
    enum debug_reply reply = DEBUG_OK;
    if (*text && *text != '#') {
        size_t n = strcspn(text, " \t/");
        const char *rest = text + n;
        const struct debug_command *c = find(text, n);
        if (*rest == '/') {
            size_t k = strcspn(rest, " \t");
            format = trimmed(rest + 1, k - 1);
            rest += k;
        }
        while (isspace((unsigned char)*rest))
            rest++;
        struct request r = {s, c ? c->name : "", format ? format : "", rest, out, err};
        s->deadline = s->opt.timeout_ms ? now_ms() + s->opt.timeout_ms : 0;
        bool formatted = c && (c->run == run_examine || c->run == run_print);
        if (!c || (format && !formatted)) {
            error_set(err, ERROR_USAGE, "unknown command '%.*s'; 'h' lists them", (int)n, text);
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
