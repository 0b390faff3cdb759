/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The idioms of compilers by which code shows what a register is set for: tables of named functions, and
 * nothing else decides. What the evidence means is in evidence.def. */
#include "flow/abi/internal.h"

/* ---- what a block leaves in a register may be there for something else ---- */

/* How the register is set. */
enum { BY_CONSTANT = 1, BY_COPY = 2, BY_VALUE = 4 };

struct held {
    const struct abi *abi; /* whose call it is; NULL: what other code sees is not asked */
    const struct ir_machine *m;
    const struct ir_block *b;
    unsigned reg, width;
    uint32_t last; /* the IR_PUT */
    ir_val put, root;
    bool same_block; /* the call is in the block itself */
    bool only;       /* a copy that may have another use, too, is not surely made for it */
    bool branches;   /* there is a way out after it */
};

/* The register gets a byte or a half only. */
static bool is_part(const struct held *h)
{
    return h->b->insn[h->put].width < h->width;
}

/* Uses of a constant are not seen: elsewhere than right before the call it must be among the last things
 * done. */
static bool is_early(const struct held *h)
{
    for (uint32_t i = h->last; !h->same_block && i < h->b->ninsn; i++)
        if (h->b->insn[i].op < OP_COUNT_ || h->b->insn[i].op == IR_LOAD || h->b->insn[i].op == IR_STORE)
            return true;
    return false;
}

/* mov $0, %esi; mov %esi, (%rbx): a short way to store a number. */
static bool is_stored_constant(const struct held *h)
{
    return uses_stored_constant(h->b, h->b->insn[h->put]);
}

/* adr x1, table; add x0, x1, x2: the base of a jump table. adrp x1, name; ldr q2, [x1, :lo12:name]: a page,
 * which nobody returns. */
static bool is_base_constant(const struct held *h)
{
    const struct ir_insn k = h->b->insn[h->put];
    return (h->only && uses_base(h->b, k)) || (!h->abi && uses_page(h->m, h->b, k));
}

static uint64_t number(const struct ir_insn *in)
{
    return ir_imm(in->a, in->b);
}

/* A file that may be loaded anywhere has a page 0, which only the instruction tells from a null pointer. */
static bool is_adrp(const struct held *h)
{
    uint8_t code[4];
    uint32_t k = h->b->nmark ? uses_mark(h->b, h->last) : 0;
    return h->abi && h->b->nmark && object_read(h->abi->o, h->b->mark[k].address, code, sizeof code) &&
           (code[3] & 0x9f) == 0x90;
}

/* adrp x1, name; add x0, x1, :lo12:name: the page of an address that is made in another register. */
static bool is_page_constant(const struct held *h)
{
    enum { PAGE = 4096 };
    const struct ir_insn *insn = h->b->insn;
    uint64_t page = number(&insn[h->put]);
    bool other = false;
    for (uint32_t i = 0; i < h->b->ninsn; i++) {
        const struct ir_insn *v = insn[i].op == IR_PUT && insn[i].a != h->reg ? &insn[insn[i].b] : NULL;
        other = other || (v && v->op == IR_CONST && v->width == h->width && number(v) - page < PAGE) ||
                (v && v->op == OP_ADD && insn[v->a].op == IR_CONST && number(&insn[v->a]) == page);
    }
    return h->m->arch == MACHINE_ARM64 && h->width == 64 && (page || is_adrp(h)) && page % PAGE == 0 && other;
}

/* ldr x2, [x1]; str x2, [sp, #24]; mov x2, #0: the guard of the stack protector is left in no register. */
static bool is_wiped(const struct held *h)
{
    const struct ir_block *b = h->b;
    uint32_t k = b->nmark ? uses_mark(b, h->last) : 0;
    if (!h->abi || !k || number(&b->insn[h->put]))
        return false;
    for (uint32_t i = b->mark[k - 1].first; i < b->mark[k].first; i++) {
        const struct ir_insn *in = &b->insn[i],
                             *from = in->op == IR_STORE ? &b->insn[uses_root(b, in->b)] : NULL;
        if (from && from->op == IR_LOAD && uses_in_frame(h->m, b, in->a) && !uses_in_frame(h->m, b, from->a))
            return true;
    }
    return false;
}

/* mov $-1, %edx; cmove %edx, %eax: one of the two values of a selection. */
static bool is_selected_constant(const struct held *h)
{
    return h->abi && uses_selected_constant(h->b, h->b->insn[h->put]);
}

static bool is_before_branch(const struct held *h)
{
    return h->branches;
}

/* Nobody but a callee looks at the copy, whichever way is taken. */
static bool is_copy_before_branch(const struct held *h)
{
    bool for_callees = h->abi && h->reg != h->m->ret && h->reg != h->m->ret2 &&
                       !uses_shows(h->abi, h->m, h->b, h->root, h->last + 1) &&
                       !uses_read_behind(h->abi, (uint32_t)(h->b - h->abi->g->block), h->reg, USES_ANY);
    return h->branches && !for_callees;
}

static bool is_from_vector(const struct held *h)
{
    enum { BYTES = 16 };
    bool is = false;
    for (unsigned i = 0; i < h->m->nfargs; i++)
        is = is || h->b->insn[h->root].a - h->m->farg[i] < BYTES;
    return is;
}

/* A copy is made for the callee, whatever else the original is used for, unless that is to be excluded. What
 * is computed with as a number is not the vector that it was taken from. */
static bool is_used_copy(const struct held *h)
{
    return (h->only || is_from_vector(h)) && uses_shows(h->abi, h->m, h->b, h->root, h->last + 1);
}

/* mov %rbx, %rsi; mov (%rdi), %rbx; mov %rax, (%rsi): the copy is there to keep the old value. */
static bool is_standing_in(const struct held *h)
{
    return h->abi && uses_stands_in(h->abi, h->m, h->b, h->root, h->last);
}

/* mov %eax, %ecx; mov $-22, %eax; test %ecx, %ecx: what is compared is the copy, which was made for that. */
static bool is_compared_copy(const struct held *h)
{
    bool overwritten = false;
    for (uint32_t i = h->last + 1; i < h->b->ninsn; i++)
        overwritten =
            overwritten || (h->b->insn[i].op == IR_PUT && h->b->insn[i].a == h->b->insn[h->root].a &&
                            uses_root(h->b, h->b->insn[i].b) != h->root);
    return h->abi && overwritten && uses_compared(h->b, h->root);
}

static bool is_used_value(const struct held *h)
{
    return uses_shows(h->abi, h->m, h->b, h->root, h->root + 1);
}

/* div: the remainder next to the quotient; mul: the upper half of a product. */
static bool is_split_value(const struct held *h)
{
    return uses_split(h->b, h->root, h->put);
}

static bool is_copied_value(const struct held *h)
{
    return uses_copied(h->m, h->b, h->root, h->last);
}

static bool is_compared_value(const struct held *h)
{
    return uses_compared(h->b, h->root);
}

/* The first that holds is the evidence; without any the register was surely set for the callee. */
static const struct {
    enum abi_evidence why;
    unsigned of; /* registers that are set like that */
    bool (*holds)(const struct held *h);
} doubts[] = {
    {ABI_PART, BY_CONSTANT | BY_COPY | BY_VALUE, is_part},
    {ABI_CONSTANT_EARLY, BY_CONSTANT, is_early},
    {ABI_BRANCH, BY_CONSTANT, is_before_branch},
    {ABI_CONSTANT_STORED, BY_CONSTANT, is_stored_constant},
    {ABI_CONSTANT_BASE, BY_CONSTANT, is_base_constant},
    {ABI_CONSTANT_SELECTED, BY_CONSTANT, is_selected_constant},
    {ABI_CONSTANT_PAGE, BY_CONSTANT, is_page_constant},
    {ABI_CONSTANT_WIPED, BY_CONSTANT, is_wiped},
    {ABI_BRANCH, BY_COPY, is_copy_before_branch},
    {ABI_COPY_USED, BY_COPY, is_used_copy},
    {ABI_COPY_STANDS_IN, BY_COPY, is_standing_in},
    {ABI_COPY_STANDS_IN, BY_COPY, is_compared_copy},
    {ABI_VALUE_USED, BY_VALUE, is_used_value},
    {ABI_VALUE_SPLIT, BY_VALUE, is_split_value},
    {ABI_VALUE_COPIED, BY_VALUE, is_copied_value},
    {ABI_BRANCH, BY_VALUE, is_before_branch},
    {ABI_VALUE_COMPARED, BY_VALUE, is_compared_value},
};

/* The block does not set the register, but computes with what is in it. */
static bool is_still_used(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b,
                          unsigned reg)
{
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_GET && b->insn[i].a == reg && uses_shows(abi, m, b, i, i + 1))
            return true;
    return false;
}

enum abi_evidence idiom_in_block(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b,
                                 unsigned reg, unsigned width, bool same_block, bool only)
{
    struct held h = {
        .abi = abi, .m = m, .b = b, .reg = reg, .width = width, .same_block = same_block, .only = only};
    h.put = uses_last_put(b, reg, &h.last);
    if (h.put == IR_NONE)
        return is_still_used(abi, m, b, reg) ? ABI_STILL_USED : ABI_UNTOUCHED;
    h.root = uses_root(b, h.put);
    for (uint32_t i = h.last; i < b->ninsn; i++)
        h.branches = h.branches || b->insn[i].op == IR_EXIT;
    unsigned by = b->insn[h.put].op == IR_CONST                              ? BY_CONSTANT
                  : b->insn[h.root].op == IR_GET && b->insn[h.root].a != reg ? BY_COPY
                                                                             : BY_VALUE;
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
        if (doubts[i].of & by && doubts[i].holds(&h))
            return doubts[i].why;
    return by == BY_CONSTANT ? ABI_CONSTANT : by == BY_COPY ? ABI_COPY : ABI_VALUE;
}

/* ---- what is set as arguments are may have been left there ---- */

/* movsxd %edi, %rsi; mov %rsi, (%rax): what the block puts into the register is another one with its sign
 * extended, and that is stored or computed with as it is there. */
static bool is_extended(const struct ir_block *b, unsigned reg)
{
    ir_val put = uses_last_put(b, reg, NULL);
    if (put == IR_NONE)
        return false;
    const struct ir_insn *root = &b->insn[uses_root(b, put)];
    for (uint32_t i = put + 1; i < b->ninsn && &b->insn[put] != root && root->op == IR_GET; i++) {
        const struct ir_insn *in = &b->insn[i];
        if ((in->op == IR_STORE && in->b == put) ||
            (in->op < OP_COUNT_ && op_info[in->op].arity == 2 && !uses_is_comparison(in->op) &&
             (in->a == put || in->b == put)))
            return true;
    }
    return false;
}

/* cmp %rsi, %rbx; jne: the register is only compared on the way to the call. */
static bool is_loop_bound(const struct ir_block *b, unsigned reg)
{
    bool compared = false;
    for (uint32_t i = 0; i < b->ninsn && !compared; i++)
        compared = b->insn[i].op == IR_GET && b->insn[i].a == reg && uses_compared(b, i);
    return compared && uses_last_put(b, reg, NULL) == IR_NONE;
}

/* div: the remainder comes with the quotient, in a register that nobody chose. */
static bool is_remainder(const struct ir_block *b, unsigned reg)
{
    uint32_t last;
    ir_val put = uses_last_put(b, reg, &last);
    unsigned op = put == IR_NONE ? OP_COUNT_ : b->insn[uses_root(b, put)].op;
    if ((op != OP_UREM && op != OP_SREM) || !b->nmark)
        return false;
    for (uint32_t i = b->mark[uses_mark(b, last)].first; i < uses_after(b, last); i++)
        if (b->insn[i].op == IR_PUT &&
            b->insn[uses_root(b, b->insn[i].b)].op == (op == OP_UREM ? OP_UDIV : OP_SDIV))
            return true;
    return false;
}

static uint64_t constant_low(const struct ir_block *b, const struct ir_insn *k)
{
    enum { WIDE = 64 };
    return k->width > WIDE ? bits_low(b->wide[k->a]) : ir_imm(k->a, k->b);
}

/* mov $10, %ecx; div %ecx: there is no division by a number. */
static bool is_divisor(const struct ir_block *b, unsigned reg)
{
    uint32_t last;
    ir_val put = uses_last_put(b, reg, &last);
    if (put == IR_NONE || b->insn[put].op != IR_CONST)
        return false;
    for (uint32_t i = last; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if ((in->op == OP_UDIV || in->op == OP_SDIV) && b->insn[in->b].op == IR_CONST &&
            (uint32_t)constant_low(b, &b->insn[in->b]) == (uint32_t)constant_low(b, &b->insn[put]))
            return true;
    }
    return false;
}

static const struct {
    enum abi_evidence why;
    bool (*holds)(const struct ir_block *b, unsigned reg);
} leftovers[] = {
    {ABI_EXTENDED, is_extended},
    {ABI_REMAINDER, is_remainder},
    {ABI_DIVISOR, is_divisor},
    {ABI_LOOP_BOUND, is_loop_bound},
};

enum abi_evidence idiom_leftover(const struct ir_block *b, unsigned reg)
{
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++)
        if (leftovers[i].holds(b, reg))
            return leftovers[i].why;
    return ABI_NO_EVIDENCE;
}

/* ---- the register is free at the call ---- */

/* Code that is not optimised: what is in the register was set for something else, and nothing was since; nor
 * is it what a callee returned. */
static enum abi_evidence used_up(struct abi *abi, const struct flow_call *k, unsigned a, unsigned most)
{
    (void)most;
    const struct ir_machine *m = abi->m;
    bool result = m->arg[a] == m->ret || m->arg[a] == m->ret2;
    return abi->unoptimised && abi_evidence_set(argument_on_paths(abi, k->block, m->arg[a], m->pointer_width,
                                                                  a < abi->nparams && !abi->spills,
                                                                  result ? FOR_CALL_ANEW : FOR_CALL,
                                                                  PATH_DEPTH_MAX)) == ABI_UNSET
               ? ABI_USED_UP
               : ABI_NO_EVIDENCE;
}

/* On some path to the call another callee left it there. Compilers do not know which paths are feasible: as
 * far as they know, that is what is passed. The register of results may carry one on. */
static enum abi_evidence clobbered_by_callee(struct abi *abi, const struct flow_call *k, unsigned a,
                                             unsigned most)
{
    (void)most;
    return abi->m->arg[a] != abi->m->ret && sites_left(abi, k->block, a) ? ABI_CALLEE_LEFT : ABI_NO_EVIDENCE;
}

/* Each says which evidence there is. Halves of products come last: they count only if the product is passed,
 * too (evidence.def). */
static enum abi_evidence (*const frees[])(struct abi *abi, const struct flow_call *k, unsigned a,
                                          unsigned most) = {
    used_up,
    clobbered_by_callee,
    product_overflow,
    product_half,
};

enum abi_evidence abi_free_register(struct abi *abi, uint64_t site, unsigned a, unsigned most)
{
    const struct flow_call *k = abi_call_at(abi, site);
    for (size_t i = 0; k && i < sizeof frees / sizeof *frees; i++) {
        enum abi_evidence why = frees[i](abi, k, a, most);
        if (why != ABI_NO_EVIDENCE)
            return why;
    }
    return ABI_NO_EVIDENCE;
}
