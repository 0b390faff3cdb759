/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where main is in a stripped program. _start of the C library's crt1.o calls __libc_start_main(main, argc,
 * argv, ...). In a dynamic program that is an import with a name. In a static one it is recognised by what it
 * is passed: the address of code, then argc, the word that the kernel left on top of the stack. */
#include <string.h>

#include "flow/value.h"

enum { WRAP_REACH = 128, WRAP_INSNS = 3 };

/* On i386 crt1 calls its own get-pc thunk, which returns the address in ebx. */
static bool gives_return_address(const struct program *p, uint64_t target)
{
    static const uint8_t mov_esp_ebx_ret[] = {0x8b, 0x1c, 0x24, 0xc3};
    uint8_t code[sizeof mov_esp_ebx_ret];
    return object_read(p->object, target, code, sizeof code) && !memcmp(code, mov_esp_ebx_ret, sizeof code);
}

/* The register that x is made of, when it is one only and nothing else is unknown. */
static sym only_register(const struct values *v, sym x)
{
    const struct sym_node *n = value_node(v, x);
    if (n->op == SYM_REG)
        return x;
    if (n->op >= OP_COUNT_ && n->op != SYM_LOAD)
        return SYM_NONE;
    sym kid[] = {n->a, n->b, n->c}, found = SYM_NONE;
    for (size_t i = 0; i < 3; i++) {
        sym below = kid[i] == SYM_NONE ? SYM_NONE : only_register(v, kid[i]);
        if (below != SYM_NONE && found != SYM_NONE && below != found)
            return SYM_NONE;
        found = below == SYM_NONE ? found : below;
    }
    return found;
}

/* Word i on the stack where the block calls, after the return address. */
static sym pushed(struct values *v, const struct builder *b, uint32_t bb, unsigned i)
{
    const struct ir_machine *m = b->p->machine;
    unsigned width = m->pointer_width;
    const struct ir_block *x = &b->bb.data[bb].b;
    sym sp = value_register(v, bb, UINT32_MAX, m->sp, width), out = SYM_NONE;
    sym word =
        value_op(v, OP_ADD, width, sp, value_const(v, width, m->call_pushes + i * width / 8), SYM_NONE, 0);
    for (uint32_t k = 0; k < x->ninsn; k++)
        if (x->insn[k].op == IR_STORE && value_of(v, bb, x->insn[k].a) == word)
            out = value_of(v, bb, x->insn[k].b);
    return out;
}

/* Nothing ran before this code: memory is as the file and the dynamic linker left it. */
static bool is_known(const struct values *v, const struct program *p, sym x, uint64_t *out)
{
    const struct sym_node *n = value_node(v, x);
    uint64_t address, word = 0;
    if (value_is_const(v, x, out))
        return true;
    if (n->op != SYM_LOAD || n->width != p->machine->pointer_width || !value_is_const(v, n->a, &address) ||
        !object_read(p->object, address, &word, n->width / 8))
        return false;
    *out = p->machine->pointer_width == 32 ? (uint32_t)word : word;
    return true;
}

/* SYM_NONE if nothing is seen to be passed. */
static sym argument(struct values *v, const struct builder *b, const struct flow_call *c, unsigned i)
{
    const struct ir_machine *m = b->p->machine;
    return m->nargs ? value_register(v, c->block, UINT32_MAX, m->arg[i], m->pointer_width)
                    : pushed(v, b, c->block, i);
}

static bool first_argument(struct values *v, const struct builder *b, const struct flow_call *c,
                           uint64_t *out)
{
    const struct program *p = b->p;
    sym x = argument(v, b, c, 0);
    if (x == SYM_NONE || is_known(v, p, x, out))
        return x != SYM_NONE;
    if (p->machine->nargs)
        return false;
    sym ebx = only_register(v, x);
    uint64_t here = label_address(p, b->bb.data[c->block].label);
    bool told = false;
    for (size_t i = 0; i < b->bb.len; i++) {
        const struct bb *before = &b->bb.data[i];
        told = told || (before->lifted && before->b.end.kind == IR_END_CALL &&
                        bb_end_address(b, before) == here && gives_return_address(p, before->b.end.label));
    }
    return told && ebx != SYM_NONE && value_eval(v, x, ebx, here, out);
}

/* The second argument is the word that was on top of the stack at the entry point. */
static bool passes_argc(struct values *v, const struct builder *b, const struct flow_call *c)
{
    sym x = argument(v, b, c, 1);
    uint32_t bb = c->block;
    for (size_t steps = 0; x != SYM_NONE && bb && steps < b->bb.len; steps++) {
        const struct pred *before;
        if (value_preds(v, bb, &before) != 1)
            return false;
        x = value_back(v, x, before);
        bb = before->bb;
    }
    int64_t offset;
    return x != SYM_NONE && !bb && value_node(v, x)->op == SYM_LOAD &&
           value_is_frame(v, value_node(v, x)->a, &offset) && offset == 0;
}

static bool is_start_main(struct values *v, const struct builder *b, const struct flow_call *c)
{
    return (c->name && strcmp(c->name, "__libc_start_main") == 0) || passes_argc(v, b, c);
}

/* AArch64's crt1 of programs at fixed addresses has a branch to main after _start, since main may be too far
 * for an address in two instructions. */
static ir_label behind_wrapper(struct program *p, uint64_t entry, ir_label label)
{
    size_t available;
    const uint8_t *bytes = object_bytes(p->object, label, &available);
    if (p->machine->arch != MACHINE_ARM64 || label - entry >= WRAP_REACH || !bytes)
        return label;
    struct arena arena = ARENA_INIT;
    struct ir_block b;
    lift_block(p->lifter, label, bytes, available, WRAP_INSNS, &arena, &b);
    if (b.end.kind == IR_END_JUMP && b.nmark < WRAP_INSNS)
        label = b.end.label;
    arena_free(&arena);
    return label;
}

bool program_find_main(struct program *p)
{
    const struct object_info *about = object_info(p->object);
    uint64_t address = 0;
    bool found = false;
    uint32_t start = about->entry ? program_index_at(p, about->entry) : NO_INDEX;
    if (start == NO_INDEX || (about->type != OBJECT_EXECUTABLE && about->type != OBJECT_PIE) ||
        strmap_get(&p->by_name, "main", NULL))
        return false;
    struct arena arena = ARENA_INIT;
    struct builder b;
    builder_init(&b, p, start, &arena);
    builder_run(&b);
    struct values *v = values_new(&b);
    for (size_t i = 0; i < b.call.len && !found; i++)
        if (is_start_main(v, &b, &b.call.data[i]))
            found = first_argument(v, &b, &b.call.data[i], &address);
    values_free(v);
    builder_free(&b);
    arena_free(&arena);
    ir_label label = found ? behind_wrapper(p, about->entry, address) : 0;
    uint64_t at = label_address(p, label);
    uint32_t around = found ? program_index_covering(p, at) : NO_INDEX;
    if (!found || !program_is_code(p, at) || object_stub_at(p->object, at) ||
        (around != NO_INDEX && p->function.data[around].size && p->function.data[around].address != at))
        return false;
    program_add(p, at, 0, "main", FLOW_SOURCE_POINTER, label_is_thumb(p, label) ? FLOW_THUMB : 0);
    return true;
}
