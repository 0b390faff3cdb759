/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The debugger on compiled programs: argv[1] is one version of input.c, argv[2] the other. What is asserted
 * is what C says the functions do, whatever instructions they became. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/private.h"
#include "test.h"

static struct program *programs[2];
static struct match *matched;

struct run {
    struct debug_session *s;
    struct debuggee *d;
    struct buf out;
};

static struct run begin(const char *function, const char *init_text, struct debuggee_options opt)
{
    struct error err = {0};
    struct debug_init *init = init_text ? debug_init_parse("init", init_text, strlen(init_text), &err) : NULL;
    if (init_text && !init)
        fail_msg("%s", err.text);
    struct debuggee *d = debuggee_new(programs[0], "", function, init, &opt, &err);
    debug_init_free(init);
    if (!d)
        fail_msg("%s", err.text);
    struct debug_session_options so = {.max_steps = 1000000};
    return (struct run){.s = debug_session_new(d, NULL, NULL, &so), .d = d};
}

static struct run begin_pair(const char *function)
{
    struct error err = {0};
    struct debuggee *d[2];
    for (int i = 0; i < 2; i++)
        if (!(d[i] = debuggee_new(programs[i], i ? "new" : "old", function, NULL,
                                  &(struct debuggee_options){0}, &err)))
            fail_msg("%s", err.text);
    struct debug_session_options so = {.max_steps = 1000000};
    return (struct run){.s = debug_session_new(d[0], d[1], matched, &so), .d = d[0]};
}

static void end(struct run *r)
{
    debug_session_free(r->s);
    buf_free(&r->out);
}

static const char *command(struct run *r, const char *line)
{
    struct error err = {0};
    buf_clear(&r->out);
    if (debug_session_command(r->s, line, &r->out, &err) == DEBUG_BAD)
        fail_msg("'%s': %s", line, err.text);
    return buf_text(&r->out);
}

static void says(struct run *r, const char *line, const char *wanted)
{
    const char *got = command(r, line);
    if (!strstr(got, wanted))
        fail_msg("'%s' says\n%s\nnot '%s'", line, got, wanted);
}

static void refused(struct run *r, const char *line, const char *wanted)
{
    struct error err = {0};
    buf_clear(&r->out);
    if (debug_session_command(r->s, line, &r->out, &err) != DEBUG_BAD)
        fail_msg("'%s' is not refused: %s", line, buf_text(&r->out));
    if (!strstr(err.text, wanted))
        fail_msg("'%s' says '%s', not '%s'", line, err.text, wanted);
}

/* Sets argument i as the calling convention has it. */
static void argument(struct run *r, unsigned i, uint64_t value)
{
    for (unsigned k = 0; k < r->s->nsides; k++) {
        struct debuggee *d = r->s->side[k].d;
        const struct ir_machine *m = d->m;
        if (i < m->nargs) {
            debuggee_put(d, m->arg[i], m->pointer_width, bits_u64(value, m->pointer_width));
        } else {
            uint8_t bytes[8];
            bits_to_bytes(bits_u64(value, 64), bytes, 8);
            debuggee_poke(d, debuggee_word(d, m->sp) + m->stack_arg + (i - m->nargs) * m->pointer_width / 8,
                          bytes, m->pointer_width / 8);
        }
    }
}

static uint64_t low32(const struct debuggee *d)
{
    return debuggee_word(d, d->m->ret) & UINT32_MAX;
}

/* Everything a run can change, to compare. */
struct snapshot {
    uint8_t *regs;
    ir_label at;
    uint32_t n;
    size_t frames, known;
    uint64_t heap, memory;
};

static struct snapshot snapshot(const struct debuggee *d)
{
    struct snapshot s = {.regs = xmalloc(d->m->file_size),
                         .at = d->at,
                         .n = d->block ? d->n - d->first : 0,
                         .frames = d->frame.len,
                         .heap = d->heap};
    memcpy(s.regs, concrete_registers(d->c), d->m->file_size);
    uint64_t page, bits;
    for (size_t i = 0; (i = map_next(&d->known, i, &page, &bits));)
        for (unsigned k = 0; k < 256; k++) {
            uint8_t byte;
            bool known;
            if (!(((const uint8_t *)(uintptr_t)bits)[k / 8] >> (k % 8) & 1))
                continue;
            debuggee_peek(d, page << 8 | k, &byte, 1, &known);
            s.known++;
            s.memory += hash_u64((page << 8 | k) * 257 + byte); /* whatever order the map has */
        }
    return s;
}

static void assert_same(const struct snapshot *a, const struct snapshot *b, const struct debuggee *d)
{
    assert_int_equal(a->at, b->at);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->frames, b->frames);
    assert_int_equal(a->heap, b->heap);
    assert_int_equal(a->known, b->known);
    assert_int_equal(a->memory, b->memory);
    assert_memory_equal(a->regs, b->regs, d->m->file_size);
}

/* ---- tests ---- */

static void test_returns(void **state)
{
    (void)state;
    struct run r = begin("fact", NULL, (struct debuggee_options){0});
    argument(&r, 0, 6);
    says(&r, "c", "the function returned");
    assert_int_equal(low32(r.d), 720);
    says(&r, "c", "the function returned");
    end(&r);
}

static void test_init_file(void **state)
{
    (void)state;
    static const char *const regs[] = {[MACHINE_AMD64] = "\"RDI\": \"0x50000\", \"ESI\": \"0x3\"",
                                       [MACHINE_ARM] = "\"R0\": \"0x50000\", \"R1\": \"0x3\"",
                                       [MACHINE_ARM64] = "\"X0\": \"0x50000\", \"W1\": \"0x3\"",
                                       [MACHINE_X86] = "\"ESP\": \"0x60000\""};
    char text[512];
    const struct ir_machine *m = program_machine(programs[0]);
    snprintf(text, sizeof text,
             "{\"schema\":1,\"arch\":\"%s\",\"function\":\"sum\",\"registers\":{%s},\"memory\":["
             "{\"address\":\"0x50000\",\"bytes\":\"010000000200000004000000\"},"
             "{\"address\":\"0x60000\",\"bytes\":\"78563412000005000300000000000000\"}]}",
             m->name, regs[m->arch]);
    struct run r = begin(NULL, text, (struct debuggee_options){0});
    const char *got = command(&r, "c");
    if (strstr(got, "uninitialised"))
        fail_msg("%s", got);
    assert_int_equal(low32(r.d), 7);
    if (m->arch == MACHINE_X86) /* the return address is the one in the file */
        assert_int_equal(r.d->at, 0x12345678);
    end(&r);
}

/* Forwards and backwards by each unit: every state on the way back is the one that was there on the way. */
static void there_and_back(const char *function, uint64_t x, const char *unit, unsigned max)
{
    struct run r = begin(function, NULL, (struct debuggee_options){0});
    argument(&r, 0, x);
    VEC(struct snapshot) seen = VEC_INIT;
    char back[32];
    snprintf(back, sizeof back, "-%s", unit);
    vec_push(&seen, snapshot(r.d));
    while (r.d->state == DEBUGGEE_READY && seen.len < max) {
        command(&r, unit);
        vec_push(&seen, snapshot(r.d));
    }
    assert_true(seen.len > 3);
    for (size_t i = seen.len - 1; i-- > 0;) {
        const char *got = command(&r, back);
        if (strstr(got, "at the start"))
            fail_msg("at the start %zu %ss too early", i, unit);
        struct snapshot now = snapshot(r.d);
        assert_same(&seen.data[i], &now, r.d);
        free(now.regs);
    }
    says(&r, back, "at the start");
    /* And there again. */
    for (size_t i = 1; i < seen.len; i++)
        command(&r, unit);
    struct snapshot now = snapshot(r.d);
    assert_same(&seen.data[seen.len - 1], &now, r.d);
    free(now.regs);
    for (size_t i = 0; i < seen.len; i++)
        free(seen.data[i].regs);
    vec_free(&seen);
    end(&r);
}

static void test_there_and_back(void **state)
{
    (void)state;
    there_and_back("outer", 3, "step", 2000);
    there_and_back("outer", 3, "stmt", 2000);
    there_and_back("fact", 4, "step", 2000);
    there_and_back("fact", 4, "stmt", 300);
    there_and_back("copy", 0x700, "step", 2000); /* a null pointer for strlen: ends in a fault */
}

static void test_library(void **state)
{
    (void)state;
    struct run r = begin("copy", NULL, (struct debuggee_options){0});
    argument(&r, 0, 0x50000);
    command(&r, "set 0x50000 = \"hello\\0\"");
    says(&r, "break memcpy", "memcpy");
    says(&r, "c", "breakpoint 1, memcpy");
    says(&r, "bt", "in memcpy");
    if (r.d->frame.len > 1) /* it may be a tail call */
        says(&r, "bt", "in copy");
    says(&r, "p/d arg2", "arg2 = 6");
    says(&r, "p/s arg1", "\"hello\"");
    struct snapshot before = snapshot(r.d);
    says(&r, "c", "the function returned");
    says(&r, "x/s ret", "\"hello\"");
    says(&r, "-c", "breakpoint 1, memcpy");
    struct snapshot now = snapshot(r.d);
    assert_same(&before, &now, r.d);
    free(before.regs);
    free(now.regs);
    command(&r, "delete");
    says(&r, "restart", "at the start");
    assert_int_equal(r.d->steps, 0);
    end(&r);

    r = begin("password", NULL, (struct debuggee_options){0});
    argument(&r, 0, 0x50000);
    command(&r, "set 0x50000 = \"secret\\0\"");
    command(&r, "c");
    assert_int_equal(low32(r.d), 1);
    command(&r, "restart");
    command(&r, "set 0x50003 = 0x58");
    command(&r, "c");
    assert_int_equal(low32(r.d), 0);
    end(&r);
}

static void test_unknown_call(void **state)
{
    (void)state;
    struct run r = begin("asks", NULL, (struct debuggee_options){0});
    argument(&r, 0, 77);
    says(&r, "c", "stopped: ask is not in the file and has no model");
    says(&r, "p/d arg0", "= 77");
    says(&r, "step", "ask is not in the file");
    says(&r, "return 41", "asks");
    says(&r, "c", "returned");
    assert_int_equal(low32(r.d), 42);
    /* Back to before the answer, and another one. */
    while (r.d->state != DEBUGGEE_CALL)
        command(&r, "-step");
    command(&r, "return 0x10");
    command(&r, "c");
    assert_int_equal(low32(r.d), 0x11);
    refused(&r, "return 1", "nothing is waiting");
    end(&r);

    r = begin("asks", NULL, (struct debuggee_options){.zero_calls = true});
    argument(&r, 0, 77);
    says(&r, "c", "ask has no model: assumed to return 0");
    assert_int_equal(low32(r.d), 1);
    end(&r);

    r = begin("never", NULL, (struct debuggee_options){0});
    argument(&r, 0, 1);
    says(&r, "c", "the run is over: abort never returns");
    command(&r, "restart");
    argument(&r, 0, 0);
    says(&r, "c", "returned");
    assert_int_equal(low32(r.d), 1);
    end(&r);
}

static void test_memory_rules(void **state)
{
    (void)state;
    struct run r = begin("deref", NULL, (struct debuggee_options){0});
    argument(&r, 0, 0);
    says(&r, "c", "fault: reads 4 bytes at 0x0, in the first page: a null pointer");
    says(&r, "c", "fault:");
    says(&r, "-step", "=>");
    command(&r, "restart");
    argument(&r, 0, 0x50000);
    says(&r, "c", "4 uninitialised bytes at 0x50000, read by deref");
    assert_int_equal(low32(r.d), 1);
    /* Read once is not written: it is named again. */
    command(&r, "restart");
    argument(&r, 0, 0x50000);
    says(&r, "c", "uninitialised bytes at 0x50000");
    command(&r, "restart");
    argument(&r, 0, 0x50000);
    command(&r, "set mem32[0x50000] = 8");
    assert_null(strstr(command(&r, "c"), "uninitialised"));
    assert_int_equal(low32(r.d), 9);
    end(&r);

    r = begin("deref", NULL, (struct debuggee_options){.stop_uninitialised = true});
    argument(&r, 0, 0x50000);
    says(&r, "c", "stopped: about to read 4 uninitialised bytes at 0x50000");
    command(&r, "set mem32[0x50000] = 4");
    says(&r, "c", "returned");
    assert_int_equal(low32(r.d), 5);
    command(&r, "-c");
    argument(&r, 0, 0x60000);
    says(&r, "c", "stopped: about to read 4 uninitialised bytes at 0x60000");
    says(&r, "c", "returned");
    end(&r);

    r = begin("overwrite", NULL, (struct debuggee_options){0});
    char line[64];
    uint64_t code = r.d->at;
    argument(&r, 0, debuggee_address(r.d, code));
    snprintf(line, sizeof line, "0x%llx, which the file maps read-only",
             (unsigned long long)debuggee_address(r.d, code));
    says(&r, "c", line);
    end(&r);
}

/* A stack protector's guard is memory of the thread, which has no value either: no fault, and one note. */
static void test_thread_memory(void **state)
{
    (void)state;
    static const char *const pointer[] = {[MACHINE_AMD64] = "fs_base",
                                          [MACHINE_X86] = "gs_base",
                                          [MACHINE_ARM] = "tpidruro",
                                          [MACHINE_ARM64] = "tpidr_el0"};
    struct run r = begin("sum", NULL, (struct debuggee_options){0});
    uint16_t offset, width;
    assert_true(machine_register_find(r.d->m, pointer[r.d->m->arch], &offset, &width));
    uint64_t guard = debuggee_word(r.d, offset) + 0x28;
    assert_true(guard > 0x1000);
    argument(&r, 0, guard);
    argument(&r, 1, 1);
    const char *got = command(&r, "c"), *note = strstr(got, "uninitialised");
    assert_non_null(note);
    assert_null(strstr(note + 1, "uninitialised"));
    end(&r);
}

static void test_moves(void **state)
{
    (void)state;
    struct run r = begin("outer", NULL, (struct debuggee_options){0});
    argument(&r, 0, 3);
    says(&r, "tbreak inner", "breakpoint 1 at");
    says(&r, "c", "breakpoint 1, inner");
    assert_int_equal(r.d->frame.len, 2);
    says(&r, "bt", "#1 ");
    says(&r, "finish", "outer+");
    assert_int_equal(low32(r.d), 8);
    assert_int_equal(r.d->frame.len, 1);
    ir_label after_first = r.d->at;
    says(&r, "breaks", "none");
    /* Over the second call, and back over both. */
    while (low32(r.d) != 12)
        command(&r, "next"), assert_int_equal(r.d->frame.len, 1);
    while (r.d->at != after_first)
        command(&r, "-next"), assert_int_equal(r.d->frame.len, 1);
    command(&r, "-step");
    assert_int_equal(r.d->frame.len, 2);
    command(&r, "-finish");
    assert_int_equal(r.d->frame.len, 1);
    says(&r, "where", "=> 0x");
    command(&r, "-c");
    assert_int_equal(r.d->steps, 0);
    command(&r, "c");
    assert_int_equal(low32(r.d), 812);
    end(&r);
}

static void test_blocks(void **state)
{
    (void)state;
    struct run r = begin("sum", NULL, (struct debuggee_options){0});
    argument(&r, 0, 0x50000);
    argument(&r, 1, 3);
    command(&r, "set 0x50000 = hex:010000000200000003000000");
    unsigned n = 0;
    while (r.d->state == DEBUGGEE_READY && n < 100) {
        command(&r, "block");
        assert_true(r.d->state != DEBUGGEE_READY || move_is_leader(&r.s->side[0], debuggee_address(r.d, r.d->at)));
        n++;
    }
    assert_int_equal(low32(r.d), 6);
    assert_true(n >= 2);
    while (n--)
        command(&r, "-block");
    assert_int_equal(r.d->steps, 0);
    end(&r);
}

static void test_stop_points(void **state)
{
    (void)state;
    struct run r = begin("outer", NULL, (struct debuggee_options){0});
    argument(&r, 0, 3);
    says(&r, "watch mem32[counter]", "watchpoint 1: mem32[counter]");
    says(&r, "c", "watchpoint 1: mem32[counter] was 0x5, is 0x8");
    says(&r, "c", "watchpoint 1: mem32[counter] was 0x8, is 0xc");
    says(&r, "-c", "watchpoint 1: mem32[counter] was 0xc, is 0x8");
    says(&r, "breaks", "3 times");
    command(&r, "delete 1");
    refused(&r, "delete 1", "no stop point 1");
    command(&r, "restart");
    argument(&r, 0, 3);
    says(&r, "break inner if mem32[counter] > 5", "breakpoint 2 at");
    says(&r, "c", "breakpoint 2, inner");
    says(&r, "p/d mem32[counter]", "= 8");
    command(&r, "delete");
    command(&r, "restart");
    argument(&r, 0, 3);
    says(&r, "break if mem32[counter] == 12", "breakpoint 3 if");
    says(&r, "c", "holds");
    says(&r, "p/d mem32[counter]", "= 12");
    command(&r, "delete");
    command(&r, "restart");
    argument(&r, 0, 3);
    says(&r, "awatch counter 4", "watchpoint 4: 4 bytes");
    says(&r, "c", "4 bytes at");
    says(&r, "rwatch counter+1", "watchpoint 5");
    refused(&r, "break nowhere", "neither a register nor a symbol");
    refused(&r, "break 0x10", "no code at 0x10");
    refused(&r, "break", "where?");
    refused(&r, "break outer if (1", "')' is missing");
    refused(&r, "watch", "missing");
    end(&r);
}

static void test_expressions(void **state)
{
    (void)state;
    struct run r = begin("outer", NULL, (struct debuggee_options){0});
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"0x10 >> 2", 4},
        {"-16 >>s 2", (uint64_t)-4},
        {"1 << 64", 0},
        {"5 / 0", 0},
        {"-7 /s 2", (uint64_t)-3},
        {"7 % 4", 3},
        {"-1 <s 0", 1},
        {"-1 < 0", 0},
        {"1 == 1 && 2 != 3", 1},
        {"0 || 0", 0},
        {"6 & 3 | 8 ^ 1", 11},
        {"!5", 0},
        {"~0", UINT64_MAX},
        {"'a'", 97},
        {"mem32[counter] + 1", 6},
        {"mem8[limits + 4]", 20},
        {"mem32[limits+4] == -(-20)", 1},
        {"-0x8000000000000000 /s -1", UINT64_C(0x8000000000000000)},
        {"1<=1", 1},
        {"2>=s -1", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128], wanted[64];
        snprintf(line, sizeof line, "p/u %s", cases[i].text);
        snprintf(wanted, sizeof wanted, "= %llu\n", (unsigned long long)cases[i].value);
        says(&r, line, wanted);
    }
    command(&r, "set mem32[0x50000] = -5");
    says(&r, "p/d mem32[0x50000]", "= -5");
    says(&r, "p/u mem32[0x50000] == -5", "= 1");
    says(&r, "p/u mem32[0x50000] <s 3", "= 1");
    says(&r, "x/dw 0x50000", "0x50000: -5");
    says(&r, "x/2xb 0x50003", "0xff ????");
    says(&r, "x/s 0x50004", "(then uninitialised)");
    says(&r, "p 0x50000 2", "0x50000: 0xfb 0xff");
    says(&r, "x/2i outer", "0x");
    refused(&r, "p 1 +", "a value is missing");
    refused(&r, "p (1", "')' is missing");
    refused(&r, "p 0x1g", "not a number at column 1");
    refused(&r, "p 18446744073709551616", "64 bits");
    refused(&r, "p nosuch", "'nosuch' is neither a register nor a symbol at column 1");
    refused(&r, "p $nosuch", "has no register 'nosuch'");
    refused(&r, "p ''", "unterminated quoted name");
    refused(&r, "x/0x 5", "count");
    refused(&r, "x/4q 5", "letters");
    refused(&r, "set 5", "set REGISTER = VALUE");
    refused(&r, "set 0x50000 = \"abc", "end with a quote");
    refused(&r, "set 0x50000 = hex:1", "two digits");
    refused(&r, "set mem7[0] = 1", "mem8");
    refused(&r, "step x", "not a count");
    refused(&r, "step 0", "not a count");
    refused(&r, "frobnicate", "unknown command 'frobnicate'; 'h' lists the commands");
    refused(&r, "diff", "only one program");
    refused(&r, "s/x", "unknown command");
    char deep[300];
    memset(deep, '(', sizeof deep);
    memcpy(deep, "p ", 2);
    deep[299] = 0;
    refused(&r, deep, "nested too deeply");
    says(&r, "h", "one instruction, into calls");
    says(&r, "help watch", "stop when the value changes");
    command(&r, "# nothing");
    end(&r);
}

static void test_registers_and_flags(void **state)
{
    (void)state;
    struct run r = begin("fact", NULL, (struct debuggee_options){0});
    static const char *const names[] = {
        [MACHINE_AMD64] = "rcx", [MACHINE_X86] = "ecx", [MACHINE_ARM] = "r2", [MACHINE_ARM64] = "x2"};
    const char *reg = names[r.d->m->arch];
    char line[64];
    says(&r, "regs", reg);
    snprintf(line, sizeof line, "set %s = 0x1234", reg);
    command(&r, line);
    snprintf(line, sizeof line, "* %s", reg);
    says(&r, "regs", line);
    assert_null(strstr(command(&r, "regs"), "* "));
    for (int i = 0; i < 4; i++) {
        command(&r, i & 1 ? "set cf = 1" : "set cf = 0");
        command(&r, i & 2 ? "set zf = 1" : "set zf = 0");
        says(&r, "p/u cf", i & 1 ? "= 1" : "= 0");
        says(&r, "p/u zf", i & 2 ? "= 1" : "= 0");
    }
    snprintf(line, sizeof line, "p %s", reg);
    says(&r, line, "0x1234");
    says(&r, "all", reg);
    says(&r, "show 2", "|");
    says(&r, "dis 3", "=>");
    says(&r, "ir", "->");
    says(&r, "list 1", "if (n < 2)");
    refused(&r, "set pc_ = 1", "neither");
    end(&r);
}

static void test_limits(void **state)
{
    (void)state;
    struct run r = begin("forever", NULL, (struct debuggee_options){.history = 1 << 16});
    r.s->opt.max_steps = 20000;
    says(&r, "c", "stopped after 20000 instructions");
    says(&r, "-c", "the start is no longer in the history");
    volatile int stop = 1;
    r.s->opt.interrupt = &stop;
    r.s->opt.max_steps = 0;
    says(&r, "c", "interrupted");
    end(&r);
}

/* Code that is written is run as written, and as it was before when that is taken back. */
static void test_changed_code(void **state)
{
    (void)state;
    struct run r = begin("fact", NULL, (struct debuggee_options){0});
    argument(&r, 0, 1);
    if (r.d->m->arch != MACHINE_AMD64) {
        end(&r);
        return;
    }
    command(&r, "set fact = hex:b807000000c3"); /* mov eax, 7; ret */
    says(&r, "where", "mov eax, 7");
    command(&r, "c");
    assert_int_equal(low32(r.d), 7);
    end(&r);
}

/* ---- two versions ---- */

static void two_versions(const char *function, uint64_t x, const char *wanted, enum debug_verdict verdict)
{
    struct run r = begin_pair(function);
    argument(&r, 0, x);
    says(&r, "continue", wanted);
    assert_int_equal(debug_session_verdict(r.s), verdict);
    command(&r, "diff");
    command(&r, "where");
    end(&r);
}

static void test_two_versions(void **state)
{
    (void)state;
    two_versions("same", 2, "no difference", DEBUG_SAME);
    two_versions("fact", 5, "no difference", DEBUG_SAME);
    two_versions("outer", 5, "no difference", DEBUG_SAME);
    two_versions("result", 50, "no difference", DEBUG_SAME);
    two_versions("writes", 6, "no difference", DEBUG_SAME);
    two_versions("writes", 7, "difference: ", DEBUG_DIFFERENT);
    two_versions("argument", 3, "difference: argument 0 of ask: old 0x3, new 0x4", DEBUG_DIFFERENT);
    two_versions("argument", 4, "stopped: ask is not in the file", DEBUG_NO_VERDICT);
}

/* What belongs to the caller is compared wherever it is: on the stack above, or near it. */
static void test_callers_memory(void **state)
{
    (void)state;
    for (int where = 0; where < 3; where++)
        for (int x = 8; x < 10; x++) {
            struct run r = begin_pair("through");
            uint64_t sp = r.d->entry_sp, at[] = {sp + 0x100, sp - 0x4000, 0x50000};
            argument(&r, 0, at[where]);
            argument(&r, 1, (uint64_t)x);
            command(&r, "compare memory");
            says(&r, "c", x == 9 ? "difference: memory at 0x" : "no difference");
            end(&r);
        }
}

/* Which kinds of difference stop is the user's choice. */
static void test_compare(void **state)
{
    (void)state;
    struct run r = begin_pair("process_message");
    argument(&r, 0, 42);
    command(&r, "compare calls,result");
    says(&r, "c", "log_event is not in the file");
    command(&r, "return 0");
    says(&r, "c", "difference: old ends (returned), new calls reset_position");
    says(&r, "old bt", "old: #0");
    assert_int_equal(debug_session_verdict(r.s), DEBUG_DIFFERENT);
    end(&r);

    r = begin_pair("result");
    argument(&r, 0, 200);
    command(&r, "compare result");
    says(&r, "c", "difference: old returns 0x64, new 0x63");
    says(&r, "diff", "old 0x64, new 0x63");
    end(&r);

    r = begin_pair("writes");
    argument(&r, 0, 7);
    command(&r, "compare memory");
    says(&r, "c", "(limits+0x8)");
    says(&r, "diff", "old 1e, new 00 by writes+");
    refused(&r, "compare nothing", "words of");
    refused(&r, "compare", "words of");
    end(&r);

    r = begin_pair("outer");
    argument(&r, 0, 1);
    says(&r, "break inner", "new: breakpoint 1");
    says(&r, "c", "breakpoint 1, inner");
    command(&r, "old delete");
    says(&r, "old breaks", "old: none");
    command(&r, "side new");
    assert_null(strstr(command(&r, "where"), "old:"));
    command(&r, "side both");
    refused(&r, "side left", "old, new or both");
    command(&r, "delete");
    says(&r, "c", "no difference");
    end(&r);
}

/* Random commands, some of them nonsense, never do harm. */
static void test_nonsense(void **state)
{
    (void)state;
    static const char *const words[] = {
        "s",
        "n",
        "st",
        "bl",
        "c",
        "-s",
        "-n",
        "-st",
        "-bl",
        "-c",
        "fin",
        "-fin",
        "return 1",
        "jump fact",
        "jump 0",
        "jump 0x50001",
        "skip",
        "set mem64[sum] = -1",
        "set mem8[0xffffffffffffffff] = 1",
        "x/8xg -8",
        "x/4i -1",
        "x/9i 0",
        "x/s -3",
        "watch counter",
        "break sum",
        "awatch 0 -1",
        "awatch 0 0x7fffffff",
        "delete",
        "bt",
        "regs",
        "show 3",
        "dis",
        "ir",
        "set zf=1",
        "restart",
        "u outer",
        "p/t -1",
        "p -1 9",
        "set counter = \"\\xff\\xff\"",
        "old s",
        "new c",
        "diff",
        "both",
        "compare path",
        "all",
        "list 100",
        "break if zf",
        "tbreak if cf",
        "info",
    };
    uint64_t seed = 3;
    struct error err;
    for (int two = 0; two < 2; two++)
        for (int k = 0; k < 30; k++) {
            struct run r =
                two ? begin_pair("outer")
                    : begin(k & 1 ? "copy" : "outer", NULL,
                            (struct debuggee_options){.zero_calls = k & 2, .stop_uninitialised = k & 4});
            r.s->opt.max_steps = 300;
            argument(&r, 0, test_random(&seed));
            for (int i = 0; i < 25; i++) {
                buf_clear(&r.out);
                debug_session_command(r.s, words[test_random(&seed) % (sizeof words / sizeof *words)], &r.out,
                                      &err);
            }
            end(&r);
        }
}

/* Neither do words put together at random. */
static void test_word_soup(void **state)
{
    (void)state;
    static const char *const words[] = {
        "p",     "p/x",    "x/",      "x/4xg",  "x/9s",    "set",         "break", "tbreak",
        "watch", "awatch", "rwatch",  "if",     "(",       ")",           "[",     "]",
        "mem8[", "mem64[", "mem",     "rax",    "r0",      "x0",          "sp",    "$",
        "%",     "&",      "'",       "\"",     "\\x",     "=",           "==",    "<s",
        ">>s",   "+",      "-",       "*",      "/",       "/s",          "0x",    "0xffffffffffffffff",
        "1",     "-1",     "outer",   "ask",    "zf",      "ret",         "arg0",  "arg99",
        "old",   "new",    "side",    "both",   "compare", "path,",       "diff",  "return",
        "jump",  "until",  "show",    "always", "list",    "delete",      "hex:",  "hex:00",
        "~",     "!",      "||",      "^",      "step",    "99999999999", "h",     "ymm0",
        "v0",    "d0",     "counter", "limits", "\x01",    "\xff",        "s 3",   "-s",
        "c",     "st",
    };
    uint64_t seed = 9;
    for (int two = 0; two < 2; two++) {
        struct run r = two ? begin_pair("outer") : begin("outer", NULL, (struct debuggee_options){0});
        r.s->opt.max_steps = 100;
        for (int k = 0; k < 1500; k++) {
            char line[512] = "";
            for (unsigned i = 0; i <= test_random(&seed) % 5; i++) {
                strcat(line, words[test_random(&seed) % (sizeof words / sizeof *words)]);
                strcat(line, test_random(&seed) % 3 ? " " : "");
            }
            struct error err = {0};
            buf_clear(&r.out);
            enum debug_reply reply = debug_session_command(r.s, line, &r.out, &err);
            assert_true((reply == DEBUG_BAD) == (err.text[0] != 0));
        }
        end(&r);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_returns),        cmocka_unit_test(test_init_file),
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_library),
        cmocka_unit_test(test_unknown_call),   cmocka_unit_test(test_memory_rules),
        cmocka_unit_test(test_thread_memory),  cmocka_unit_test(test_moves),
        cmocka_unit_test(test_blocks),         cmocka_unit_test(test_stop_points),
        cmocka_unit_test(test_expressions),    cmocka_unit_test(test_registers_and_flags),
        cmocka_unit_test(test_limits),         cmocka_unit_test(test_changed_code),
        cmocka_unit_test(test_two_versions),   cmocka_unit_test(test_callers_memory),
        cmocka_unit_test(test_compare),        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_word_soup),
    };
    struct error err = {0};
    if (argc != 3)
        return 2;
    for (int i = 0; i < 2; i++)
        if (!(programs[i] = program_open(argv[i + 1], &(struct program_options){0}, &err))) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
    matched = match_programs(programs[0], programs[1], &(struct match_options){0}, &err);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    match_free(matched);
    program_free(programs[0]);
    program_free(programs[1]);
    return failed;
}
