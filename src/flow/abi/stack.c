/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instructions do to the stack around calls: words that are pushed only to align it or are taken along
 * by a push that saves the return address, and what pops them again. */
#include <stdlib.h>
#include <string.h>

#include "flow/abi/internal.h"

bool abi_stack_is_irregular(const struct abi *abi)
{
    const struct ir_machine *m = abi->m;
    for (uint32_t k = 0; k < abi->g->nblocks; k++) {
        const struct ir_block *b = &abi->g->block[k];
        for (uint32_t i = 0; i < b->ninsn; i++) {
            if (b->insn[i].op != IR_PUT || b->insn[i].a != m->sp)
                continue;
            ir_val v = b->insn[i].b;
            while (b->insn[v].op == OP_ADD || b->insn[v].op == OP_SUB || b->insn[v].op == OP_AND)
                v = b->insn[v].a;
            unsigned op = b->insn[v].op;
            if (op != OP_ITE && op != IR_GET && op != IR_LOAD)
                return true;
        }
    }
    return false;
}

/* The block that has the instruction, and which of its instructions it is; NULL: there is none. */
static const struct ir_block *instruction_at(const struct abi *abi, uint64_t site, uint32_t *mark)
{
    for (uint32_t k = 0; k < abi->g->nblocks; k++) {
        const struct ir_block *b = &abi->g->block[k];
        for (*mark = 0; *mark < b->nmark; ++*mark)
            if (b->mark[*mark].address == site)
                return b;
    }
    return NULL;
}

/* On ARM a push that saves the return address takes registers along that nobody needs, to keep the stack
 * aligned. */
static bool is_saving_push(const struct ir_machine *m, const struct ir_block *b, uint32_t mark)
{
    bool link = false, moves = false;
    uint32_t end = mark + 1 < b->nmark ? b->mark[mark + 1].first : b->ninsn;
    for (uint32_t i = b->nmark ? b->mark[mark].first : end; i < end; i++) {
        const struct ir_insn *in = &b->insn[i];
        link = link || (in->op == IR_STORE && b->insn[in->b].op == IR_GET && b->insn[in->b].a == m->lr);
        moves = moves || (in->op == IR_PUT && in->a == m->sp);
    }
    return m->arch == MACHINE_ARM && link && moves;
}

bool stack_saves_return(const struct ir_machine *m, const struct ir_block *b, uint32_t insn)
{
    return is_saving_push(m, b, uses_mark(b, insn)) && !uses_operand(b, insn, uses_after(b, insn));
}

/* The instruction stores a word where it has moved the stack pointer to. `room` (or NULL): what lies
 * between that word and where the stack pointer was at the block's beginning. */
static bool is_push(const struct ir_machine *m, const struct ir_block *b, uint32_t mark, int64_t *room)
{
    bool stores = false, moves = false, known = false;
    int64_t off = 0;
    for (uint32_t i = b->mark[mark].first; i < (mark + 1 < b->nmark ? b->mark[mark + 1].first : b->ninsn);
         i++) {
        stores = stores || b->insn[i].op == IR_STORE;
        if (b->insn[i].op == IR_PUT && b->insn[i].a == m->sp)
            known = uses_stack_offset(m, b, b->insn[i].b, &off), moves = true;
    }
    if (room && stores && moves)
        *room = known ? -off - m->pointer_width / 8 : 0;
    return stores && moves;
}

/* The word at an offset from the stack pointer at entry is in what the first block pushes. */
static bool is_pushed_first(const struct abi *abi, int64_t offset)
{
    const struct ir_machine *m = abi->m;
    const struct ir_block *b = &abi->g->block[0];
    int64_t top = 0, off;
    for (uint32_t i = 0; i < b->nmark; i++) {
        bool stores = false, moves = false;
        uint32_t end = i + 1 < b->nmark ? b->mark[i + 1].first : b->ninsn;
        for (uint32_t k = b->mark[i].first; k < end; k++) {
            stores = stores || b->insn[k].op == IR_STORE;
            moves = moves || (b->insn[k].op == IR_PUT && b->insn[k].a == m->sp &&
                              uses_stack_offset(m, b, b->insn[k].b, &off));
        }
        if (stores && moves && offset >= off && offset < top)
            return true;
        top = moves ? off : top;
    }
    return false;
}

bool abi_is_pushed(const struct abi *abi, int64_t offset, uint64_t store)
{
    uint32_t mark;
    const struct ir_block *b = store ? instruction_at(abi, store, &mark) : NULL;
    return b ? is_push(abi->m, b, mark, NULL) : abi->g->nblocks && is_pushed_first(abi, offset);
}

/* x86: the instruction pushes one of the accumulator and the two registers after it as it is; *from: which.
 */
static bool is_plain_push(const struct abi *abi, const struct ir_block *b, uint32_t mark, unsigned *from)
{
    enum { PUSH_EAX = 0x50, PUSH_EDX = 0x52 };
    static const char *const name[][3] = {{"eax", "ecx", "edx"}, {"rax", "rcx", "rdx"}};
    const struct ir_machine *m = abi->m;
    uint8_t code;
    uint16_t at, width;
    if (b->mark[mark].length != 1 || !object_read(abi->o, b->mark[mark].address, &code, 1) ||
        code < PUSH_EAX || code > PUSH_EDX ||
        !machine_register_find(m, name[m->arch == MACHINE_AMD64][code - PUSH_EAX], &at, &width))
        return false;
    *from = at;
    return true;
}

/* i386: the instruction that pushes argument i right before the call; false: there is none. */
static bool push_of(const struct abi *abi, const struct ir_block *b, unsigned i, uint32_t *mark)
{
    /* The last instruction is the call. */
    for (uint32_t k = b->nmark ? b->nmark - 1 : 0; k-- > 0;)
        if (is_push(abi->m, b, k, NULL) && i-- == 0) {
            *mark = k;
            return true;
        }
    return false;
}

/* An instruction, not one that sets a register, computes with the value, stores it or looks at it. */
static bool takes(const struct ir_block *b, const struct ir_insn *in, ir_val root)
{
    const uint32_t arg[] = {in->a, in->b, in->c, in->d};
    bool memory = in->op == IR_LOAD || in->op == IR_STORE;
    unsigned n = in->op < OP_COUNT_ ? op_info[in->op].arity : memory ? 3 : in->op == IR_EXIT;
    if (in->op == IR_PURE || in->op == IR_EVENT)
        return true;
    for (unsigned k = 0; k < n && in->op != OP_ZEXT && in->op != OP_SEXT && in->op != OP_EXTRACT; k++)
        if (arg[k] != IR_NONE && uses_root(b, arg[k]) == root)
            return true;
    return false;
}

/* The instruction pushes what the block computed for nothing else. */
static bool pushes_result(const struct abi *abi, uint32_t block, uint32_t mark)
{
    const struct ir_machine *m = abi->m;
    const struct ir_block *b = &abi->g->block[block];
    uint32_t first = b->mark[mark].first, end = uses_after(b, first);
    ir_val v = IR_NONE;
    for (uint32_t i = first; i < end; i++)
        if (b->insn[i].op == IR_STORE)
            v = uses_root(b, b->insn[i].b);
    if (v == IR_NONE || v >= first || b->insn[v].op >= OP_COUNT_)
        return false;
    for (uint32_t i = v + 1; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT && uses_root(b, in->b) == v) {
            const char *name = machine_register_name(m, in->a, b->insn[in->b].width);
            /* condition codes are made of all results */
            if (!(name && *name == '<') && uses_read_behind(abi, block, in->a, USES_ANY))
                return false;
        } else if ((i < first || i >= end) && takes(b, in, v)) {
            return false;
        }
    }
    return b->end.next == IR_NONE || uses_root(b, b->end.next) != v;
}

/* A register that is the caller's is pushed to be restored. */
static bool is_saved(const struct ir_machine *m, const struct ir_insn *v)
{
    for (unsigned r = 0; v->op == IR_GET && r < m->nsaved; r++)
        if (m->saved[r] == v->a)
            return true;
    return false;
}

bool abi_sets_word(const struct abi *abi, uint64_t site, unsigned i)
{
    const struct ir_machine *m = abi->m;
    const struct flow_call *call = abi_call_at(abi, site);
    const struct ir_block *b = call ? &abi->g->block[call->block] : NULL;
    ir_val sp = b ? uses_last_put(b, m->sp, NULL) : IR_NONE;
    int64_t bottom = 0, at;
    unsigned from;
    if (!b || (sp != IR_NONE && !uses_stack_offset(m, b, sp, &bottom)))
        return false;
    for (uint32_t k = b->ninsn; k-- > 0;) {
        const struct ir_insn *in = &b->insn[k];
        if (in->op != IR_STORE || !uses_stack_offset(m, b, in->a, &at) ||
            at != bottom + (int64_t)m->stack_arg + (int64_t)i * (m->pointer_width / 8))
            continue;
        uint32_t mark = uses_mark(b, k);
        if (!is_push(m, b, mark, NULL))
            return abi->unoptimised;
        return !is_plain_push(abi, b, mark, &from) && !(call->block == 0 && is_saved(m, &b->insn[in->b]));
    }
    return false;
}

static bool may_align(const struct abi *abi, uint64_t site, unsigned i)
{
    enum { ALIGNED = 16, WORD = 4 };
    const struct ir_machine *m = abi->m;
    const struct flow_call *call = m->arch == MACHINE_X86 ? abi_call_at(abi, site) : NULL;
    const struct ir_block *b = call ? &abi->g->block[call->block] : NULL;
    unsigned n = 0, from = 0, above = 0;
    uint32_t mark;
    int64_t room = 0; /* below where the stack pointer was in the beginning */
    if (!b || !push_of(abi, b, i, &mark) || !is_plain_push(abi, b, mark, &from) ||
        pushes_result(abi, call->block, mark))
        return false;
    if (call->block == 0)
        return true;
    /* What was pushed first aligns the stack, one word or the same several times, unless room was left. */
    bool same = push_of(abi, b, i + 1, &mark) && is_plain_push(abi, b, mark, &above) && above == from;
    for (uint32_t k = b->nmark - 1; k-- > 0;)
        n += is_push(m, b, k, &room);
    bool left = room > 0 && room < ALIGNED && (room + n * WORD) % ALIGNED == 0;
    return !left && (n == i + 1 || same);
}

/* The block ends in a call of a get-pc thunk, mov (%esp), REG; ret, which changes nothing else. */
static bool asks_for_place(const struct abi *abi, uint32_t block, unsigned reg)
{
    static const char *const name[] = {"eax", "ecx", "edx", "ebx", NULL, "ebp", "esi", "edi"};
    uint8_t code[4];
    uint16_t at, width;
    for (uint32_t i = 0; i < abi->g->ncalls; i++)
        if (abi->g->call[i].block == block && abi->g->call[i].target &&
            object_read(abi->o, abi->g->call[i].target, code, sizeof code) && code[0] == 0x8b &&
            (code[1] & 0xc7) == 0x04 && code[2] == 0x24 && code[3] == 0xc3 && name[code[1] >> 3 & 7])
            return machine_register_find(abi->m, name[code[1] >> 3 & 7], &at, &width) && at != reg;
    return false;
}

/* A word of the stack that the block does not set, at an offset from the stack pointer in its beginning. */
struct sought {
    uint32_t block;
    int64_t offset;
};

/* The instruction of the block that stores the word last; false: none does. */
static bool find_store(const struct ir_machine *m, const struct ir_block *b, int64_t offset, uint32_t *mark)
{
    int64_t at;
    for (uint32_t k = b->ninsn; k-- > 0;)
        if (b->insn[k].op == IR_STORE && uses_stack_offset(m, b, b->insn[k].a, &at) && at <= offset &&
            offset < at + b->insn[b->insn[k].b].width / 8) {
            *mark = uses_mark(b, k);
            return true;
        }
    return false;
}

/* What lies there, at an offset from the stack pointer at the end of the block, as far as the block shows it.
 * ABI_NO_EVIDENCE: it was there before, at an offset from the stack pointer in the beginning that becomes
 * *offset. */
static enum abi_evidence word_in_block(const struct abi *abi, const struct ir_block *b, int64_t *offset)
{
    const struct ir_machine *m = abi->m;
    ir_val sp = uses_last_put(b, m->sp, NULL);
    int64_t end = 0;
    uint32_t mark;
    unsigned from;
    if (sp != IR_NONE && !uses_stack_offset(m, b, sp, &end))
        return ABI_FAR;
    *offset += end;
    if (find_store(m, b, *offset, &mark))
        return is_plain_push(abi, b, mark, &from) ? ABI_ALIGNMENT : ABI_STORED;
    return *offset < 0 ? ABI_PATHS_DIFFER : ABI_NO_EVIDENCE;
}

/* What shows, on all ways to the beginning of the block and since the last call, that something is put into
 * the word. */
static enum abi_evidence word_before(const struct abi *abi, struct sought from)
{
    const struct flow_graph *g = abi->g;
    int64_t *known = xcalloc(g->nblocks, sizeof *known); /* by block: the offset, plus 1 */
    enum abi_evidence all = ABI_STORED;
    VEC(struct sought) todo = VEC_INIT;
    vec_push(&todo, from);
    while (todo.len && all == ABI_STORED) {
        const struct sought at = vec_pop(&todo);
        if (known[at.block]) {
            all = known[at.block] == at.offset + 1 ? all : ABI_FAR;
            continue;
        }
        known[at.block] = at.offset + 1;
        all = at.block == 0 ? ABI_PATHS_DIFFER : all;
        for (uint32_t e = 0; e < g->nedges && all == ABI_STORED; e++) {
            if (g->edge[e].to != at.block)
                continue;
            const struct ir_block before = uses_until(g, &g->edge[e]);
            const bool returns = g->edge[e].kind == EDGE_RETURN;
            struct sought next = {g->edge[e].from, at.offset + (returns ? abi->m->call_pushes : 0)};
            enum abi_evidence why = returns && !asks_for_place(abi, next.block, abi->m->sp)
                                        ? ABI_PATHS_DIFFER
                                        : word_in_block(abi, &before, &next.offset);
            if (why == ABI_NO_EVIDENCE)
                vec_push(&todo, next);
            else
                all = why;
        }
    }
    vec_free(&todo);
    free(known);
    return all;
}

struct abi_answer abi_word(const struct abi *abi, uint64_t site, unsigned i)
{
    const struct ir_machine *m = abi->m;
    const struct flow_call *call = m->arch == MACHINE_X86 ? abi_call_at(abi, site) : NULL;
    if (may_align(abi, site, i))
        return abi_answer(ABI_ALIGNMENT);
    if (!call)
        return abi_answer(ABI_STORED);
    struct sought word = {call->block, (int64_t)m->stack_arg + (int64_t)i * (m->pointer_width / 8)};
    switch (word_in_block(abi, &abi->g->block[call->block], &word.offset)) {
    case ABI_STORED:
    case ABI_ALIGNMENT: /* which may_align has denied */
        return abi_answer(ABI_STORED);
    case ABI_NO_EVIDENCE:
        return abi_answer(word_before(abi, word));
    default:
        return abi_answer(ABI_PATHS_DIFFER);
    }
}

bool abi_word_is_pushed(const struct abi *abi, uint64_t site, unsigned i)
{
    const struct flow_call *call = abi_call_at(abi, site);
    uint32_t mark;
    return call && push_of(abi, &abi->g->block[call->block], i, &mark);
}

bool abi_word_is_of_frame(const struct abi *abi, uint64_t site, unsigned i)
{
    const struct ir_machine *m = abi->m;
    const struct flow_call *call = m->arch == MACHINE_X86 ? abi_call_at(abi, site) : NULL;
    uint32_t mark;
    return call && call->block != 0 && !push_of(abi, &abi->g->block[call->block], i, &mark) &&
           !abi_reads_entry(abi, m->ret);
}

/* or $-1, REG is a short way to set all bits. */
static bool is_number(const struct ir_block *b, ir_val v, uint64_t *number)
{
    const struct ir_insn *in = &b->insn[v];
    bool all = in->op == OP_OR && b->insn[in->b].op == IR_CONST;
    const struct ir_insn *k = all ? &b->insn[in->b] : in;
    *number = k->op == IR_CONST ? ir_imm(k->a, k->b) : 0;
    return all ? (uint32_t)*number == UINT32_MAX : k->op == IR_CONST;
}

/* Whichever way the instruction is reached, the register was last set to a number; `one`: to the same one. */
static bool is_set_to_number(const struct abi *abi, uint32_t block, uint32_t mark, unsigned reg, bool one)
{
    const struct flow_graph *g = abi->g;
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    uint64_t number = 0, known;
    bool yes = true, any = false;
    vec_push(&todo, block);
    for (bool first = true; todo.len && yes; first = false) {
        uint32_t at = vec_pop(&todo);
        const struct ir_block *b = &g->block[at];
        if (seen[at])
            continue;
        seen[at] = !first; /* it may be reached again, by a jump back */
        ir_val put = IR_NONE;
        for (uint32_t i = first ? b->mark[mark].first : b->ninsn; i-- > 0 && put == IR_NONE;)
            if (b->insn[i].op == IR_PUT && b->insn[i].a == reg)
                put = b->insn[i].b;
        if (put != IR_NONE) {
            yes = is_number(b, put, &known) && (!one || !any || known == number);
            number = known;
            any = true;
            continue;
        }
        yes = at != 0;
        for (uint32_t e = 0; e < g->nedges && yes; e++)
            if (g->edge[e].to == at) {
                yes = g->edge[e].kind != EDGE_RETURN || asks_for_place(abi, g->edge[e].from, reg);
                vec_push(&todo, g->edge[e].from);
            }
    }
    vec_free(&todo);
    free(seen);
    return yes && any;
}

/* The function makes room of one or two words by subtracting: then it does not do so by pushing. */
static bool makes_room(const struct abi *abi)
{
    for (uint32_t k = 0; k < abi->g->nblocks; k++)
        for (uint32_t i = 0; i < abi->g->block[k].nmark; i++) {
            static const uint8_t one[] = {0x83, 0xec, 4}, two[] = {0x83, 0xec, 8}; /* sub $4, %esp */
            const struct ir_mark *at = &abi->g->block[k].mark[i];
            uint8_t code[sizeof one];
            if (at->length == sizeof code && object_read(abi->o, at->address, code, sizeof code) &&
                (memcmp(code, one, sizeof code) == 0 || memcmp(code, two, sizeof code) == 0))
                return true;
        }
    return false;
}

bool abi_words_align(const struct abi *abi, uint64_t site, unsigned from, unsigned to)
{
    enum { GROUP = 4 }; /* words that the stack is aligned to */
    const struct flow_call *call = abi->m->arch == MACHINE_X86 ? abi_call_at(abi, site) : NULL;
    unsigned first = 0, reg;
    uint32_t mark = 0;
    if (!call || from >= to || to % GROUP || to - from >= GROUP || makes_room(abi))
        return false;
    const struct ir_block *b = &abi->g->block[call->block];
    for (unsigned i = from; i < to; i++) {
        if (!push_of(abi, b, i, &mark) || !is_plain_push(abi, b, mark, &reg) || (i > from && reg != first))
            return false;
        first = reg;
    }
    return is_set_to_number(abi, call->block, mark, first, to - from == 1);
}

static bool saves_return(const struct abi *abi, uint64_t site)
{
    uint32_t mark;
    const struct ir_block *b = instruction_at(abi, site, &mark);
    return b && is_saving_push(abi->m, b, mark);
}

enum abi_evidence abi_frame_word(const struct abi *abi, int64_t offset, uint64_t store)
{
    for (unsigned i = 0; i < abi->m->pointer_width / 8; i++)
        if (map_get(&abi->homes, (uint64_t)offset + i, NULL))
            return ABI_HOME;
    return store && saves_return(abi, store) ? ABI_SAVED_WITH_RETURN : ABI_NO_EVIDENCE;
}

/* x86: the block is an instruction that stores again and again. */
static bool is_repeated_store(const struct abi *abi, const struct ir_block *b)
{
    enum { REPEAT = 0xf3, WIDE = 0x48, MOVS = 0xa4, STOS = 0xaa };
    uint8_t code[3];
    if (b->nmark != 1 || !object_read(abi->o, b->mark[0].address, code, sizeof code) || code[0] != REPEAT)
        return false;
    uint8_t op = code[1] == WIDE ? code[2] : code[1];
    return (op & ~1) == MOVS || (op & ~1) == STOS;
}

/* What such an instruction stores to is put into the register for that before it, and it is in the frame. */
static bool begins_in_frame(const struct abi *abi, uint32_t block, unsigned to)
{
    const struct flow_graph *g = abi->g;
    const struct ir_machine *m = abi->m;
    for (uint32_t e = 0; e < g->nedges; e++) {
        if (g->edge[e].to != block || g->edge[e].from == block)
            continue;
        const struct ir_block *b = &g->block[g->edge[e].from];
        ir_val put = uses_last_put(b, to, NULL);
        if (put == IR_NONE || uses_in_frame(m, b, put))
            return true;
    }
    return false;
}

struct copy_walk {
    const struct abi *abi;
    unsigned to;
};

static enum uses_step see_copy(void *ctx, uint32_t at)
{
    const struct copy_walk *w = ctx;
    return is_repeated_store(w->abi, &w->abi->g->block[at]) && begins_in_frame(w->abi, at, w->to) ? USES_END
                                                                                                  : USES_ON;
}

bool abi_copies_to_stack(const struct abi *abi, uint64_t site)
{
    const struct flow_graph *g = abi->g;
    const struct ir_machine *m = abi->m;
    const struct flow_call *call = abi_call_at(abi, site);
    uint16_t to, width;
    bool any = false;
    if (!call ||
        (!machine_register_find(m, "rdi", &to, &width) && !machine_register_find(m, "edi", &to, &width)))
        return false;
    for (uint32_t i = 0; i < g->nblocks && !any; i++)
        any = is_repeated_store(abi, &g->block[i]);
    return any && uses_walk_back(g, call->block, see_copy, &(struct copy_walk){abi, to});
}

bool abi_pops(struct abi *abi, uint64_t site)
{
    const struct ir_machine *m = abi->m;
    uint64_t known;
    if (map_get(&abi->pops, site, &known))
        return known;
    bool moves = false, stores = false;
    for (uint32_t k = 0; k < abi->g->nblocks; k++) {
        const struct ir_block *b = &abi->g->block[k];
        for (uint32_t i = 0; i < b->nmark; i++) {
            uint32_t end = i + 1 < b->nmark ? b->mark[i + 1].first : b->ninsn;
            for (uint32_t n = b->mark[i].first; b->mark[i].address == site && n < end; n++) {
                moves = moves || (b->insn[n].op == IR_PUT && b->insn[n].a == m->sp);
                stores = stores || b->insn[n].op == IR_STORE;
            }
        }
    }
    /* What is read and pushed is a local like any other. */
    map_set(&abi->pops, site, moves && !stores);
    return moves && !stores;
}
