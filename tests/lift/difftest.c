/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differential test of the lifter and the concrete interpreter against an independent processor.
 *
 *   difftest [-n COUNT] [-s SEED] [-l LENGTH] [-p PATTERN] [-r REGRESSIONS] [-k] [-N] ISA RUNNER...
 *
 * RUNNER... is the command that runs runner.c's program for the ISA (qemu-arm -cpu max ./runner-arm, say).
 * -k goes through the patterns in turn, -p uses one of them, -N says that RUNNER is a real processor and no emulator.
 * Every mismatch is printed as a line that goes into the regression file (without its first word). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libvex_basictypes.h>

#include <libvex_guest_amd64.h>
#include <libvex_guest_arm.h>
#include <libvex_guest_arm64.h>
#include <libvex_guest_x86.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/concrete.h"
#include "generate.h"
#include "lift/lift.h"

enum { MAX_BLOCKS = 4096 };

struct tester {
    enum isa isa;
    struct lifter *lifter;
    struct concrete *cpu;
    const struct diff_case *now; /* the case being run, for the fill callback */
    uint8_t data[CASE_DATA_BYTES];
    uint64_t compared, skipped_undecoded, skipped_meaning, skipped_signal, mismatches;
    struct strmap reasons;
    struct arena arena;
};

static enum machine_arch arch_of(enum isa isa)
{
    switch (isa) {
    case ISA_X86_64: return MACHINE_AMD64;
    case ISA_I386: return MACHINE_X86;
    case ISA_AARCH64: return MACHINE_ARM64;
    default: return MACHINE_ARM;
    }
}

/* ---- the register file is VEX's guest state: its own accessors read and write flags ---- */

static void put64(uint8_t *regs, size_t offset, uint64_t v)
{
    memcpy(regs + offset, &v, 8);
}

static void put32(uint8_t *regs, size_t offset, uint64_t v)
{
    uint32_t w = (uint32_t)v;
    memcpy(regs + offset, &w, 4);
}

static uint64_t get64(const uint8_t *regs, size_t offset)
{
    uint64_t v;
    memcpy(&v, regs + offset, 8);
    return v;
}

static uint64_t get32(const uint8_t *regs, size_t offset)
{
    uint32_t v;
    memcpy(&v, regs + offset, 4);
    return v;
}

static const size_t amd64_gpr[] = {
    offsetof(VexGuestAMD64State, guest_RAX), offsetof(VexGuestAMD64State, guest_RCX), offsetof(VexGuestAMD64State, guest_RDX),
    offsetof(VexGuestAMD64State, guest_RBX), offsetof(VexGuestAMD64State, guest_RSP), offsetof(VexGuestAMD64State, guest_RBP),
    offsetof(VexGuestAMD64State, guest_RSI), offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_R8),
    offsetof(VexGuestAMD64State, guest_R9),  offsetof(VexGuestAMD64State, guest_R10), offsetof(VexGuestAMD64State, guest_R11),
    offsetof(VexGuestAMD64State, guest_R12), offsetof(VexGuestAMD64State, guest_R13), offsetof(VexGuestAMD64State, guest_R14),
    offsetof(VexGuestAMD64State, guest_R15)};
static const size_t x86_gpr[] = {
    offsetof(VexGuestX86State, guest_EAX), offsetof(VexGuestX86State, guest_ECX), offsetof(VexGuestX86State, guest_EDX),
    offsetof(VexGuestX86State, guest_EBX), offsetof(VexGuestX86State, guest_ESP), offsetof(VexGuestX86State, guest_EBP),
    offsetof(VexGuestX86State, guest_ESI), offsetof(VexGuestX86State, guest_EDI)};

/* How many general and vector registers there are, where they live and how wide they are in the state file. */
struct layout {
    unsigned gprs, vectors;
    bool wide;
    size_t vector, vector_stride, vector_bytes;
};

static struct layout layout_of(enum isa isa)
{
    switch (isa) {
    case ISA_X86_64:
        return (struct layout){16, 16, true, offsetof(VexGuestAMD64State, guest_YMM0), 32, 32};
    case ISA_I386:
        return (struct layout){8, 8, false, offsetof(VexGuestX86State, guest_XMM0), 16, 16};
    case ISA_AARCH64:
        return (struct layout){32, 32, true, offsetof(VexGuestARM64State, guest_Q0), 16, 16};
    default:
        return (struct layout){15, 16, false, offsetof(VexGuestARMState, guest_D0), 16, 16};
    }
}

static size_t gpr_offset(enum isa isa, unsigned i)
{
    switch (isa) {
    case ISA_X86_64: return amd64_gpr[i];
    case ISA_I386: return x86_gpr[i];
    case ISA_AARCH64: return i == 31 ? offsetof(VexGuestARM64State, guest_XSP) : offsetof(VexGuestARM64State, guest_X0) + 8 * i;
    default: return offsetof(VexGuestARMState, guest_R0) + 4 * i;
    }
}

static void load_state(struct tester *t, const struct machine_state *s, unsigned thumb)
{
    uint8_t *regs = concrete_registers(t->cpu);
    struct layout l = layout_of(t->isa);
    union {
        VexGuestAMD64State amd64;
        VexGuestX86State x86;
        VexGuestARMState arm;
        VexGuestARM64State arm64;
    } init;
    memset(&init, 0, sizeof init);
    size_t size;
    switch (t->isa) {
    case ISA_X86_64:
        LibVEX_GuestAMD64_initialise(&init.amd64);
        LibVEX_GuestAMD64_put_rflags(s->flags & 0xcd5, &init.amd64);
        size = sizeof init.amd64;
        break;
    case ISA_I386:
        LibVEX_GuestX86_initialise(&init.x86);
        /* VEX sets the whole thunk from the flags with its copy operation */
        init.x86.guest_CC_OP = 0;
        init.x86.guest_CC_DEP1 = (UInt)s->flags & 0x8d5;
        init.x86.guest_CC_DEP2 = init.x86.guest_CC_NDEP = 0;
        size = sizeof init.x86;
        break;
    case ISA_AARCH64:
        LibVEX_GuestARM64_initialise(&init.arm64);
        init.arm64.guest_CC_OP = 0;
        init.arm64.guest_CC_DEP1 = s->flags & 0xf0000000;
        size = sizeof init.arm64;
        break;
    default:
        LibVEX_GuestARM_initialise(&init.arm);
        init.arm.guest_CC_OP = 0;
        init.arm.guest_CC_DEP1 = (UInt)s->flags & 0xf0000000;
        init.arm.guest_ITSTATE = 0;
        size = sizeof init.arm;
        break;
    }
    (void)thumb;
    memcpy(regs, &init, size);
    for (unsigned i = 0; i < l.gprs; i++)
        (l.wide ? put64 : put32)(regs, gpr_offset(t->isa, i), s->gpr[i]);
    for (unsigned i = 0; i < l.vectors; i++)
        memcpy(regs + l.vector + i * l.vector_stride, s->vector[i], l.vector_bytes);
}

static void store_state(struct tester *t, struct machine_state *s)
{
    uint8_t *regs = concrete_registers(t->cpu);
    struct layout l = layout_of(t->isa);
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < l.gprs; i++)
        s->gpr[i] = (l.wide ? get64 : get32)(regs, gpr_offset(t->isa, i));
    for (unsigned i = 0; i < l.vectors; i++)
        memcpy(s->vector[i], regs + l.vector + i * l.vector_stride, l.vector_bytes);
    switch (t->isa) {
    case ISA_X86_64: s->flags = LibVEX_GuestAMD64_get_rflags((VexGuestAMD64State *)regs) & 0xcd5; break;
    case ISA_I386: s->flags = LibVEX_GuestX86_get_eflags((VexGuestX86State *)regs) & 0xcd5; break;
    case ISA_AARCH64:
        s->flags = LibVEX_GuestARM64_get_nzcv((VexGuestARM64State *)regs);
        s->fpflags = LibVEX_GuestARM64_get_fpsr((VexGuestARM64State *)regs);
        break;
    default: {
        VexGuestARMState *arm = (VexGuestARMState *)regs;
        s->flags = LibVEX_GuestARM_get_cpsr(arm) & 0xf80f0000;
        s->fpflags = arm->guest_FPSCR & 0xf8000000;
        break;
    }
    }
}

/* Only the data page is memory; everything else faults, as in the runner. */
static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *byte)
{
    struct tester *t = ctx;
    (void)space;
    if (address < CASE_DATA || address >= CASE_DATA + CASE_DATA_BYTES)
        return false;
    *byte = t->data[address - CASE_DATA];
    return true;
}

static void count_reason(struct tester *t, const char *what)
{
    strmap_set(&t->reasons, arena_strdup(&t->arena, what), strmap_find(&t->reasons, what, 0) + 1);
}

enum verdict { RAN, FAULTED, TRAPPED, SKIPPED };

static enum verdict run_ours(struct tester *t, const struct diff_case *c, struct diff_result *r)
{
    concrete_reset(t->cpu);
    case_fill_data(c->data_seed, t->data);
    load_state(t, &c->before, c->thumb);
    ir_label label = CASE_CODE | c->thumb, end = CASE_CODE + c->code_len;
    struct arena arena = ARENA_INIT;
    enum verdict v = SKIPPED;
    for (unsigned n = 0;; n++) {
        uint64_t at = c->thumb ? label & ~UINT64_C(1) : label;
        if (at == end) {
            v = RAN;
            break;
        }
        if (n == MAX_BLOCKS || at < CASE_CODE || at > end) {
            count_reason(t, "left the code");
            break;
        }
        struct ir_block b;
        arena_reset(&arena);
        lift_block(t->lifter, label, c->code + (at - CASE_CODE), (size_t)(end - at), 0, &arena, &b);
        struct concrete_result s = concrete_run_block(t->cpu, &b);
        if (s.stop == CONCRETE_FAULT || s.stop == CONCRETE_TRAP) {
            v = s.stop == CONCRETE_FAULT ? FAULTED : TRAPPED;
            break;
        }
        if (s.stop == CONCRETE_NO_MEANING) {
            if (b.nunknown || b.end.kind == IR_END_UNKNOWN)
                t->skipped_undecoded++;
            else
                t->skipped_meaning++;
            count_reason(t, s.what);
            break;
        }
        if (s.stop != CONCRETE_JUMP) {
            count_reason(t, "not a jump");
            break;
        }
        label = s.label;
    }
    arena_free(&arena);
    if (v == RAN) {
        memset(r, 0, sizeof *r);
        store_state(t, &r->after);
        concrete_read(t->cpu, 0, CASE_DATA, r->data, CASE_DATA_BYTES);
    }
    return v;
}

/* ---- comparing ---- */

static bool is_nan(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    unsigned fraction = bytes == 2 ? 10 : bytes == 4 ? 23 : 52, width = bytes * 8;
    uint64_t top = ((UINT64_C(1) << (width - 1 - fraction)) - 1) << fraction;
    return (v & top) == top && (v & ((UINT64_C(1) << fraction) - 1)) != 0;
}

/* Equal, or a NaN in the same place at the same lane width. */
static bool same_bytes(const uint8_t *a, const uint8_t *b, unsigned n, const struct case_notes *notes)
{
    for (unsigned i = 0; i < n; i++) {
        if (a[i] == b[i])
            continue;
        if (!notes->any_nan)
            return false;
        bool nan = false;
        for (unsigned lane = 2; lane <= 8; lane *= 2)
            nan |= is_nan(a + i / lane * lane, lane) && is_nan(b + i / lane * lane, lane);
        if (!nan)
            return false;
    }
    return true;
}

static bool same_state(const struct tester *t, const struct diff_result *ours, const struct diff_result *theirs,
                       const struct case_notes *notes, char *why, size_t cap)
{
    struct layout l = layout_of(t->isa);
    for (unsigned i = 0; i < l.gprs; i++) {
        if (t->isa == ISA_AARCH64 && i == 28)
            continue;
        if ((t->isa == ISA_ARM || t->isa == ISA_THUMB) && i == 9)
            continue;
        uint64_t a = ours->after.gpr[i], b = theirs->after.gpr[i];
        if (!l.wide)
            b = (uint32_t)b;
        if (!same_bytes((uint8_t *)&a, (uint8_t *)&b, 8, notes)) {
            snprintf(why, cap, "register %u: ours %llx, theirs %llx", i, (unsigned long long)a, (unsigned long long)b);
            return false;
        }
    }
    uint64_t mask = t->isa == ISA_X86_64 || t->isa == ISA_I386 ? 0xcd5 : t->isa == ISA_AARCH64 ? 0xf0000000 : 0xf80f0000;
    mask &= ~notes->undefined_flags;
    if ((ours->after.flags ^ theirs->after.flags) & mask) {
        snprintf(why, cap, "flags: ours %llx, theirs %llx (compared %llx)", (unsigned long long)ours->after.flags,
                 (unsigned long long)theirs->after.flags, (unsigned long long)mask);
        return false;
    }
    for (unsigned i = 0; i < l.vectors; i++) {
        const uint8_t *a = ours->after.vector[i], *b = theirs->after.vector[i];
        if (!notes->approximate && !same_bytes(a, b, (unsigned)l.vector_bytes, notes)) {
            int n = snprintf(why, cap, "vector %u: ours ", i);
            for (unsigned k = (unsigned)l.vector_bytes; k-- > 0;)
                n += snprintf(why + n, cap - (size_t)n, "%02x", a[k]);
            n += snprintf(why + n, cap - (size_t)n, ", theirs ");
            for (unsigned k = (unsigned)l.vector_bytes; k-- > 0;)
                n += snprintf(why + n, cap - (size_t)n, "%02x", b[k]);
            return false;
        }
    }
    uint64_t fp = t->isa == ISA_AARCH64 ? 0x08000000 : t->isa == ISA_ARM || t->isa == ISA_THUMB ? 0xf8000000 : 0;
    if ((ours->after.fpflags ^ theirs->after.fpflags) & fp) {
        snprintf(why, cap, "fp flags: ours %llx, theirs %llx", (unsigned long long)ours->after.fpflags,
                 (unsigned long long)theirs->after.fpflags);
        return false;
    }
    for (unsigned i = 0; i < CASE_DATA_BYTES; i += 8)
        if (!notes->approximate && !same_bytes(ours->data + i, theirs->data + i, 8, notes)) {
            snprintf(why, cap, "memory at %x: ours %016llx, theirs %016llx", CASE_DATA + i,
                     (unsigned long long)get64(ours->data, i), (unsigned long long)get64(theirs->data, i));
            return false;
        }
    return true;
}

static void print_code(struct tester *t, const struct diff_case *c)
{
    for (uint32_t at = 0; at < c->code_len;) {
        char text[128];
        unsigned n = lift_disassemble(t->lifter, (CASE_CODE + at) | c->thumb, c->code + at, c->code_len - at, text, sizeof text);
        if (!n) {
            n = t->isa == ISA_THUMB ? 2 : 4;
            snprintf(text, sizeof text, "?");
        }
        printf("    %-44s", text);
        for (unsigned i = 0; i < n && at + i < c->code_len; i++)
            printf(" %02x", c->code[at + i]);
        printf("\n");
        at += n;
    }
}

/* ---- running the other processor ---- */

static bool run_theirs(char *const *command, const char *cases, const char *results)
{
    VEC(char *) argv = VEC_INIT;
    for (; *command; command++)
        vec_push(&argv, *command);
    vec_push(&argv, (char *)cases);
    vec_push(&argv, (char *)results);
    vec_push(&argv, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv.data[0], argv.data);
        fprintf(stderr, "difftest: %s: %s\n", argv.data[0], strerror(errno));
        _exit(127);
    }
    vec_free(&argv);
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct batch {
    struct diff_case *c;
    struct case_notes *notes;
    uint64_t *seed;
    size_t n;
};

static bool write_cases(const char *path, const struct batch *b)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(b->c, sizeof *b->c, b->n, f) == b->n;
    return (!f || fclose(f) == 0) && ok;
}

static bool compare_batch(struct tester *t, const struct batch *b, char *const *command)
{
    char dir[] = "/tmp/difftest-XXXXXX", cases[64], results[64];
    if (!mkdtemp(dir))
        return false;
    snprintf(cases, sizeof cases, "%s/cases", dir);
    snprintf(results, sizeof results, "%s/results", dir);
    bool ok = write_cases(cases, b) && run_theirs(command, cases, results);
    FILE *f = ok ? fopen(results, "rb") : NULL;
    static struct diff_result ours, theirs;
    for (size_t i = 0; f && i < b->n; i++) {
        if (fread(&theirs, sizeof theirs, 1, f) != 1) {
            ok = false;
            break;
        }
        enum verdict v = run_ours(t, &b->c[i], &ours);
        if (v == SKIPPED)
            continue;
        if (theirs.signal && v != RAN) {
            t->skipped_signal++;
            continue;
        }
        char why[512] = "";
        if (v == TRAPPED && b->notes[i].aligned) {
            count_reason(t, "ours: alignment trap"); /* qemu does not check it everywhere */
            t->skipped_signal++;
            continue;
        }
        if (theirs.signal || v != RAN)
            snprintf(why, sizeof why, v != RAN ? "ours faults, theirs does not" : "theirs raises signal %u, ours does not",
                     theirs.signal);
        else if (same_state(t, &ours, &theirs, &b->notes[i], why, sizeof why)) {
            t->compared++;
            continue;
        }
        /* An encoding the other processor does not have says nothing about ours. A memory fault that only it raises
         * is one of alignment, which the IR does not have (an address outside the page faults in both). */
        if (theirs.signal == SIGILL || ((theirs.signal == SIGSEGV || theirs.signal == SIGBUS) && v == RAN)) {
            count_reason(t, theirs.signal == SIGILL ? "theirs: illegal instruction" : "theirs: alignment fault");
            t->skipped_signal++;
            continue;
        }
        t->mismatches++;
        if (t->mismatches <= 25) {
            printf("MISMATCH %s ", isa_name[t->isa]);
            for (uint32_t k = 0; k < b->c[i].code_len; k++)
                printf("%02x", b->c[i].code[k]);
            printf(" %llu %llx %c  %s\n", (unsigned long long)b->seed[i], (unsigned long long)b->notes[i].undefined_flags,
                   b->notes[i].any_nan ? 'F' : '-', why);
            print_code(t, &b->c[i]);
        }
    }
    if (f)
        fclose(f);
    unlink(cases);
    unlink(results);
    rmdir(dir);
    if (!ok)
        fprintf(stderr, "difftest: %s did not run all cases\n", command[0]);
    return ok;
}

static void batch_grow(struct batch *b, size_t more)
{
    b->c = xreallocarray(b->c, b->n + more, sizeof *b->c);
    b->notes = xreallocarray(b->notes, b->n + more, sizeof *b->notes);
    b->seed = xreallocarray(b->seed, b->n + more, sizeof *b->seed);
}

/* A regression file has lines "ISA BYTES SEED UNDEFINED KIND  what it was": the code, the seed of the state before it, the
 * undefined flags, and F when NaN payloads do not count. Each line is run in that state and in a few others. */
static bool read_regressions(const char *path, enum isa isa, struct batch *b)
{
    enum { STATES = 4 };
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "difftest: %s: %s\n", path, strerror(errno));
        return false;
    }
    char line[512], name[32], hex[2 * CASE_CODE_BYTES + 1], kind[8];
    unsigned long long seed, undefined;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || sscanf(line, "%31s %192s %llu %llx %7s", name, hex, &seed, &undefined, kind) != 5 || strcmp(name, isa_name[isa]))
            continue;
        batch_grow(b, STATES);
        for (unsigned i = 0; i < STATES; i++) {
            struct generator g = {.isa = isa, .seed = seed + i};
            struct diff_case *c = &b->c[b->n];
            b->seed[b->n] = seed + i;
            b->notes[b->n] = (struct case_notes){.undefined_flags = undefined, .any_nan = kind[0] == 'F'};
            generate_state(&g, c);
            for (const char *h = hex; h[0] && h[1]; h += 2)
                c->code[c->code_len++] = (uint8_t)strtoul((char[]){h[0], h[1], 0}, NULL, 16);
            b->n++;
        }
    }
    fclose(f);
    return true;
}

int main(int argc, char **argv)
{
    size_t count = 2000;
    uint64_t seed = 1;
    unsigned length = 4, only = 0;
    bool each = false, native = false;
    const char *regressions = NULL;
    for (int o; (o = getopt(argc, argv, "+n:s:l:p:r:kN")) != -1;) {
        switch (o) {
        case 'n': count = strtoul(optarg, NULL, 0); break;
        case 's': seed = strtoull(optarg, NULL, 0); break;
        case 'l': length = (unsigned)strtoul(optarg, NULL, 0); break;
        case 'p': only = (unsigned)strtoul(optarg, NULL, 0); break;
        case 'r': regressions = optarg; break;
        case 'k': each = true; break;
        case 'N': native = true; break;
        default: return 2;
        }
    }
    struct tester t = {.isa = ISA_COUNT};
    for (unsigned i = 0; optind < argc && i < ISA_COUNT; i++)
        if (!strcmp(argv[optind], isa_name[i]))
            t.isa = (enum isa)i;
    if (t.isa == ISA_COUNT || optind + 2 > argc) {
        fprintf(stderr, "usage: difftest [-n COUNT] [-s SEED] [-l LENGTH] [-p PATTERN] [-k] [-N] [-r FILE] ISA RUNNER...\n");
        return 2;
    }
    struct error err = {0};
    t.lifter = lifter_new(arch_of(t.isa), &err);
    if (!t.lifter) {
        fprintf(stderr, "difftest: %s\n", err.text);
        return 2;
    }
    t.cpu = concrete_new(lift_machine(arch_of(t.isa)), lift_pures(), fill, &t);
    struct batch b = {0};
    bool ok = true;
    if (regressions)
        ok = read_regressions(regressions, t.isa, &b);
    size_t fixed = b.n;
    batch_grow(&b, count);
    for (; b.n < fixed + count; b.n++) {
        uint64_t s = random_next(&seed);
        unsigned which = each ? 1 + (unsigned)(b.n % generate_pattern_count(t.isa)) : only;
        struct generator g = {t.isa, s, which, native};
        b.seed[b.n] = s;
        generate_case(&g, length, &b.c[b.n], &b.notes[b.n]);
    }
    ok = ok && compare_batch(&t, &b, argv + optind + 1);
    printf("%s: %zu sequences, %llu compared equal, %llu mismatches, %llu both faulted, %llu undecoded, %llu without meaning\n",
           isa_name[t.isa], b.n, (unsigned long long)t.compared, (unsigned long long)t.mismatches,
           (unsigned long long)t.skipped_signal, (unsigned long long)t.skipped_undecoded, (unsigned long long)t.skipped_meaning);
    for (size_t i = 0; i < t.reasons.cap; i++)
        if (t.reasons.key[i])
            printf("  %6llu  %s\n", (unsigned long long)t.reasons.value[i], t.reasons.key[i]);
    free(b.c);
    free(b.notes);
    free(b.seed);
    concrete_free(t.cpu);
    lifter_free(t.lifter);
    strmap_free(&t.reasons);
    arena_free(&t.arena);
    return ok && t.mismatches == 0 ? 0 : 1;
}
