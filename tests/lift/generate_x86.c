/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86 instructions from a table of encodings.
 *
 * A pattern is a list of words:
 *   W w B Q      operand size: W 16/32/64 bits (prefix 66, none, REX.W), w 32/64, B bytes, Q fixed (no REX.W)
 *   only64 only32  in that mode only;  native: only on a real processor, where emulators are wrong
 *   0f 38-3f     opcode bytes, or a range to choose from
 *   66 f2 f3     as first bytes: mandatory prefixes
 *   +r           a register in the low bits of the last byte
 *   /r /0../7    a ModRM byte, with a register or an opcode extension in its middle field
 *   R M          its other operand is a register only / memory only
 *   x  gx  xg    registers: both vectors / middle general, other vector / middle vector, other general
 *   src          the middle register is only read (so it may be any); dst otherwise
 *   ib iz iw     immediate of 1 byte / operand size up to 4 / 2 bytes
 *   v:MAP:PP     VEX-encoded, opcode map 1..3, prefix 0..3; v0 = L 0 only, v1 = L 1 only; nv: vvvv unused
 *   vw:N         VEX.W is N (else random)
 *   u:HEX        flags left undefined;  d:HEX flags defined;  t:HEX flags tested
 *   F            NaN payloads may differ
 *   E            an estimate */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

enum { ALL_FLAGS = 0x8d5 };

struct shape {
    bool is64, byte, fixed, no16, reg_only, mem_only, reg_vector, rm_vector, reg_source, modrm, opcode_reg;
    int extension;  /* -1: register */
    unsigned size;  /* operand size in bytes */
    int vex_map, vex_pp, vex_l, vex_w;
    bool vex, no_vvvv;
    uint64_t undefined, defined, tested;
    bool any_nan, estimate, unusable;
    char imm[3]; /* b, w, z */
    unsigned nimm;
    uint8_t opcode[8];
    unsigned nopcode;
    uint8_t prefix[4];
    unsigned nprefix;
};

static bool is_hex(const char *w)
{
    return strlen(w) >= 2 && strspn(w, "0123456789abcdef") >= 2 && (w[2] == 0 || w[2] == '-');
}

static void read_word(struct generator *g, struct shape *s, const char *w)
{
    if (!strcmp(w, "W"))
        s->fixed = false;
    else if (!strcmp(w, "w"))
        s->fixed = false, s->no16 = true;
    else if (!strcmp(w, "B"))
        s->byte = true, s->fixed = true;
    else if (!strcmp(w, "Q"))
        s->fixed = true;
    else if (!strcmp(w, "only64"))
        s->unusable |= !s->is64;
    else if (!strcmp(w, "only32"))
        s->unusable |= s->is64;
    else if (!strcmp(w, "native"))
        s->unusable |= !g->native;
    else if (!strcmp(w, "R"))
        s->reg_only = true;
    else if (!strcmp(w, "M"))
        s->mem_only = true;
    else if (!strcmp(w, "x"))
        s->reg_vector = s->rm_vector = true;
    else if (!strcmp(w, "gx"))
        s->rm_vector = true;
    else if (!strcmp(w, "xg"))
        s->reg_vector = true;
    else if (!strcmp(w, "src"))
        s->reg_source = true;
    else if (!strcmp(w, "+r"))
        s->opcode_reg = true;
    else if (!strcmp(w, "ib") || !strcmp(w, "iw") || !strcmp(w, "iz"))
        s->imm[s->nimm++] = w[1];
    else if (!strcmp(w, "F"))
        s->any_nan = true;
    else if (!strcmp(w, "E"))
        s->estimate = s->any_nan = true;
    else if (!strcmp(w, "/r"))
        s->modrm = true;
    else if (w[0] == '/')
        s->modrm = true, s->extension = w[1] - '0';
    else if (!strncmp(w, "u:", 2))
        s->undefined = strtoull(w + 2, NULL, 16);
    else if (!strncmp(w, "d:", 2))
        s->defined = strtoull(w + 2, NULL, 16);
    else if (!strncmp(w, "t:", 2))
        s->tested = strtoull(w + 2, NULL, 16);
    else if (!strncmp(w, "v:", 2))
        s->vex = true, s->vex_map = w[2] - '0', s->vex_pp = w[4] - '0';
    else if (!strcmp(w, "v0") || !strcmp(w, "v1"))
        s->vex_l = w[1] - '0';
    else if (!strcmp(w, "nv"))
        s->no_vvvv = true;
    else if (!strncmp(w, "vw:", 3))
        s->vex_w = w[3] - '0';
    else if (is_hex(w)) {
        unsigned lo = (unsigned)strtoul(w, NULL, 16), hi = w[2] == '-' ? (unsigned)strtoul(w + 3, NULL, 16) : lo;
        uint8_t byte = (uint8_t)(lo + random_next(&g->seed) % (hi - lo + 1));
        bool prefix = s->nopcode == 0 && (byte == 0x66 || byte == 0xf2 || byte == 0xf3);
        if (prefix)
            s->prefix[s->nprefix++] = byte;
        else
            s->opcode[s->nopcode++] = byte;
    } else {
        fprintf(stderr, "bad word '%s' in an x86 pattern\n", w);
        abort();
    }
}

static unsigned pick(struct generator *g, const uint8_t *from, unsigned n)
{
    return from[random_next(&g->seed) % n];
}

/* A general register that may be written: never a pointer, the index or (in bytes without REX) bh. */
static unsigned writable_gpr(struct generator *g, const struct shape *s, bool rex)
{
    static const uint8_t low[] = {0, 1, 2}, all[] = {0, 1, 2, 8, 9, 10, 11, 12, 13, 14, 15}, bytes[] = {0, 1, 2, 4, 5, 6};
    if (s->is64 && rex)
        return pick(g, all, sizeof all);
    return s->byte && !rex ? pick(g, bytes, sizeof bytes) : pick(g, low, sizeof low);
}

static unsigned any_register(struct generator *g, const struct shape *s, bool rex)
{
    return (unsigned)(random_next(&g->seed) % (s->is64 && rex ? 16 : 8));
}

/* ModRM (and SIB, displacement) for a memory operand around a pointer register. */
/* Aligned: SSE operands must be, and whether an emulator checks that differs. */
static unsigned put_memory(struct generator *g, uint8_t *out, unsigned middle, bool aligned)
{
    uint64_t r = random_next(&g->seed);
    unsigned n = 0;
    static const uint8_t base[] = {5, 6, 7};
    uint8_t disp = (uint8_t)(aligned || r % 2 ? (r >> 8 & 7) * 16 : r >> 8);
    if (r % 3 == 0) { /* [base + index*scale + disp8], index rbx or none */
        out[n++] = (uint8_t)(0x44 | middle << 3);
        unsigned index = !aligned && (r >> 4 & 1) ? 3 : 4;
        out[n++] = (uint8_t)((r >> 16 & 3) << 6 | index << 3 | (4 + (r >> 20 & 3)));
    } else {
        out[n++] = (uint8_t)(0x40 | middle << 3 | pick(g, base, 3));
    }
    out[n++] = disp;
    return n;
}

bool generate_x86(struct generator *g, bool is64, uint8_t *code, uint32_t *len, uint64_t *undefined, struct case_notes *notes)
{
    struct shape s;
    unsigned count = generate_pattern_count(ISA_X86_64);
    do {
        unsigned which = g->only ? g->only - 1 : (unsigned)(random_next(&g->seed) % count);
        memset(&s, 0, sizeof s);
        s.is64 = is64;
        s.fixed = true;
        s.extension = s.vex_l = s.vex_w = -1;
        char text[128], *save = NULL;
        snprintf(text, sizeof text, "%s", patterns_x86[which]);
        for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
            read_word(g, &s, w);
        s.unusable |= s.vex && !is64;
        if (s.unusable && g->only)
            return false;
    } while (s.unusable);

    uint8_t out[32];
    unsigned n = 0;
    uint64_t r = random_next(&g->seed);
    if (s.tested & *undefined) {
        out[n++] = 0x39; /* cmp eax, ecx defines all flags */
        out[n++] = 0xc8;
        *undefined = 0;
    }
    s.size = s.byte ? 1 : 4;
    bool rex_w = false, size16 = false;
    if (!s.fixed) {
        if (is64 && r % 3 == 0)
            rex_w = true, s.size = 8;
        else if (!s.no16 && r % 3 == 1)
            size16 = true, s.size = 2;
    }
    bool rex = is64 && (rex_w || r >> 8 & 1);
    unsigned middle = 0, other = 0, vvvv = 0;
    bool memory = s.modrm && !s.reg_only && (s.mem_only || r >> 9 & 1);
    if (s.modrm) {
        if (s.extension >= 0)
            middle = (unsigned)s.extension;
        else if (s.reg_vector || s.reg_source)
            middle = any_register(g, &s, rex || s.vex);
        else
            middle = writable_gpr(g, &s, rex || s.vex);
        other = s.rm_vector ? any_register(g, &s, rex || s.vex) : writable_gpr(g, &s, rex || s.vex);
    } else if (s.opcode_reg) {
        other = writable_gpr(g, &s, rex);
    }
    if (size16)
        out[n++] = 0x66;
    for (unsigned i = 0; i < s.nprefix; i++)
        out[n++] = s.prefix[i];
    if (s.vex) {
        vvvv = s.no_vvvv ? 0 : s.reg_vector ? (unsigned)(r >> 12 & 15) : any_register(g, &s, true);
        unsigned l = s.vex_l >= 0 ? (unsigned)s.vex_l : r >> 16 & 1, w = s.vex_w >= 0 ? (unsigned)s.vex_w : r >> 17 & 1;
        out[n++] = 0xc4;
        out[n++] = (uint8_t)((middle & 8 ? 0 : 0x80) | 0x40 | (!memory && (other & 8) ? 0 : 0x20) | s.vex_map);
        out[n++] = (uint8_t)(w << 7 | (~vvvv & 15) << 3 | l << 2 | s.vex_pp);
    } else if (rex) {
        bool high_middle = s.modrm && s.extension < 0 && (middle & 8);
        out[n++] = (uint8_t)(0x40 | rex_w << 3 | high_middle << 2 | (!memory && (other & 8) ? 1 : 0));
    }
    memcpy(out + n, s.opcode, s.nopcode);
    n += s.nopcode;
    if (s.opcode_reg)
        out[n - 1] = (uint8_t)(out[n - 1] + (other & 7));
    if (memory)
        n += put_memory(g, out + n, middle & 7, s.rm_vector || s.reg_vector);
    else if (s.modrm)
        out[n++] = (uint8_t)(0xc0 | (middle & 7) << 3 | (other & 7));
    for (unsigned i = 0; i < s.nimm; i++) {
        unsigned bytes = s.imm[i] == 'b' ? 1 : s.imm[i] == 'w' ? 2 : s.size > 4 ? 4 : s.size;
        uint64_t v = random_next(&g->seed);
        if (v % 3 == 0)
            v = v >> 8 & 31;
        memcpy(out + n, &v, bytes);
        n += bytes;
    }
    if (*len + n > CASE_CODE_BYTES)
        return false;
    memcpy(code + *len, out, n);
    *len += n;
    *undefined = (*undefined & ~s.defined) | s.undefined;
    if (s.undefined && s.size < 4)
        *undefined |= 1; /* shifts of narrow operands by more than their width */
    notes->any_nan |= s.any_nan;
    notes->aligned |= memory && (s.rm_vector || s.reg_vector);
    notes->approximate |= s.estimate;
    return true;
}

const char *const patterns_x86[] = {
    /* arithmetic */
    "B 00 /r src d:8d5", "W 01 /r src d:8d5", "B 02 /r d:8d5", "W 03 /r d:8d5", "B 04 ib d:8d5", "W 05 iz d:8d5",
    "B 08 /r src d:8c5 u:10", "W 09 /r src d:8c5 u:10", "B 0a /r d:8c5 u:10", "W 0b /r d:8c5 u:10", "W 0d iz d:8c5 u:10",
    "B 10 /r src t:1 d:8d5", "W 11 /r src t:1 d:8d5", "W 13 /r t:1 d:8d5", "W 15 iz t:1 d:8d5",
    "B 18 /r src t:1 d:8d5", "W 19 /r src t:1 d:8d5", "W 1b /r t:1 d:8d5", "W 1d iz t:1 d:8d5",
    "B 20 /r src d:8c5 u:10", "W 21 /r src d:8c5 u:10", "W 23 /r d:8c5 u:10", "W 25 iz d:8c5 u:10",
    "B 28 /r src d:8d5", "W 29 /r src d:8d5", "W 2b /r d:8d5", "W 2d iz d:8d5",
    "B 30 /r src d:8c5 u:10", "W 31 /r src d:8c5 u:10", "W 33 /r d:8c5 u:10", "W 35 iz d:8c5 u:10",
    "B 38 /r src d:8d5", "W 39 /r src d:8d5", "B 3a /r src d:8d5", "W 3b /r src d:8d5", "W 3d iz d:8d5",
    "B 80 /0 ib d:8d5", "B 80 /2 ib t:1 d:8d5", "B 80 /5 ib d:8d5", "B 80 /7 ib d:8d5",
    "W 81 /0 iz d:8d5", "W 81 /1 iz d:8c5 u:10", "W 81 /2 iz t:1 d:8d5", "W 81 /3 iz t:1 d:8d5", "W 81 /4 iz d:8c5 u:10",
    "W 81 /5 iz d:8d5", "W 81 /6 iz d:8c5 u:10", "W 81 /7 iz d:8d5", "W 83 /0 ib d:8d5", "W 83 /5 ib d:8d5", "W 83 /7 ib d:8d5",
    "B 84 /r src d:8c5 u:10", "W 85 /r src d:8c5 u:10", "W a9 iz d:8c5 u:10",
    "B fe /0 d:8d4", "B fe /1 d:8d4", "W ff /0 d:8d4", "W ff /1 d:8d4", "only32 W 40 +r d:8d4", "only32 W 48 +r d:8d4",
    "B f6 /0 ib d:8c5 u:10", "B f6 /2", "B f6 /3 d:8d5", "W f7 /0 iz d:8c5 u:10", "W f7 /2", "W f7 /3 d:8d5",
    "B f6 /4 d:801 u:d4", "B f6 /5 d:801 u:d4", "W f7 /4 d:801 u:d4", "W f7 /5 d:801 u:d4",
    "W 0f af /r d:801 u:d4", "W 69 /r iz d:801 u:d4", "W 6b /r ib d:801 u:d4",
    "B f6 /6 u:8d5", "B f6 /7 u:8d5", "W f7 /6 u:8d5", "W f7 /7 u:8d5",
    /* moves */
    "B 88 /r src", "W 89 /r src", "B 8a /r", "W 8b /r", "B c6 /0 ib", "W c7 /0 iz", "B b0 +r ib", "w b8 +r iz Q",
    "W 0f b6 /r", "W 0f b7 /r", "W 0f be /r", "W 0f bf /r", "only64 w 63 /r", "W 8d /r M", "W 86 /r R B", "W 87 /r R",
    "W 90 +r", "W 98", "W 99", "w 0f c8 +r", "W 0f 38 f0 /r M", "W 0f 38 f1 /r M src",
    /* shifts and rotates: the overflow flag is defined for a count of one only */
    "B c0 /0 ib u:800", "B c0 /1 ib u:800", "B c0 /4 ib u:810", "B c0 /5 ib u:810", "B c0 /7 ib u:810",
    "W c1 /0 ib u:800", "W c1 /1 ib u:800", "W c1 /2 ib t:1 u:800", "W c1 /3 ib t:1 u:800", "W c1 /4 ib u:810", "W c1 /5 ib u:810", "W c1 /7 ib u:810",
    "W d1 /0", "W d1 /1", "W d1 /2 t:1", "W d1 /3 t:1", "W d1 /4 d:8c5 u:10", "W d1 /5 d:8c5 u:10", "W d1 /7 d:8c5 u:10",
    "B d2 /4 u:810", "B d2 /5 u:810", "W d3 /0 u:800", "W d3 /1 u:800", "W d3 /4 u:810", "W d3 /5 u:810", "W d3 /7 u:810",
    "w 0f a4 /r src ib u:810", "w 0f a5 /r src u:810", "w 0f ac /r src ib u:810", "w 0f ad /r src u:810",
    /* bits */
    "W 0f a3 /r src R u:894 d:1", "W 0f ab /r src R u:894 d:1", "W 0f b3 /r src R u:894 d:1", "W 0f bb /r src R u:894 d:1",
    "W 0f ba /4 ib u:894 d:1", "W 0f ba /5 ib u:894 d:1", "W 0f ba /6 ib u:894 d:1", "W 0f ba /7 ib u:894 d:1",
    "W f3 0f b8 /r d:8d5", "W f3 0f bc /r d:41 u:894", "W f3 0f bd /r d:41 u:894",
    /* conditions */
    "B 0f 90-9f /0 t:8c5", "W 0f 40-4f /r t:8c5", "9f t:d5", "9e d:d5", "f5 t:1", "f8 d:1", "f9 d:1", "fc", "9c t:8d5",
    "W 0f b0 /r src B d:8d5", "W 0f b1 /r src d:8d5", "B 0f c0 /r R d:8d5", "W 0f c1 /r R d:8d5",
    /* adcx, adox: qemu 7.2 leaves rubbish in the flags */
    "native w 66 0f 38 f6 /r t:1 d:1 Q", "native f3 0f 38 f6 /r t:800 d:800",
    /* stack and strings */
    "50 +r", "58 +r", "6a ib", "a4", "a5", "aa", "ab", "ac", "only64 58 +r",
    "27-27 only32 t:11 u:800 d:d5", "2f only32 t:11 u:800 d:d5", "37 only32 t:10 u:8c4 d:11", "3f only32 t:10 u:8c4 d:11",
    /* BMI, VEX-encoded general */
    "v:2:0 v0 f2 /r d:8c1 u:14", "v:2:0 v0 f3 /1 d:8c1 u:14", "v:2:0 v0 f3 /2 d:8c1 u:14", "v:2:0 v0 f3 /3 d:8c1 u:14",
    "v:2:0 v0 f5 /r d:8c1 u:14", "v:2:0 v0 f7 /r d:841 u:94", "v:2:1 v0 f7 /r", "v:2:2 v0 f7 /r", "v:2:3 v0 f7 /r",
    "v:2:3 v0 f5 /r", "v:2:2 v0 f5 /r", "v:3:3 v0 nv f0 /r ib", "v:2:3 v0 f6 /r",
    "Q f2 0f 38 f0 /r", "w f2 0f 38 f1 /r",
    /* SSE moves */
    "x 0f 10 /r", "x 0f 28 /r", "x 66 0f 6f /r", "x f3 0f 6f /r", "x src 66 0f 7f /r", "x src f3 0f 7f /r", "x f3 0f 10 /r", "x f2 0f 10 /r",
    "x src f3 0f 11 /r", "x src f2 0f 11 /r", "x 0f 12 /r", "x 0f 16 /r", "x f3 0f 7e /r", "x src 66 0f d6 /r", "xg w 66 0f 6e /r Q", "xg src w 66 0f 7e /r Q",
    "x f3 0f 12 /r", "x f3 0f 16 /r", "x f2 0f 12 /r", "gx 66 0f d7 /r R", "gx 0f 50 /r R", "gx 66 0f 50 /r R", "x src 0f 13 /r M", "x src 0f 17 /r M",
    /* SSE2 integer */
    "x 66 0f 60-6d /r", "x 66 0f 74-76 /r", "x 66 0f d1-d5 /r", "x 66 0f d8-df /r", "x 66 0f e0-e5 /r", "x 66 0f e8-ef /r", "x 66 0f f1-f6 /r", "x 66 0f f8-fe /r",
    "x 66 0f 70 /r ib", "x f3 0f 70 /r ib", "x f2 0f 70 /r ib", "x 66 0f 71 /2 R ib", "x 66 0f 71 /4 R ib", "x 66 0f 71 /6 R ib",
    "x 66 0f 72 /2 R ib", "x 66 0f 72 /4 R ib", "x 66 0f 72 /6 R ib", "x 66 0f 73 /2 R ib", "x 66 0f 73 /3 R ib", "x 66 0f 73 /6 R ib", "x 66 0f 73 /7 R ib",
    "xg 66 0f c4 /r ib R", "gx 66 0f c5 /r ib R", "x 0f c6 /r ib", "x 66 0f c6 /r ib", "x 0f 14 /r", "x 0f 15 /r", "x 66 0f 14 /r", "x 66 0f 15 /r",
    "x 0f 54-57 /r", "x 66 0f 54-57 /r",
    /* SSSE3, SSE4 */
    "x 66 0f 38 00-0b /r", "x 66 0f 38 1c-1e /r", "x 66 0f 3a 0f /r ib", "x 66 0f 38 10 /r", "x 66 0f 38 14 /r", "x 66 0f 38 15 /r",
    "x 66 0f 38 20-25 /r", "x 66 0f 38 28-29 /r", "x 66 0f 38 2b /r", "x 66 0f 38 30-35 /r", "x 66 0f 38 37-41 /r", "x 66 0f 38 17 /r d:8d5",
    "x 66 0f 3a 0c-0e /r ib", "xg src 66 0f 3a 14-16 /r ib R", "xg 66 0f 3a 20 /r ib R", "x 66 0f 3a 21 /r ib", "xg w 66 0f 3a 22 /r ib Q", "x 66 0f 3a 42 /r ib",
    "x 66 0f 3a 44 /r ib", "x 66 0f 38 db-df /r", "x 66 0f 3a df /r ib",
    "x 66 0f 3a 60-63 /r ib u:0 d:8d5",
    /* SSE floating point */
    "x 0f 51 /r", "x 0f 58 /r", "x 0f 59 /r", "x 0f 5c-5f /r", "x 66 0f 51 /r", "x 66 0f 58 /r", "x 66 0f 59 /r", "x 66 0f 5c-5f /r",
    "x f3 0f 51 /r", "x f3 0f 58-59 /r", "x f3 0f 5c-5f /r", "x f2 0f 51 /r", "x f2 0f 58-59 /r", "x f2 0f 5c-5f /r",
    "x 0f 5a-5b /r", "x 66 0f 5a-5b /r", "x f3 0f 5a-5b /r", "x f2 0f 5a /r", "x f3 0f e6 /r", "x f2 0f e6 /r", "x 66 0f e6 /r",
    "xg w f3 0f 2a /r", "xg w f2 0f 2a /r", "gx w f3 0f 2c-2d /r", "gx w f2 0f 2c-2d /r",
    "x 0f 2e-2f /r d:8d5", "x 66 0f 2e-2f /r d:8d5", "x 0f c2 /r ib", "x 66 0f c2 /r ib", "x f3 0f c2 /r ib", "x f2 0f c2 /r ib",
    /* qemu 7.2 takes the wrong one of two NaNs here */ "F x f2 0f 7c-7d /r", "F x 66 0f 7c-7d /r", "x f2 0f d0 /r", "x 66 0f d0 /r", "x 66 0f 3a 08-0b /r ib", "x 66 0f 3a 40-41 /r ib",
    /* AVX, AVX2 */
    "x v:1:0 nv 10 /r", "x v:1:1 nv 6f /r", "x v:1:2 nv 6f /r", "x v:1:0 14-15 /r", "x v:1:0 54-57 /r", "x v:1:1 54-57 /r",
    "x v:1:1 60-6d /r", "x v:1:1 74-76 /r", "x v:1:1 d1-d5 /r", "x v:1:1 d8-df /r", "x v:1:1 e0-e5 /r", "x v:1:1 e8-ef /r", "x v:1:1 f1-f6 /r", "x v:1:1 f8-fe /r",
    "x v:1:1 nv 70 /r ib", "x v:1:2 nv 70 /r ib", "x v:1:3 nv 70 /r ib", "x v:2:1 00-0b /r vw:0", "x v:2:1 nv 1c-1e /r vw:0", "x v:2:1 28-29 /r vw:0", "x v:2:1 37-3f /r vw:0",
    "x v:2:1 40 /r vw:0", "x v:2:1 nv 20-25 /r vw:0", "x v:2:1 nv 30-35 /r vw:0", "x v:2:1 v1 36 /r vw:0", "x v:2:1 45 /r", "x v:2:1 46 /r vw:0", "x v:2:1 47 /r",
    "x v:2:1 nv 58-59 /r vw:0", "x v:2:1 nv 78-79 /r vw:0", "x v:3:1 v1 nv 00-01 /r ib vw:1", "x v:3:1 v1 46 /r ib vw:0", "x v:3:1 02 /r ib vw:0", "x v:3:1 0f /r ib vw:0", "x v:3:1 0e /r ib vw:0",
    "x v:3:1 v1 38 /r ib vw:0", "x src v:3:1 v1 nv 39 /r ib vw:0", "x v:2:1 0c-0d /r vw:0", "x v:3:1 nv 04-05 /r ib vw:0", "x v:3:1 v1 06 /r ib vw:0", "x v:2:1 nv v1 18 /r vw:0", "x v:2:1 nv v1 5a /r M vw:0",
    "x v:1:0 58-59 /r", "x v:1:0 5c-5f /r", "x v:1:1 58-59 /r", "x v:1:1 5c-5f /r", "x v:1:2 v0 58-59 /r", "x v:1:3 v0 5c-5f /r", "x v:1:0 nv 51 /r", "x v:1:1 nv 51 /r",
    "x v:1:0 c2 /r ib", "x v:1:1 c2 /r ib", "x v:1:0 nv 5b /r", "x v:1:1 nv 5b /r", /* fused multiply-add; scalars with L 0, since qemu 7.2 is wrong with 1 */
    "x v:2:1 98 /r", "x v:2:1 9a /r", "x v:2:1 9c /r", "x v:2:1 9e /r", "x v:2:1 a8 /r", "x v:2:1 aa /r", "x v:2:1 ac /r", "x v:2:1 ae /r", "x v:2:1 b8 /r", "x v:2:1 ba /r", "x v:2:1 bc /r", "x v:2:1 be /r", "x v:2:1 v0 99 /r", "x v:2:1 v0 9b /r", "x v:2:1 v0 9d /r", "x v:2:1 v0 9f /r", "x v:2:1 v0 a9 /r", "x v:2:1 v0 ab /r", "x v:2:1 v0 ad /r", "x v:2:1 v0 af /r", "x v:2:1 v0 b9 /r", "x v:2:1 v0 bb /r", "x v:2:1 v0 bd /r", "x v:2:1 v0 bf /r", "x v:2:1 96-97 /r", "x v:2:1 b6-b7 /r",
    "x v:2:1 nv v0 13 /r vw:0", "v:1:0 nv v0 77",
    NULL};
