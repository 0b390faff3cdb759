/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/graph.h"

#include <stdlib.h>
#include <string.h>

#include "ask/code.h"

enum { GRAPH_FACTS, GRAPH_FUNCTION, GRAPH_BLOCK, GRAPH_DETAILS };

/* ---- how it travels ---- */

#define T struct ask_graph_function
static const struct wire_field function_field[] = {
    WIRE_TEXT(T, name),          WIRE_VALUE(T, address),  WIRE_VALUE(T, size),
    WIRE_VALUE(T, instructions), WIRE_VALUE(T, noreturn),
};
static const struct wire_type function_type = WIRE_TYPE(T, function_field);
#undef T

#define T struct ask_graph_insn
static const struct wire_field insn_field[] = {
    WIRE_VALUE(T, address),
    WIRE_VALUE(T, length),
    WIRE_TEXT(T, text),
    WIRE_TEXT(T, source),
    WIRE_LIST(T, inlined, ninlined, &wire_text),
    WIRE_VALUE(T, has_ir),
    WIRE_LIST(T, ir, nir, &wire_text),
};
static const struct wire_type insn_type = WIRE_TYPE(T, insn_field);
#undef T

#define T struct ask_graph_edge
static const struct wire_field edge_field[] = {WIRE_VALUE(T, to), WIRE_VALUE(T, kind),
                                               WIRE_VALUE(T, is_switch), WIRE_VALUE(T, value)};
static const struct wire_type edge_type = WIRE_TYPE(T, edge_field);
#undef T

#define T struct ask_graph_block
static const struct wire_field block_field[] = {
    WIRE_VALUE(T, index),
    WIRE_VALUE(T, address),
    WIRE_VALUE(T, size),
    WIRE_VALUE(T, end),
    WIRE_VALUE(T, landing),
    WIRE_LIST(T, insn, ninsns, &insn_type),
    WIRE_LIST(T, successor, nsuccessors, &edge_type),
};
static const struct wire_type block_type = WIRE_TYPE(T, block_field);
#undef T

#define T struct ask_graph_call
static const struct wire_field call_field[] = {
    WIRE_VALUE(T, block), WIRE_VALUE(T, site),     WIRE_VALUE(T, target),      WIRE_TEXT(T, name),
    WIRE_VALUE(T, kind),  WIRE_VALUE(T, noreturn), WIRE_VALUE(T, conditional),
};
static const struct wire_type call_type = WIRE_TYPE(T, call_field);
#undef T

#define T struct ask_graph_table
static const struct wire_field table_field[] = {WIRE_VALUE(T, block), WIRE_VALUE(T, address),
                                                WIRE_VALUE(T, entries), WIRE_VALUE(T, entry_size)};
static const struct wire_type table_type = WIRE_TYPE(T, table_field);
#undef T

#define T struct ask_graph_problem
static const struct wire_field problem_field[] = {WIRE_VALUE(T, kind), WIRE_VALUE(T, address),
                                                  WIRE_TEXT(T, text)};
static const struct wire_type problem_type = WIRE_TYPE(T, problem_field);
#undef T

#define T struct ask_graph_details
static const struct wire_field details_field[] = {
    WIRE_LIST(T, call, ncalls, &call_type),
    WIRE_LIST(T, table, ntables, &table_type),
    WIRE_LIST(T, problem, nproblems, &problem_type),
};
static const struct wire_type details_type = WIRE_TYPE(T, details_field);
#undef T

/* ---- where the work is done ---- */

/* Whose graph it is: a program's or, when that is NULL, another front end's. */
struct listing {
    struct program *p;
    const struct ask_opened *in;
    const struct ir_machine *machine;
    struct ir_pures pures;
};

static uint64_t place(const struct listing *l, uint64_t address)
{
    return l->p ? object_display_address(program_object(l->p), address) : address;
}

/* Hands the lines of ir_print_block out to the instructions they belong to: a line "  0xADDRESS:" begins the
 * next instruction, the lines after it are its IR. */
static void attach_ir(struct ask_graph_insn *insn, size_t ninsns, const struct ir_block *b,
                      const struct listing *l, struct arena *arena)
{
    struct buf text = BUF_INIT;
    ir_print_block(&text, b, l->machine, &l->pures);
    VEC(const char *) lines = VEC_INIT;
    size_t next = 0;
    const char *line = strchr(buf_text(&text), '\n'); /* past the block's heading */
    for (line = line ? line + 1 : ""; *line;) {
        size_t n = strcspn(line, "\n"), indent = strspn(line, " ");
        if (strncmp(line, "  0x", 4) == 0) {
            next++;
            vec_clear(&lines);
            if (next <= ninsns)
                insn[next - 1].has_ir = true;
        } else if (next && next <= ninsns) {
            vec_push(&lines, arena_strndup(arena, line + indent, n - indent));
            insn[next - 1].ir = arena_dup(arena, lines.data, lines.len * sizeof *lines.data);
            insn[next - 1].nir = lines.len;
        }
        line += n + (line[n] == '\n');
    }
    vec_free(&lines);
    buf_free(&text);
}

/* The functions inlined where an instruction comes from. */
static void add_inlined(struct ask_graph_insn *insn, const struct object *o, uint64_t address,
                        struct arena *arena)
{
    enum { DEEP = 8 };
    struct object_inline call[DEEP];
    size_t n = object_debug_inlined(o, address, call, DEEP);
    const char **name = arena_array(arena, const char *, DEEP);
    for (size_t i = 0; i < n && i < DEEP; i++)
        name[i] = arena_strdup(arena, call[i].name);
    insn->inlined = name;
    insn->ninlined = n < DEEP ? n : DEEP;
}

static struct ask_graph_insn machine_insn(struct program *p, const struct ir_block *b,
                                          const struct ir_mark *m, struct arena *arena)
{
    char text[CODE_TEXT];
    struct ask_graph_insn insn = {.address = object_display_address(program_object(p), m->address),
                                  .length = m->length,
                                  .text = arena_strdup(arena, code_text(p, b, m, text)),
                                  .source = code_source_at(p, m->address, arena)};
    if (insn.source)
        add_inlined(&insn, program_object(p), m->address, arena);
    return insn;
}

static struct ask_graph_insn front_insn(const struct ask_opened *in, const struct ir_mark *m,
                                        struct arena *arena)
{
    struct buf text = BUF_INIT;
    const char *source;
    unsigned line;
    in->front->text(in->file, m->address, &text);
    struct ask_graph_insn insn = {
        .address = m->address, .length = m->length, .text = arena_strdup(arena, buf_text(&text))};
    if (in->front->line(in->file, m->address, &source, &line))
        insn.source = code_source(source, line, arena);
    buf_free(&text);
    return insn;
}

static struct ask_graph_block block_of(const struct listing *l, const struct flow_graph *g, uint32_t index,
                                       bool with_ir, struct arena *arena)
{
    const struct ir_block *b = &g->block[index];
    bool thumb = l->machine->arch == MACHINE_ARM && (b->label & 1);
    uint32_t first = g->first_edge[index], last = g->first_edge[index + 1];
    struct ask_graph_insn *insn = arena_array(arena, struct ask_graph_insn, b->nmark + 1);
    struct ask_graph_edge *edge = arena_array(arena, struct ask_graph_edge, last - first + 1);
    for (uint32_t i = 0; i < b->nmark; i++)
        insn[i] = l->p ? machine_insn(l->p, b, &b->mark[i], arena) : front_insn(l->in, &b->mark[i], arena);
    if (with_ir)
        attach_ir(insn, b->nmark, b, l, arena);
    bool branch =
        last - first == 2 && (g->edge[first].kind == EDGE_TAKEN || g->edge[first + 1].kind == EDGE_TAKEN);
    for (uint32_t e = first; e < last; e++) {
        unsigned kind = g->edge[e].kind;
        /* libVEX may turn a branch round; for a reader, the way into the next instruction is the one not
         * taken. */
        if (l->p && branch && kind != EDGE_RETURN && kind != EDGE_UNWIND)
            kind = g->block[g->edge[e].to].label == b->label + b->bytes ? EDGE_FALL : EDGE_TAKEN;
        edge[e - first] = (struct ask_graph_edge){.to = g->edge[e].to,
                                                  .kind = (uint8_t)kind,
                                                  .is_switch = g->edge[e].kind == EDGE_SWITCH,
                                                  .value = (uint64_t)g->edge[e].value};
    }
    return (struct ask_graph_block){.index = index,
                                    .address = place(l, thumb ? b->label & ~UINT64_C(1) : b->label),
                                    .size = b->bytes,
                                    .end = b->end.kind,
                                    .insn = insn,
                                    .ninsns = b->nmark,
                                    .successor = edge,
                                    .nsuccessors = last - first};
}

static bool say_blocks(const struct listing *l, const struct flow_graph *g, bool with_ir,
                       struct ask_sink *say)
{
    bool *landing = xcalloc(g->nblocks + 1, sizeof *landing);
    for (uint32_t e = 0; e < g->nedges; e++)
        landing[g->edge[e].to] |= g->edge[e].kind == EDGE_UNWIND;
    bool more = true;
    for (uint32_t i = 0; more && i < g->nblocks; i++) {
        struct arena arena = ARENA_INIT;
        struct ask_graph_block b = block_of(l, g, i, with_ir, &arena);
        b.landing = landing[i];
        more = ask_say(say, GRAPH_BLOCK, &block_type, &b);
        arena_free(&arena);
    }
    free(landing);
    return more;
}

static void say_details(const struct listing *l, const struct flow_graph *g, struct ask_sink *say)
{
    struct arena arena = ARENA_INIT;
    struct ask_graph_call *call = arena_array(&arena, struct ask_graph_call, g->ncalls + 1);
    struct ask_graph_table *table = arena_array(&arena, struct ask_graph_table, g->ntables + 1);
    struct ask_graph_problem *problem = arena_array(&arena, struct ask_graph_problem, g->nproblems + 1);
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const struct flow_call *c = &g->call[i];
        char name[256];
        const char *known = c->name;
        if (!known && c->target && l->p)
            known = program_describe(l->p, c->target, name, sizeof name);
        call[i] = (struct ask_graph_call){.block = c->block,
                                          .site = place(l, c->site),
                                          .target = c->target ? place(l, c->target) : ASK_NO_PLACE,
                                          .name = known ? arena_strdup(&arena, known) : NULL,
                                          .kind = c->kind,
                                          .noreturn = c->noreturn,
                                          .conditional = c->conditional};
    }
    for (uint32_t i = 0; i < g->ntables; i++)
        table[i] = (struct ask_graph_table){g->table[i].block,
                                            g->table[i].table ? place(l, g->table[i].table) : ASK_NO_PLACE,
                                            g->table[i].entries,
                                            g->table[i].entry_size};
    for (uint32_t i = 0; i < g->nproblems; i++)
        problem[i] =
            (struct ask_graph_problem){g->problem[i].kind, place(l, g->problem[i].address), g->problem[i].text};
    ask_say(say, GRAPH_DETAILS, &details_type,
            &(struct ask_graph_details){call, g->ncalls, table, g->ntables, problem, g->nproblems});
    arena_free(&arena);
}

static void say_graph(const struct listing *l, const struct flow_graph *g, struct ask_graph_function f,
                      bool with_ir, struct ask_sink *say)
{
    f.instructions = g->ninsns;
    f.noreturn = g->noreturn;
    ask_say(say, GRAPH_FUNCTION, &function_type, &f);
    if (say_blocks(l, g, with_ir, say))
        say_details(l, g, say);
}

static bool ask_machine(const struct ask_graph *q, struct program *p, struct ask_sink *say, struct error *err)
{
    program_reach(p, q->function);
    const struct flow_function *f = program_function(p, q->function, err);
    if (!f)
        return false;
    struct ask_facts facts = ask_facts(program_object(p), NULL);
    struct listing l = {p, NULL, program_machine(p), lift_pures()};
    ask_say(say, GRAPH_FACTS, &ask_facts_type, &facts);
    say_graph(&l, flow_graph(p, f), (struct ask_graph_function){f->name, place(&l, f->address), f->size}, q->with_ir,
              say);
    return true;
}

static bool ask_front(const struct ask_graph *q, const struct ask_opened *in, struct ask_sink *say,
                      struct error *err)
{
    struct arena arena = ARENA_INIT;
    struct front_function f;
    struct front_code code;
    bool ok = in->front->find(in->file, q->function, &f, err) &&
              in->front->code(in->file, f.address, &arena, &code, err);
    if (ok) {
        struct ask_facts facts = ask_opened_facts(in, &arena);
        struct listing l = {NULL, in, code.machine, code.pures};
        ask_say(say, GRAPH_FACTS, &ask_facts_type, &facts);
        say_graph(&l, code.graph, (struct ask_graph_function){f.name, f.address, 0}, q->with_ir, say);
    }
    arena_free(&arena);
    return ok;
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_graph *q = ((struct ask_graph_answer *)ctx)->q;
    struct ask_opened in;
    bool ok = ask_open(&in, q->open, q->file, &q->object, false, err) &&
              (in.front ? ask_front(q, &in, say, err) : ask_machine(q, in.p, say, err));
    ask_close(&in);
    return ok;
}

/* ---- the answer ---- */

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_graph_answer *a = ctx;
    struct ask_graph_block b;
    switch (message) {
    case GRAPH_FACTS:
        return a->begun = wire_get(bytes, n, &ask_facts_type, &a->facts, &a->arena);
    case GRAPH_FUNCTION:
        return a->found = wire_get(bytes, n, &function_type, &a->function, &a->arena);
    case GRAPH_BLOCK:
        if (!wire_get(bytes, n, &block_type, &b, &a->arena))
            return false;
        vec_push(&a->block, b);
        return true;
    case GRAPH_DETAILS:
        return a->finished = wire_get(bytes, n, &details_type, &a->details, &a->arena);
    }
    return false;
}

bool ask_graph(const struct ask_graph *q, const struct ask_session *session, struct ask_graph_answer *a,
               struct error *err)
{
    *a = (struct ask_graph_answer){.q = q};
    return ask_put(ask, hear, a, &q->limits, q->limits.timeout, 0, session, &a->end, err);
}

void ask_graph_free(struct ask_graph_answer *a)
{
    vec_free(&a->block);
    arena_free(&a->arena);
}
