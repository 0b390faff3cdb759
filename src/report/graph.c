/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One function's control flow, with disassembly and (for `assay lift`) the IR of every instruction. */
#include "flow/bitcode.h"
#include "report/bitcode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ask/code.h"

static const char *edge_name(unsigned kind)
{
    switch (kind) {
    case EDGE_JUMP:
        return "jump";
    case EDGE_TAKEN:
        return "taken";
    case EDGE_FALL:
        return "fall";
    case EDGE_SWITCH:
        return "switch";
    case EDGE_RETURN:
        return "return";
    case EDGE_UNWIND:
        return "unwind";
    }
    return "?";
}

static const char *call_name(unsigned kind)
{
    switch (kind) {
    case CALL_DIRECT:
        return "direct";
    case CALL_STUB:
        return "stub";
    case CALL_INDIRECT:
        return "indirect";
    case CALL_TAIL:
        return "tail";
    case CALL_TAIL_INDIRECT:
        return "tail indirect";
    }
    return "?";
}

static const char *problem_name(unsigned kind)
{
    switch (kind) {
    case PROBLEM_INDIRECT_JUMP:
        return "unresolved jump";
    case PROBLEM_OVERLAP:
        return "overlapping instructions";
    case PROBLEM_UNDECODED:
        return "undecoded instruction";
    case PROBLEM_OUT_OF_BOUNDS:
        return "runs out of the code";
    case PROBLEM_LIMIT:
        return "limit reached";
    }
    return "?";
}

static const char *end_name(unsigned kind)
{
    switch (kind) {
    case IR_END_JUMP:
        return "jump";
    case IR_END_CALL:
        return "call";
    case IR_END_RET:
        return "return";
    case IR_END_SYSCALL:
        return "syscall";
    case IR_END_TRAP:
        return "trap";
    case IR_END_UNKNOWN:
        return "unknown";
    }
    return "?";
}

/* Whose graph it is: a program's or, when that is NULL, a module's. */
struct listing {
    struct program *p;
    struct bitcode *m;
    const struct ir_machine *machine;
    struct ir_pures pures;
};

/* Hands the lines of ir_print_block out to the instructions they belong to: a line "  0xADDRESS:" begins the
 * next instruction, the lines after it are its IR. */
static void attach_ir(json_t *instructions, const struct ir_block *b, const struct listing *l)
{
    struct buf text = BUF_INIT;
    ir_print_block(&text, b, l->machine, &l->pures);
    json_t *lines = NULL;
    size_t next = 0;
    const char *line = strchr(buf_text(&text), '\n'); /* past the block's heading */
    for (line = line ? line + 1 : ""; *line;) {
        size_t n = strcspn(line, "\n");
        if (strncmp(line, "  0x", 4) == 0) {
            lines = json_array();
            json_object_set_new(json_array_get(instructions, next++), "ir", lines);
        } else if (lines) {
            size_t indent = strspn(line, " ");
            struct buf one = BUF_INIT;
            buf_put(&one, line + indent, n - indent);
            json_array_append_new(lines, report_string(buf_text(&one)));
            buf_free(&one);
        }
        line += n + (line[n] == '\n');
    }
    buf_free(&text);
}

static void code_put_source(json_t *insn, const char *file, unsigned line)
{
    struct arena arena = ARENA_INIT;
    json_object_set_new(insn, "source", report_string(code_source(file, line, &arena)));
    arena_free(&arena);
}

/* Where debug information says an instruction comes from: "file.c:12", and the functions inlined there. */
static void put_source(json_t *insn, const struct object *o, uint64_t address)
{
    enum { DEEP = 8 };
    struct object_line line;
    struct object_inline call[DEEP];
    if (!object_debug_line(o, address, &line) || !line.file)
        return;
    code_put_source(insn, line.file, line.line);
    size_t n = object_debug_inlined(o, address, call, DEEP);
    json_t *inlined = json_array();
    for (size_t i = 0; i < n && i < DEEP; i++)
        json_array_append_new(inlined, report_string(call[i].name));
    if (n)
        json_object_set_new(insn, "inlined", inlined);
    else
        json_decref(inlined);
}

static json_t *machine_insn(struct program *p, const struct ir_block *b, const struct ir_mark *m)
{
    char text[CODE_TEXT];
    json_t *insn = json_object();
    json_object_set_new(insn, "address", report_address(m->address));
    json_object_set_new(insn, "length", json_integer(m->length));
    json_object_set_new(insn, "text", report_string(code_text(p, b, m, text)));
    put_source(insn, program_object(p), m->address);
    return insn;
}

static json_t *bitcode_insn(struct bitcode *module, const struct ir_mark *m)
{
    struct buf text = BUF_INIT;
    struct bitcode_line line;
    json_t *insn = json_object();
    bitcode_text(module, m->address, &text);
    json_object_set_new(insn, "address", report_address(m->address));
    json_object_set_new(insn, "length", json_integer(m->length));
    json_object_set_new(insn, "text", report_string(buf_text(&text)));
    if (bitcode_line(module, m->address, &line) && line.file)
        code_put_source(insn, line.file, line.line);
    buf_free(&text);
    return insn;
}

static json_t *block_record(const struct listing *l, const struct flow_graph *g, uint32_t index, bool with_ir)
{
    const struct ir_block *b = &g->block[index];
    bool thumb = l->machine->arch == MACHINE_ARM && (b->label & 1);
    json_t *j = json_object();
    json_object_set_new(j, "index", json_integer(index));
    json_object_set_new(j, "address", report_address(thumb ? b->label & ~UINT64_C(1) : b->label));
    if (l->p)
        json_object_set_new(j, "size", json_integer(b->bytes));
    json_object_set_new(j, "end", json_string(end_name(b->end.kind)));
    json_t *instructions = json_array();
    for (uint32_t i = 0; i < b->nmark; i++)
        json_array_append_new(instructions,
                              l->p ? machine_insn(l->p, b, &b->mark[i]) : bitcode_insn(l->m, &b->mark[i]));
    if (with_ir)
        attach_ir(instructions, b, l);
    json_object_set_new(j, "instructions", instructions);
    json_t *edges = json_array();
    uint32_t first = g->first_edge[index], last = g->first_edge[index + 1];
    bool branch =
        last - first == 2 && (g->edge[first].kind == EDGE_TAKEN || g->edge[first + 1].kind == EDGE_TAKEN);
    for (uint32_t e = first; e < last; e++) {
        json_t *edge = json_object();
        unsigned kind = g->edge[e].kind;
        /* libVEX may turn a branch round; for a reader, the way into the next instruction is the one not
         * taken. */
        if (l->p && branch && kind != EDGE_RETURN && kind != EDGE_UNWIND)
            kind = g->block[g->edge[e].to].label == b->label + b->bytes ? EDGE_FALL : EDGE_TAKEN;
        json_object_set_new(edge, "to", json_integer(g->edge[e].to));
        json_object_set_new(edge, "kind", json_string(edge_name(kind)));
        if (g->edge[e].kind == EDGE_SWITCH)
            json_object_set_new(edge, "value", json_integer((json_int_t)g->edge[e].value));
        json_array_append_new(edges, edge);
    }
    json_object_set_new(j, "successors", edges);
    return j;
}

static json_t *call_record(const struct listing *l, const struct flow_call *c)
{
    json_t *j = json_object();
    char name[256];
    const char *known = c->name;
    if (!known && c->target && l->p)
        known = program_describe(l->p, c->target, name, sizeof name);
    json_object_set_new(j, "block", json_integer(c->block));
    json_object_set_new(j, "site", report_address(c->site));
    json_object_set_new(j, "target", c->target ? report_address(c->target) : json_null());
    json_object_set_new(j, "name", report_string(known));
    json_object_set_new(j, "kind", json_string(call_name(c->kind)));
    json_object_set_new(j, "noreturn", json_boolean(c->noreturn));
    json_object_set_new(j, "conditional", json_boolean(c->conditional));
    return j;
}

static void put_graph(const struct listing *l, const struct flow_graph *g, const char *name, uint64_t address,
                      uint64_t size, bool with_ir, struct report_sink sink)
{
    json_t *j = json_object();
    json_object_set_new(j, "name", report_string(name));
    json_object_set_new(j, "address", report_address(address));
    if (l->p)
        json_object_set_new(j, "size", json_integer((json_int_t)size));
    json_object_set_new(j, "instructions", json_integer(g->ninsns));
    json_object_set_new(j, "noreturn", json_boolean(g->noreturn));
    sink.put(sink.ctx, "function", j);
    sink.put(sink.ctx, "blocks", json_array());
    bool *landing = xcalloc(g->nblocks, sizeof *landing); /* entered by exceptions */
    for (uint32_t e = 0; e < g->nedges; e++)
        landing[g->edge[e].to] |= g->edge[e].kind == EDGE_UNWIND;
    bool more = true;
    for (uint32_t i = 0; more && i < g->nblocks; i++) {
        j = block_record(l, g, i, with_ir);
        if (landing[i])
            json_object_set_new(j, "landing", json_true());
        more = sink.put(sink.ctx, "blocks[]", j);
    }
    free(landing);
    if (!more)
        return;
    sink.put(sink.ctx, "calls", json_array());
    for (uint32_t i = 0; i < g->ncalls; i++)
        sink.put(sink.ctx, "calls[]", call_record(l, &g->call[i]));
    sink.put(sink.ctx, "jump_tables", json_array());
    for (uint32_t i = 0; i < g->ntables; i++) {
        j = json_object();
        json_object_set_new(j, "block", json_integer(g->table[i].block));
        json_object_set_new(j, "address",
                            g->table[i].table ? report_address(g->table[i].table) : json_null());
        json_object_set_new(j, "entries", json_integer(g->table[i].entries));
        json_object_set_new(j, "entry_size", json_integer(g->table[i].entry_size));
        sink.put(sink.ctx, "jump_tables[]", j);
    }
    sink.put(sink.ctx, "problems", json_array());
    for (uint32_t i = 0; i < g->nproblems; i++) {
        j = json_object();
        json_object_set_new(j, "kind", json_string(problem_name(g->problem[i].kind)));
        json_object_set_new(j, "address", report_address(g->problem[i].address));
        json_object_set_new(j, "text", report_string(g->problem[i].text));
        sink.put(sink.ctx, "problems[]", j);
    }
}

bool report_graph(struct program *p, const struct flow_function *f, bool with_ir, struct report_sink sink,
                  struct error *err)
{
    (void)err;
    report_input(p, sink);
    struct listing l = {p, NULL, program_machine(p), lift_pures()};
    put_graph(&l, flow_graph(p, f), f->name, f->address, f->size, with_ir, sink);
    return true;
}

bool report_bitcode_graph(struct bitcode *m, const struct bitcode_function *f, bool with_ir, struct report_sink sink,
                          struct error *err)
{
    const struct bitcode_code *code = bitcode_code(m, f, err);
    if (!code)
        return false;
    struct arena arena = ARENA_INIT;
    struct listing l = {NULL, m, &code->machine, bitcode_pures()};
    report_bitcode_input(m, sink);
    put_graph(&l, flow_bitcode(code, &arena), f->name, f->address, 0, with_ir, sink);
    arena_free(&arena);
    return true;
}
