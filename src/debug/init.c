/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug/init.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "base/buf.h"
#include "base/vec.h"

enum { MAX_FILE = 64 << 20 };

/* What is read so far. */
struct reader {
    struct debug_init *i;
    struct error *err;
    size_t line; /* YAML: where it is */
    VEC(struct init_register) reg;
    VEC(struct init_memory) memory;
};

__attribute__((format(printf, 2, 3))) static bool bad(struct reader *r, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (r->line)
        return error_set(r->err, ERROR_INPUT, "%s: line %zu: %s", r->i->name, r->line, text);
    return error_set(r->err, ERROR_INPUT, "%s: %s", r->i->name, text);
}

static bool read_hex(const char *s, unsigned width, struct bits *out)
{
    if (strcmp(s, "0") == 0) {
        *out = bits_u64(0, width);
        return true;
    }
    if (s[0] != '0' || (s[1] | 0x20) != 'x' || !s[2])
        return false;
    s += 2;
    while (s[0] == '0' && s[1])
        s++;
    return bits_parse_hex(s, strlen(s), width, out);
}

static bool add_register(struct reader *r, const char *name, const char *value)
{
    struct init_register x = {.name = arena_strdup(&r->i->arena, name)};
    if (!*name)
        return bad(r, "a register without a name");
    if (!read_hex(value, OP_MAX_WIDTH, &x.value))
        return bad(r, "register %s: '%s' is not a hexadecimal number such as 0x2a", name, value);
    vec_push(&r->reg, x);
    return true;
}

static bool read_address(struct reader *r, const char *text, uint64_t *out)
{
    struct bits a;
    if (!read_hex(text, 64, &a))
        return bad(r, "'%s' is not an address such as 0x7ffe0010", text);
    *out = bits_low(a);
    return true;
}

/* ---- JSON ---- */

static const char *text_of(json_t *value)
{
    return json_is_string(value) ? json_string_value(value) : NULL;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'                     ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

static bool json_piece(struct reader *r, json_t *piece, size_t index)
{
    const char *address = text_of(json_object_get(piece, "address")),
               *bytes = text_of(json_object_get(piece, "bytes"));
    if (!json_is_object(piece) || !address || !bytes || json_object_size(piece) != 2)
        return bad(r, "memory[%zu] is not of the form {\"address\": \"0x...\", \"bytes\": \"...\"}", index);
    struct init_memory m = {.size = strlen(bytes) / 2};
    if (!read_address(r, address, &m.address))
        return false;
    uint8_t *to = arena_alloc(&r->i->arena, m.size + 1);
    for (size_t k = 0; bytes[k]; k++) {
        int v = digit(bytes[k]);
        if (v < 0)
            return bad(r, "memory[%zu]: '%c' in bytes is not a hexadecimal digit", index,
                       isprint((unsigned char)bytes[k]) ? bytes[k] : '?');
        to[k / 2] = (uint8_t)(k % 2 ? to[k / 2] << 4 | v : v);
    }
    if (strlen(bytes) % 2 || !m.size)
        return bad(r, "memory[%zu]: bytes needs two digits for each byte", index);
    m.bytes = to;
    vec_push(&r->memory, m);
    return true;
}

static bool json_member(struct reader *r, const char *key, json_t *value)
{
    static const char *const ignored[] = {"tool", "property", "input", "note", "goals"};
    struct debug_init *i = r->i;
    const char *text = text_of(value);
    if (strcmp(key, "schema") == 0) {
        if (!json_is_integer(value) || json_integer_value(value) != 1)
            return bad(r, "schema is not 1: this file is for another version of assay");
        return true;
    }
    if (strcmp(key, "arch") == 0 || strcmp(key, "function") == 0) {
        if (!text)
            return bad(r, "%s is not a string", key);
        *(key[0] == 'a' ? &i->arch : &i->function) = arena_strdup(&i->arena, text);
        return true;
    }
    if (strcmp(key, "version") == 0) {
        if (!text || (strcmp(text, "old") != 0 && strcmp(text, "new") != 0))
            return bad(r, "version is neither \"old\" nor \"new\"");
        i->version = text[0] == 'o' ? INIT_OLD : INIT_NEW;
        return true;
    }
    if (strcmp(key, "registers") == 0) {
        const char *name;
        json_t *x;
        if (!json_is_object(value))
            return bad(r, "registers is not an object");
        json_object_foreach(value, name, x)
        {
            if (!json_is_string(x))
                return bad(r, "register %s: the value is not a string such as \"0x2a\"", name);
            if (!add_register(r, name, json_string_value(x)))
                return false;
        }
        return true;
    }
    if (strcmp(key, "memory") == 0) {
        size_t index;
        json_t *piece;
        if (!json_is_array(value))
            return bad(r, "memory is not a list");
        json_array_foreach(value, index, piece) if (!json_piece(r, piece, index)) return false;
        return true;
    }
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++)
        if (strcmp(key, ignored[k]) == 0)
            return true;
    return bad(r, "unknown member '%s'", key);
}

static bool read_json(struct reader *r, const char *text, size_t len)
{
    json_error_t e;
    json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
    if (!doc)
        return bad(r, "line %d, column %d: %s", e.line, e.column, e.text);
    bool ok = json_is_object(doc);
    if (!ok)
        bad(r, "not a JSON object");
    else if (!json_object_get(doc, "schema"))
        ok = bad(r, "\"schema\": 1 is missing");
    const char *key;
    json_t *value;
    if (ok)
        json_object_foreach(doc, key, value) if (!json_member(r, key, value))
        {
            ok = false;
            break;
        }
    json_decref(doc);
    return ok;
}

/* ---- YAML ---- */

enum section { SECTION_NONE, SECTION_VARIABLES, SECTION_LOCATIONS };

static bool yaml_pair(struct reader *r, enum section s, const char *key, const char *value)
{
    if (s == SECTION_VARIABLES)
        return add_register(r, key, value);
    struct init_memory m = {.size = 1};
    struct bits byte;
    if (!read_address(r, key, &m.address))
        return false;
    if (!read_hex(value, 64, &byte))
        return bad(r, "'%s' is not a hexadecimal number such as 0x2a", value);
    uint8_t low = (uint8_t)bits_low(byte);
    m.bytes = arena_dup(&r->i->arena, &low, 1);
    vec_push(&r->memory, m);
    return true;
}

/* Mappings of scalars two deep are all there is; anything else is refused by where it stands. */
struct yaml_place {
    unsigned depth; /* mappings around */
    enum section section;
    char *key; /* waiting for its value */
    bool seen[3];
};

static bool yaml_scalar(struct reader *r, struct yaml_place *p, const yaml_event_t *e)
{
    const char *text = (const char *)e->data.scalar.value;
    if (strlen(text) != e->data.scalar.length)
        return bad(r, "a NUL character");
    if (p->depth == 1) {
        if (p->section != SECTION_NONE && !*text) { /* "Locations:" with nothing under it */
            p->section = SECTION_NONE;
            return true;
        }
        if (p->section != SECTION_NONE)
            return bad(r, "entries of a section are indented, as 'RAX: 0x2a'");
        p->section = strcmp(text, "Variables") == 0   ? SECTION_VARIABLES
                     : strcmp(text, "Locations") == 0 ? SECTION_LOCATIONS
                                                      : SECTION_NONE;
        if (p->section == SECTION_NONE)
            return bad(r, "'%s' is neither 'Variables' nor 'Locations'", text);
        if (p->seen[p->section])
            return bad(r, "'%s' occurs twice", text);
        p->seen[p->section] = true;
        return true;
    }
    if (p->depth != 2)
        return bad(r, "expected the sections 'Variables:' and 'Locations:'");
    if (!p->key) {
        p->key = xstrdup(text);
        return true;
    }
    bool ok = yaml_pair(r, p->section, p->key, text);
    free(p->key);
    p->key = NULL;
    return ok;
}

static bool yaml_take(struct reader *r, struct yaml_place *p, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        if (e->data.scalar.anchor)
            return bad(r, "anchors are not supported");
        return yaml_scalar(r, p, e);
    case YAML_MAPPING_START_EVENT:
        if (e->data.mapping_start.anchor || p->key || p->depth == 2 ||
            (p->depth == 1 && p->section == SECTION_NONE))
            return bad(r, "a mapping where none is expected");
        p->depth++;
        return true;
    case YAML_MAPPING_END_EVENT:
        p->depth--;
        if (p->depth == 1)
            p->section = SECTION_NONE;
        return true;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_ALIAS_EVENT:
        return bad(r, "lists and references are not supported");
    default:
        return true;
    }
}

static bool read_yaml(struct reader *r, const char *text, size_t len)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        alloc_exhausted(sizeof parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    struct yaml_place place = {0};
    bool ok = true;
    unsigned documents = 0;
    for (bool end = false; ok && !end;) {
        yaml_event_t e;
        if (!yaml_parser_parse(&parser, &e)) {
            r->line = parser.problem_mark.line + 1;
            ok = bad(r, "%s", parser.problem ? parser.problem : "not YAML");
            break;
        }
        end = e.type == YAML_STREAM_END_EVENT;
        r->line = e.start_mark.line + 1;
        if (e.type == YAML_DOCUMENT_START_EVENT && documents++)
            ok = bad(r, "a second document");
        ok = ok && yaml_take(r, &place, &e);
        yaml_event_delete(&e);
    }
    free(place.key);
    yaml_parser_delete(&parser);
    r->line = 0;
    return ok;
}

/* ---- both ---- */

static int by_name(const void *a, const void *b)
{
    return strcasecmp(((const struct init_register *)a)->name, ((const struct init_register *)b)->name);
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const struct init_memory *)a)->address, y = ((const struct init_memory *)b)->address;
    return x < y ? -1 : x > y;
}

static bool settle(struct reader *r)
{
    vec_sort(&r->reg, by_name);
    vec_sort(&r->memory, by_address);
    for (size_t k = 1; k < r->reg.len; k++)
        if (by_name(&r->reg.data[k - 1], &r->reg.data[k]) == 0)
            return bad(r, "register %s occurs twice", r->reg.data[k].name);
    for (size_t k = 0; k < r->memory.len; k++) {
        const struct init_memory *m = &r->memory.data[k];
        if (m->size - 1 > UINT64_MAX - m->address)
            return bad(r, "memory at 0x%llx extends past the last address", (unsigned long long)m->address);
        if (k && m->address - m[-1].address < m[-1].size)
            return bad(r, "the byte at 0x%llx occurs twice", (unsigned long long)m->address);
    }
    struct debug_init *i = r->i;
    i->nreg = r->reg.len;
    i->reg = arena_dup(&i->arena, r->reg.data, r->reg.len * sizeof *r->reg.data);
    i->nmemory = r->memory.len;
    i->memory = arena_dup(&i->arena, r->memory.data, r->memory.len * sizeof *r->memory.data);
    return true;
}

struct debug_init *debug_init_parse(const char *name, const char *text, size_t len, struct error *err)
{
    struct debug_init *i = xcalloc(1, sizeof *i);
    i->name = arena_strdup(&i->arena, name);
    struct reader r = {.i = i, .err = err};
    size_t k = 0;
    while (k < len && isspace((unsigned char)text[k]))
        k++;
    bool ok = k < len && text[k] == '{' ? read_json(&r, text, len) : read_yaml(&r, text, len);
    ok = ok && settle(&r);
    vec_free(&r.reg);
    vec_free(&r.memory);
    if (ok)
        return i;
    debug_init_free(i);
    return NULL;
}

struct debug_init *debug_init_read(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct buf text = BUF_INIT;
    char chunk[65536];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || text.len + (size_t)n > MAX_FILE)
            break;
        buf_put(&text, chunk, (size_t)n);
    }
    int e = errno;
    close(fd);
    struct debug_init *i = NULL;
    if (n < 0)
        error_set(err, ERROR_INPUT, "%s: %s", path, strerror(e));
    else if (n > 0)
        error_set(err, ERROR_INPUT, "%s: larger than %d MiB, too large for an init file", path,
                  MAX_FILE >> 20);
    else
        i = debug_init_parse(path, buf_text(&text), text.len, err);
    buf_free(&text);
    return i;
}

void debug_init_free(struct debug_init *i)
{
    if (!i)
        return;
    arena_free(&i->arena);
    free(i);
}
