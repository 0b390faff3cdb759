/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/search.h"
#include "lift/llvm/internal.h"

enum { ALIAS_MAX = 16, INSNS_MAX = 1 << 28 };

/* ---- opening ---- */

struct complaint {
    const struct llvm *L;
    char text[400];
};

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
    struct complaint *c = ctx;
    if (c->L->GetDiagInfoSeverity(info) != LLVMDSError || c->text[0])
        return;
    char *text = c->L->GetDiagInfoDescription(info);
    snprintf(c->text, sizeof c->text, "%s", text);
    c->L->DisposeMessage(text);
}

/* One line of what LLVM says, which may be many. */
static void first_line(char *text)
{
    text[strcspn(text, "\n")] = 0;
}

static bool parse(struct bitcode *m, const uint8_t *bytes, size_t n, struct error *err)
{
    const struct llvm *L = &m->L;
    struct complaint complaint = {.L = L};
    L->ContextSetDiagnosticHandler(m->context, on_diagnostic, &complaint);
    LLVMMemoryBufferRef buffer = L->CreateMemoryBufferWithMemoryRangeCopy((const char *)bytes, n, "bitcode");
    bool failed = L->ParseBitcodeInContext2(m->context, buffer, &m->module);
    L->DisposeMemoryBuffer(buffer);
    first_line(complaint.text);
    if (failed) {
        m->module = NULL;
        /* The reader names producer and reader where the file is newer. */
        return error_set(err, ERROR_INPUT, "%s: LLVM 19 cannot read this bitcode: %s", m->info.name,
                         complaint.text[0] ? complaint.text : "it is damaged");
    }
    char *why = NULL;
    bool broken = L->VerifyModule(m->module, LLVMReturnStatusAction, &why);
    if (broken) {
        first_line(why);
        error_set(err, ERROR_INPUT, "%s: this bitcode is malformed: %s", m->info.name, why);
    }
    L->DisposeMessage(why);
    /* The complaint goes out of scope. */
    L->ContextSetDiagnosticHandler(m->context, NULL, NULL);
    return !broken;
}

static bool read_layout(struct bitcode *m, struct error *err)
{
    const struct llvm *L = &m->L;
    size_t n;
    m->layout = L->GetModuleDataLayout(m->module);
    m->info.target = arena_strdup(&m->arena, L->GetTarget(m->module));
    m->info.source = arena_strdup(&m->arena, L->GetSourceFileName(m->module, &n));
    m->info.pointer_width = L->PointerSizeForAS(m->layout, 0) * 8;
    m->info.big_endian = L->ByteOrder(m->layout) == LLVMBigEndian;
    if (m->info.pointer_width != 32 && m->info.pointer_width != 64)
        return error_set(err, ERROR_UNSUPPORTED, "%s: pointers of %u bits (%s); only 32 and 64 are supported",
                         m->info.name, m->info.pointer_width, m->info.target);
    bool a64 = strncmp(m->info.target, "aarch64", 7) == 0 || strncmp(m->info.target, "arm64", 5) == 0;
    bool amd64 = strncmp(m->info.target, "x86_64", 6) == 0;
    m->fuses = a64;
    m->va_list_bytes = a64 ? 32 : amd64 ? 24 : m->info.pointer_width / 8;
    m->noreturn = L->GetEnumAttributeKindForName("noreturn", 8);
    return true;
}

static bool is_float_type(const struct bitcode *m, LLVMTypeRef type)
{
    LLVMTypeKind k = m->L.GetTypeKind(type);
    return k == LLVMHalfTypeKind || k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind ||
           k == LLVMX86_FP80TypeKind || k == LLVMFP128TypeKind || k == LLVMPPC_FP128TypeKind ||
           k == LLVMBFloatTypeKind;
}

static void add_function(struct bitcode *m, LLVMValueRef f, uint64_t address, uint32_t instructions)
{
    const struct llvm *L = &m->L;
    LLVMTypeRef type = L->GlobalGetValueType(f), result = L->GetReturnType(type);
    struct bitcode_function fn = {
        .name = module_name(m, f),
        .address = address,
        .instructions = instructions,
        .declared = L->IsDeclaration(f),
        .variadic = L->IsFunctionVarArg(type),
        .returns = L->GetTypeKind(result) != LLVMVoidTypeKind,
        .returns_float = is_float_type(m, result),
        .noreturn = L->GetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                               m->noreturn) != NULL,
    };
    unsigned n = L->CountParams(f);
    for (unsigned i = 0; i < n; i++) {
        bool is_float = is_float_type(m, L->TypeOf(L->GetParam(f, i)));
        *(is_float ? &fn.nfargs : &fn.nargs) += 1;
        fn.floats |= i < 64 ? (uint64_t)is_float << i : 0;
    }
    map_set(&m->function_index, (uint64_t)(uintptr_t)f, m->function.len);
    vec_push(&m->function, fn);
    vec_push(&m->function_value, f);
    vec_push(&m->code, NULL);
}

static bool number(struct bitcode *m, struct error *err)
{
    const struct llvm *L = &m->L;
    for (LLVMValueRef f = L->GetFirstFunction(m->module); f; f = L->GetNextFunction(f)) {
        size_t first = m->insn.len;
        for (LLVMBasicBlockRef b = L->GetFirstBasicBlock(f); b; b = L->GetNextBasicBlock(b)) {
            map_set(&m->block_label, (uint64_t)(uintptr_t)b, BITCODE_FIRST + m->insn.len);
            for (LLVMValueRef i = L->GetFirstInstruction(b); i; i = L->GetNextInstruction(i)) {
                vec_push(&m->insn, i);
                if (L->GetInstructionOpcode(i) == LLVMInvoke) /* the call, and whether it threw */
                    vec_push(&m->insn, i);
            }
        }
        if (m->insn.len > INSNS_MAX)
            return error_set(err, ERROR_RESOURCE, "%s: over %d instructions", m->info.name, INSNS_MAX);
        if (m->insn.len > first)
            add_function(m, f, BITCODE_FIRST + first, (uint32_t)(m->insn.len - first));
    }
    m->info.blocks = m->block_label.len;
    m->info.instructions = m->insn.len;
    uint64_t next = BITCODE_FIRST + m->insn.len;
    for (LLVMValueRef f = L->GetFirstFunction(m->module); f; f = L->GetNextFunction(f))
        if (!L->GetFirstBasicBlock(f))
            add_function(m, f, next++, 0);
    for (size_t i = 0; i < m->function_value.len; i++)
        module_name(m, m->function_value.data[i]);
    for (LLVMValueRef g = L->GetFirstGlobal(m->module); g; g = L->GetNextGlobal(g))
        module_name(m, g);
    return true;
}

struct bitcode *bitcode_read(const char *name, const uint8_t *bytes, size_t n, struct error *err)
{
    struct bitcode *m = xcalloc(1, sizeof *m);
    m->info.name = arena_strdup(&m->arena, name);
    sha256_hex(bytes, n, m->info.sha256);
    bool ok = bitcode_is(bytes, n) || error_set(err, ERROR_INPUT, "%s: not LLVM bitcode", name);
    if (ok && !llvm_load(&m->L, err)) {
        error_prefix(err, "%s", name);
        ok = false;
    }
    if (ok) {
        m->context = m->L.ContextCreate();
        ok = parse(m, bytes, n, err) && read_layout(m, err) && number(m, err);
    }
    if (ok)
        return m;
    bitcode_free(m);
    return NULL;
}

void bitcode_lay_out_32(struct bitcode *m)
{
    m->L.SetDataLayout(m->module, "e-m:e-p:32:32-i64:64-n32-S64");
    m->layout = m->L.GetModuleDataLayout(m->module);
    m->info.pointer_width = 32;
    m->va_list_bytes = 4;
}

void bitcode_free(struct bitcode *m)
{
    if (!m)
        return;
    if (m->module)
        m->L.DisposeModule(m->module);
    if (m->context)
        m->L.ContextDispose(m->context);
    data_free(m);
    vec_free(&m->function);
    vec_free(&m->function_value);
    vec_free(&m->code);
    vec_free(&m->insn);
    map_free(&m->function_index);
    map_free(&m->block_label);
    map_free(&m->shapes);
    map_free(&m->names);
    strmap_free(&m->globals);
    arena_free(&m->arena);
    free(m);
}

/* ---- names ---- */

LLVMValueRef module_aliasee(const struct bitcode *m, LLVMValueRef global)
{
    for (unsigned fuel = ALIAS_MAX; fuel && m->L.GetValueKind(global) == LLVMGlobalAliasValueKind; fuel--)
        global = m->L.AliasGetAliasee(global);
    return global;
}

/* A string literal whose address means nothing is told by its text: "no such file". */
static const char *literal_name(struct bitcode *m, LLVMValueRef g)
{
    enum { SHOWN = 48 };
    const struct llvm *L = &m->L;
    LLVMLinkage linkage = L->GetLinkage(g);
    LLVMValueRef init = L->GetInitializer(g);
    size_t n;
    if ((linkage != LLVMPrivateLinkage && linkage != LLVMInternalLinkage) || !L->IsGlobalConstant(g) ||
        L->GetUnnamedAddress(g) != LLVMGlobalUnnamedAddr || !init ||
        L->GetTypeKind(L->TypeOf(init)) != LLVMArrayTypeKind)
        return NULL;
    /* An empty string is not data but zeros. */
    if (L->GetValueKind(init) == LLVMConstantAggregateZeroValueKind)
        return L->ABISizeOfType(m->layout, L->TypeOf(init)) == 1 ? "\"\"" : NULL;
    if (L->GetValueKind(init) != LLVMConstantDataArrayValueKind || !L->IsConstantString(init))
        return NULL;
    const char *s = L->GetAsString(init, &n);
    if (n == 0 || strnlen(s, n) != n - 1)
        return NULL;
    struct buf b = BUF_INIT;
    buf_puts(&b, "\"");
    for (size_t i = 0; i + 1 < n && i < SHOWN; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '\n')
            buf_puts(&b, "\\n");
        else if (c == '"' || c == '\\')
            buf_printf(&b, "\\%c", c);
        else if (c < 32 || c >= 127)
            buf_printf(&b, "\\x%02x", c);
        else
            buf_putc(&b, (char)c);
    }
    buf_puts(&b, "\"");
    if (n - 1 > SHOWN)
        buf_printf(&b, "...%016" PRIx64, hash_bytes(s, n));
    const char *name = arena_strdup(&m->arena, buf_text(&b));
    buf_free(&b);
    return name;
}

const char *module_name(struct bitcode *m, LLVMValueRef global)
{
    uint64_t known;
    if (map_get(&m->names, (uint64_t)(uintptr_t)global, &known))
        return (const char *)(uintptr_t)known;
    const char *name =
        m->L.GetValueKind(global) == LLVMGlobalVariableValueKind ? literal_name(m, global) : NULL;
    if (!name) {
        size_t n;
        const char *own = m->L.GetValueName2(global, &n);
        /* \1 in front tells the linker to take the rest as it stands. */
        if (n && own[0] == 1)
            own++, n--;
        name = n ? arena_printf(&m->arena, "%.*s", (int)n, own)
                 : arena_printf(&m->arena, "global.%zu", m->names.len);
    }
    map_set(&m->names, (uint64_t)(uintptr_t)global, (uint64_t)(uintptr_t)name);
    if (!strmap_get(&m->globals, name, NULL))
        strmap_set(&m->globals, name, (uint64_t)(uintptr_t)global);
    return name;
}

/* ---- looking ---- */

const struct bitcode_info *bitcode_info(const struct bitcode *m)
{
    return &m->info;
}

size_t bitcode_functions(const struct bitcode *m, const struct bitcode_function **out)
{
    *out = m->function.data;
    return m->function.len;
}

const struct bitcode_function *bitcode_function_at(const struct bitcode *m, uint64_t address)
{
    size_t lo = partition_point(m->function.len, i, m->function.data[i].address < address);
    return lo < m->function.len && m->function.data[lo].address == address ? &m->function.data[lo] : NULL;
}

static LLVMValueRef insn_at(const struct bitcode *m, uint64_t address)
{
    uint64_t i = address - BITCODE_FIRST;
    return address >= BITCODE_FIRST && i < m->insn.len ? m->insn.data[i] : NULL;
}

bool bitcode_text(struct bitcode *m, uint64_t address, struct buf *out)
{
    LLVMValueRef i = insn_at(m, address);
    if (!i)
        return false;
    char *text = m->L.PrintValueToString(i);
    /* Attachments of metadata are numbers nobody can look up here. */
    char *cut = strstr(text, ", !");
    size_t n = strcspn(text, "\n");
    if (cut && (size_t)(cut - text) < n)
        n = (size_t)(cut - text);
    size_t indent = strspn(text, " ");
    buf_put(out, text + (indent < n ? indent : n), indent < n ? n - indent : 0);
    m->L.DisposeMessage(text);
    return true;
}

bool bitcode_line(struct bitcode *m, uint64_t address, struct bitcode_line *out)
{
    const struct llvm *L = &m->L;
    LLVMValueRef i = insn_at(m, address);
    LLVMMetadataRef at = i ? L->InstructionGetDebugLoc(i) : NULL;
    if (!at || !L->DILocationGetLine(at))
        return false;
    LLVMMetadataRef file = L->DIScopeGetFile(L->DILocationGetScope(at));
    unsigned n = 0;
    const char *name = file ? L->DIFileGetFilename(file, &n) : NULL;
    *out = (struct bitcode_line){.file = name ? arena_strndup(&m->arena, name, n) : NULL,
                                 .line = L->DILocationGetLine(at),
                                 .column = L->DILocationGetColumn(at),
                                 .inlined = L->DILocationGetInlinedAt(at) != NULL};
    return true;
}
