/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/java/check.h"

#include <stdlib.h>
#include <string.h>

#include "lift/java/opcode.h"

enum { UNUSABLE = '.' }; /* a local that holds nothing that can be read */

struct checker {
    const struct java_method *m;
    struct java_checked *out;
    uint8_t *begins; /* by pc: an instruction does */
    char **local;    /* by pc: kinds of locals before it; NULL: not come here yet */
    VEC(uint32_t) todo;
    char *now_local; /* of the instruction being looked at */
    char now[65536 + 8];
    uint32_t depth;
    uint32_t pc;
    bool subroutines; /* there are jsr: locals are taken for what instructions say */
};

static bool wrong(struct checker *c, const char *why)
{
    if (!c->out->why) {
        c->out->why = why;
        c->out->why_pc = c->pc;
    }
    return false;
}

static void push(struct checker *c, char kind)
{
    if (c->depth + 1u + (kind == 'J' || kind == 'D') > c->m->max_stack) {
        wrong(c, "the operand stack is too small");
        return;
    }
    c->now[c->depth++] = kind;
    if (kind == 'J' || kind == 'D')
        c->now[c->depth++] = '2';
}

/* One word of whatever it is. */
static char pop_word(struct checker *c)
{
    if (!c->depth) {
        wrong(c, "the operand stack is empty");
        return 'I';
    }
    return c->now[--c->depth];
}

static void pop(struct checker *c, char kind)
{
    bool wide = kind == 'J' || kind == 'D';
    if (wide && pop_word(c) != '2')
        wrong(c, "an operand is of another kind");
    char found = pop_word(c);
    if (found != kind)
        wrong(c, "an operand is of another kind");
}

static char kind_of(char type)
{
    switch (type) {
    case 'J':
    case 'F':
    case 'D':
        return type;
    case 'L':
    case '[':
        return 'A';
    }
    return 'I';
}

static void apply(struct checker *c, const char *effect)
{
    const char *to = strchr(effect, '>');
    for (const char *p = to; p-- > effect;)
        pop(c, *p);
    for (const char *p = to + 1; *p; p++)
        push(c, *p);
}

/* ---- where control goes ---- */

static void flow(struct checker *c, int64_t to)
{
    uint32_t locals = c->m->max_locals;
    if (to < 0 || to >= c->m->ncode || !c->begins[to]) {
        wrong(c, "a jump leads to no instruction");
        return;
    }
    struct java_checked *o = c->out;
    if (!c->local[to]) {
        o->stack[to] = arena_strndup(&o->arena, c->now, c->depth);
        c->local[to] = arena_dup(&o->arena, c->now_local, locals + 1);
        vec_push(&c->todo, (uint32_t)to);
        return;
    }
    if (strlen(o->stack[to]) != c->depth || memcmp(o->stack[to], c->now, c->depth) != 0) {
        wrong(c, "the operand stack differs where ways join");
        return;
    }
    bool changed = false;
    for (uint32_t i = 0; i < locals; i++)
        if (c->local[to][i] != c->now_local[i] && c->local[to][i] != UNUSABLE) {
            c->local[to][i] = UNUSABLE;
            changed = true;
        }
    if (changed)
        vec_push(&c->todo, (uint32_t)to);
}

static void lead(struct checker *c, int64_t to)
{
    flow(c, to);
    if (to >= 0 && to < c->m->ncode)
        c->out->leader[to] = true;
}

/* Handlers see the locals as they are before and after the instruction, and the object alone. */
static void to_handlers(struct checker *c)
{
    char first = c->now[0];
    uint32_t depth = c->depth;
    for (unsigned i = 0; i < c->m->nhandlers; i++) {
        const struct java_handler *h = &c->m->handler[i];
        if (c->pc < h->start || c->pc >= h->end)
            continue;
        c->depth = 1;
        c->now[0] = 'A';
        if (c->m->max_stack < 1)
            wrong(c, "the operand stack is too small");
        lead(c, h->at);
    }
    c->depth = depth;
    c->now[0] = first;
}

/* ---- instructions ---- */

static void local_get(struct checker *c, uint32_t n, char kind)
{
    bool wide = kind == 'J' || kind == 'D';
    if (n + wide >= c->m->max_locals)
        wrong(c, "a local is out of bounds");
    else if (!c->subroutines && (c->now_local[n] != kind || (wide && c->now_local[n + 1] != '2')))
        wrong(c, "a local is of another kind");
    push(c, kind);
}

static void local_set(struct checker *c, uint32_t n, char kind)
{
    bool wide = kind == 'J' || kind == 'D';
    char top = c->depth ? c->now[c->depth - 1] : 0;
    if (kind == 'A' && top == 'R')
        kind = 'R';
    pop(c, kind);
    if (n + wide >= c->m->max_locals) {
        wrong(c, "a local is out of bounds");
        return;
    }
    if (c->now_local[n] == '2' && n > 0)
        c->now_local[n - 1] = UNUSABLE;
    if (n + wide + 1u < c->m->max_locals && c->now_local[n + wide + 1] == '2')
        c->now_local[n + wide + 1] = UNUSABLE;
    c->now_local[n] = kind;
    if (wide)
        c->now_local[n + 1] = '2';
}

static void stack_op(struct checker *c, unsigned op)
{
    /* by words; a value of two words may not be torn */
    static const struct {
        uint8_t words;
        const char *order; /* what is there afterwards, by place from the bottom */
    } how[] = {{1, ""},     {2, ""},      {1, "00"},     {2, "101"}, {3, "2012"},
               {2, "0101"}, {3, "12012"}, {4, "230123"}, {2, "10"}};
    char w[4];
    unsigned n = how[op - J_POP].words;
    if (c->depth < n) {
        wrong(c, "the operand stack is empty");
        return;
    }
    c->depth -= n;
    memcpy(w, c->now + c->depth, n);
    bool torn = w[0] == '2';
    for (const char *p = how[op - J_POP].order; *p && !torn; p++) {
        char kind = w[*p - '0'];
        if (c->depth >= c->m->max_stack) {
            wrong(c, "the operand stack is too small");
            return;
        }
        torn = (kind == '2') != (c->depth && (c->now[c->depth - 1] == 'J' || c->now[c->depth - 1] == 'D'));
        c->now[c->depth++] = kind;
    }
    if (c->depth && !torn)
        torn = c->now[c->depth - 1] == 'J' || c->now[c->depth - 1] == 'D';
    if (torn)
        wrong(c, "a value of two words is torn");
}

static void load_constant(struct checker *c, unsigned op)
{
    const uint8_t *p = c->m->code + c->pc;
    unsigned index = op == J_LDC ? p[1] : java_u16(p + 1);
    const struct java_class *k = c->m->owner;
    unsigned tag = index && index < k->ncp ? k->cp[index].tag : 0;
    char kind =
        tag == JAVA_CP_INTEGER  ? 'I'
        : tag == JAVA_CP_FLOAT  ? 'F'
        : tag == JAVA_CP_LONG   ? 'J'
        : tag == JAVA_CP_DOUBLE ? 'D'
        : tag == JAVA_CP_STRING || tag == JAVA_CP_CLASS || tag == JAVA_CP_HANDLE || tag == JAVA_CP_METHOD_TYPE
            ? 'A'
        : tag == JAVA_CP_DYNAMIC ? kind_of(k->cp[index].desc[0])
                                 : 0;
    if (!kind || (op == J_LDC2_W) != (kind == 'J' || kind == 'D'))
        wrong(c, "a constant is of no kind that can be loaded");
    else
        push(c, kind);
}

static void call_or_field(struct checker *c, unsigned op)
{
    const struct java_class *k = c->m->owner;
    unsigned index = java_u16(c->m->code + c->pc + 1);
    const struct java_cp *e;
    if (op <= J_PUTFIELD) {
        if (!(e = java_cp(k, index, JAVA_CP_FIELD))) {
            wrong(c, "a field is not in the constant pool");
            return;
        }
        char kind = kind_of(e->desc[0]);
        if (op == J_PUTSTATIC || op == J_PUTFIELD)
            pop(c, kind);
        if (op == J_GETFIELD || op == J_PUTFIELD)
            pop(c, 'A');
        if (op == J_GETSTATIC || op == J_GETFIELD)
            push(c, kind);
        return;
    }
    e = op == J_INVOKEDYNAMIC ? java_cp(k, index, JAVA_CP_INVOKE_DYNAMIC) : java_cp(k, index, JAVA_CP_METHOD);
    if (!e && op != J_INVOKEDYNAMIC && op != J_INVOKEVIRTUAL)
        e = java_cp(k, index, JAVA_CP_INTERFACE_METHOD);
    if (!e) {
        wrong(c, "a method is not in the constant pool");
        return;
    }
    char kinds[256];
    unsigned n = 0;
    const char *p = e->desc + 1;
    while (*p != ')' && n < sizeof kinds)
        kinds[n++] = kind_of(java_type(p, &p));
    while (n)
        pop(c, kinds[--n]);
    if (op != J_INVOKESTATIC && op != J_INVOKEDYNAMIC)
        pop(c, 'A');
    if (p[1] != 'V')
        push(c, kind_of(p[1]));
}

static void switch_op(struct checker *c)
{
    int32_t value;
    pop(c, 'I');
    for (uint32_t i = 0; i <= java_switch_cases(c->m, c->pc); i++)
        lead(c, java_switch_case(c->m, c->pc, i, &value));
}

static void returns(struct checker *c, unsigned op)
{
    static const char kinds[] = "IJFDA";
    char type = strchr(c->m->desc, ')')[1];
    char kind = type == 'V' ? 0 : kind_of(type), given = op == J_RETURN ? 0 : kinds[op - J_IRETURN];
    if (kind != given)
        wrong(c, "a return is of another kind than the method");
    if (given)
        pop(c, given);
}

/* One instruction; false: it does not go on to the next. */
static bool step(struct checker *c, unsigned op, uint32_t length)
{
    static const char kinds[] = "IJFDA";
    const uint8_t *p = c->m->code + c->pc;
    if (op == J_OWN) {
        apply(c, java_own_effect[p[1]]);
        return p[1] != OWN_UNKNOWN;
    }
    if (op == J_WIDE) {
        uint32_t n = java_u16(p + 2);
        if (p[1] >= J_ILOAD && p[1] <= J_ALOAD)
            local_get(c, n, kinds[p[1] - J_ILOAD]);
        else if (p[1] >= J_ISTORE && p[1] <= J_ASTORE)
            local_set(c, n, kinds[p[1] - J_ISTORE]);
        else if (n >= c->m->max_locals || (p[1] == J_IINC && !c->subroutines && c->now_local[n] != 'I'))
            wrong(c, "a local is of another kind");
        return p[1] != J_RET;
    }
    if (op >= J_ILOAD && op <= J_ALOAD) {
        local_get(c, p[1], kinds[op - J_ILOAD]);
    } else if (op >= J_ILOAD_0 && op < J_IALOAD) {
        local_get(c, (op - J_ILOAD_0) % 4, kinds[(op - J_ILOAD_0) / 4]);
    } else if (op >= J_ISTORE && op <= J_ASTORE) {
        local_set(c, p[1], kinds[op - J_ISTORE]);
    } else if (op >= J_ISTORE_0 && op < J_IASTORE) {
        local_set(c, (op - J_ISTORE_0) % 4, kinds[(op - J_ISTORE_0) / 4]);
    } else if (op >= J_POP && op <= J_SWAP) {
        stack_op(c, op);
    } else if (op >= J_LDC && op <= J_LDC2_W) {
        load_constant(c, op);
    } else if (op >= J_GETSTATIC && op <= J_INVOKEDYNAMIC) {
        call_or_field(c, op);
    } else if (op == J_TABLESWITCH || op == J_LOOKUPSWITCH) {
        switch_op(c);
        return false;
    } else if (op >= J_IRETURN && op <= J_RETURN) {
        returns(c, op);
        return false;
    } else if (op == J_MULTIANEWARRAY) {
        const struct java_cp *e = java_cp(c->m->owner, java_u16(p + 1), JAVA_CP_CLASS);
        if (!e || !p[3] || strspn(e->text, "[") < p[3])
            wrong(c, "an array has fewer dimensions than are given");
        for (unsigned i = 0; i < p[3]; i++)
            pop(c, 'I');
        push(c, 'A');
    } else if (op == J_RET || op == J_IINC) {
        if (p[1] >= c->m->max_locals || (op == J_IINC && !c->subroutines && c->now_local[p[1]] != 'I'))
            wrong(c, "a local is of another kind");
        return op != J_RET;
    } else {
        if ((op == J_NEW || op == J_ANEWARRAY || op == J_CHECKCAST || op == J_INSTANCEOF) &&
            !java_cp(c->m->owner, java_u16(p + 1), JAVA_CP_CLASS))
            wrong(c, "a class is not in the constant pool");
        if (op == J_NEWARRAY && (p[1] < 4 || p[1] > 11))
            wrong(c, "an array is of no type");
        apply(c, java_effect[op]);
    }
    bool wide = op == J_GOTO_W || op == J_JSR_W;
    if ((op >= J_IFEQ && op <= J_JSR) || op == J_IFNULL || op == J_IFNONNULL || wide)
        lead(c, (int64_t)c->pc + (wide ? java_s32(p + 1) : java_s16(p + 1)));
    if (op == J_JSR || op == J_JSR_W) {
        /* What is behind it is reached by ret, with the address off the stack. */
        c->depth--;
        for (size_t i = 0; i < c->out->subroutine.len; i++)
            if (c->out->subroutine.data[i] == c->pc + length)
                return true;
        vec_push(&c->out->subroutine, c->pc + length);
        return true;
    }
    return op != J_GOTO && op != J_GOTO_W && op != J_ATHROW;
}

static bool ends_block(unsigned op)
{
    return (op >= J_IFEQ && op <= J_RETURN) || op == J_ATHROW || (op >= J_IFNULL && op <= J_JSR_W);
}

static void entry(struct checker *c)
{
    uint32_t n = 0;
    memset(c->now_local, UNUSABLE, c->m->max_locals);
    if (!(c->m->flags & JAVA_STATIC))
        c->now_local[n++] = 'A';
    for (const char *p = c->m->desc + 1; *p != ')';) {
        char kind = kind_of(java_type(p, &p));
        c->now_local[n++] = kind;
        if (kind == 'J' || kind == 'D')
            c->now_local[n++] = '2';
    }
    c->depth = 0;
    lead(c, 0);
}

void java_check(const struct java_method *m, struct java_checked *out)
{
    *out = (struct java_checked){0};
    struct checker *c = xcalloc(1, sizeof *c);
    c->m = m;
    c->out = out;
    out->stack = arena_array(&out->arena, const char *, m->ncode + 1);
    out->leader = arena_array(&out->arena, bool, m->ncode + 1);
    c->begins = arena_array(&out->arena, uint8_t, m->ncode + 1);
    c->local = arena_array(&out->arena, char *, m->ncode + 1);
    c->now_local = arena_array(&out->arena, char, m->max_locals + 2u);
    for (uint32_t pc = 0, n; pc < m->ncode && !out->why; pc += n) {
        c->pc = pc;
        n = java_length(m, pc);
        if (!n || (m->code[pc] == J_OWN && m->owner->origin != NULL)) {
            wrong(c, "there is no such instruction");
            break;
        }
        c->begins[pc] = 1;
        c->subroutines = c->subroutines || m->code[pc] == J_JSR || m->code[pc] == J_JSR_W;
    }
    if (!out->why)
        entry(c);
    while (c->todo.len && !out->why) {
        c->pc = vec_pop(&c->todo);
        for (;;) {
            uint32_t length = java_length(m, c->pc);
            unsigned op = m->code[c->pc];
            c->depth = (uint32_t)strlen(out->stack[c->pc]);
            memcpy(c->now, out->stack[c->pc], c->depth);
            memcpy(c->now_local, c->local[c->pc], m->max_locals);
            to_handlers(c);
            bool on = step(c, op, length);
            if (out->why)
                break;
            to_handlers(c);
            if (!on || out->why)
                break;
            uint32_t next = c->pc + length;
            if (next >= m->ncode) {
                wrong(c, "the code runs past its end");
                break;
            }
            size_t waiting = c->todo.len;
            flow(c, next);
            if (ends_block(op))
                out->leader[next] = true;
            if (c->todo.len == waiting || out->why)
                break;
            c->pc = vec_pop(&c->todo);
        }
    }
    vec_free(&c->todo);
    free(c);
}

void java_checked_free(struct java_checked *c)
{
    vec_free(&c->subroutine);
    arena_free(&c->arena);
}
