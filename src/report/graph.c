/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/graph.h"

#include "report/facts.h"

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
        return "leaves the code";
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
    case IR_END_THROW:
        return "throw";
    case IR_END_UNKNOWN:
        return "unknown";
    }
    return "?";
}

static json_t *insn_record(const struct ask_graph_insn *i)
{
    json_t *j = json_object();
    json_object_set_new(j, "address", report_address(i->address));
    json_object_set_new(j, "length", json_integer(i->length));
    json_object_set_new(j, "text", report_string(i->text));
    if (i->source)
        json_object_set_new(j, "source", report_string(i->source));
    if (i->ninlined)
        json_object_set_new(j, "inlined", report_strings(i->inlined, i->ninlined));
    if (i->has_ir)
        json_object_set_new(j, "ir", report_strings(i->ir, i->nir));
    return j;
}

static json_t *edge_record(const struct ask_graph_edge *e)
{
    json_t *j = json_object();
    json_object_set_new(j, "to", json_integer(e->to));
    json_object_set_new(j, "kind", json_string(edge_name(e->kind)));
    if (e->is_switch)
        json_object_set_new(j, "value", json_integer((json_int_t)e->value));
    return j;
}

static json_t *block_record(const struct ask_graph_block *b, bool sized)
{
    json_t *j = json_object(), *list = json_array();
    json_object_set_new(j, "index", json_integer(b->index));
    json_object_set_new(j, "address", report_address(b->address));
    if (sized)
        json_object_set_new(j, "size", json_integer((json_int_t)b->size));
    json_object_set_new(j, "end", json_string(end_name(b->end)));
    for (size_t i = 0; i < b->ninsns; i++)
        json_array_append_new(list, insn_record(&b->insn[i]));
    json_object_set_new(j, "instructions", list);
    list = json_array();
    for (size_t i = 0; i < b->nsuccessors; i++)
        json_array_append_new(list, edge_record(&b->successor[i]));
    json_object_set_new(j, "successors", list);
    if (b->landing)
        json_object_set_new(j, "landing", json_true());
    return j;
}

static json_t *call_record(const struct ask_graph_call *c)
{
    json_t *j = json_object();
    json_object_set_new(j, "block", json_integer(c->block));
    json_object_set_new(j, "site", report_address(c->site));
    json_object_set_new(j, "target", c->target != ASK_NO_PLACE ? report_address(c->target) : json_null());
    json_object_set_new(j, "name", report_string(c->name));
    json_object_set_new(j, "kind", json_string(call_name(c->kind)));
    json_object_set_new(j, "noreturn", json_boolean(c->noreturn));
    json_object_set_new(j, "conditional", json_boolean(c->conditional));
    return j;
}

static void add_details(struct report *r, const struct ask_graph_details *x)
{
    report_add(r, "calls", json_array());
    for (size_t i = 0; i < x->ncalls; i++)
        report_add(r, "calls[]", call_record(&x->call[i]));
    report_add(r, "jump_tables", json_array());
    for (size_t i = 0; i < x->ntables; i++) {
        const struct ask_graph_table *t = &x->table[i];
        report_add(r, "jump_tables[]",
                   json_pack("{s:I, s:o, s:I, s:I}", "block", (json_int_t)t->block, "address",
                             t->address != ASK_NO_PLACE ? report_address(t->address) : json_null(), "entries",
                             (json_int_t)t->entries, "entry_size", (json_int_t)t->entry_size));
    }
    report_add(r, "problems", json_array());
    for (size_t i = 0; i < x->nproblems; i++)
        report_add(r, "problems[]",
                   json_pack("{s:s, s:o, s:o}", "kind", problem_name(x->problem[i].kind), "address",
                             report_address(x->problem[i].address), "text",
                             report_string(x->problem[i].text)));
}

struct report *report_graph(const struct ask_graph_answer *a)
{
    struct report *r = report_new(a->q->with_ir ? "lift" : "cfg");
    const struct ask_graph_function *f = &a->function;
    bool sized = !a->facts.format;
    report_add(r, "input", facts_record(&a->facts));
    if (a->found) {
        json_t *j = json_object();
        json_object_set_new(j, "name", report_string(f->name));
        json_object_set_new(j, "address", report_address(f->address));
        if (sized)
            json_object_set_new(j, "size", json_integer((json_int_t)f->size));
        json_object_set_new(j, "instructions", json_integer(f->instructions));
        json_object_set_new(j, "noreturn", json_boolean(f->noreturn));
        report_add(r, "function", j);
        report_add(r, "blocks", json_array());
    }
    for (size_t i = 0; i < a->block.len; i++)
        report_add(r, "blocks[]", block_record(&a->block.data[i], sized));
    if (a->finished)
        add_details(r, &a->details);
    report_cut(r, &a->end);
    return r;
}
