/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of a function from DWARF: which are in scope, and where they are while the function runs. */
#include <dwarf.h>
#include <string.h>

#include "object/debug.h"

enum { SCOPES = 64, STACK = 32, OPERATIONS = 64 };

static bool sibling(Dwarf_Die *die)
{
    Dwarf_Die next;
    bool more = dwarf_siblingof(die, &next) == 0 && (const char *)next.addr > (const char *)die->addr;
    *die = next;
    return more;
}

/* Variables of one scope are added after those that are there; the scope below that covers the address goes
 * to *inner. */
static bool look_into(struct debug *d, uint64_t *budget, Dwarf_Die *scope, uint64_t address,
                      Dwarf_Off function, struct object_variable *out, size_t cap, size_t *n,
                      Dwarf_Die *inner)
{
    Dwarf_Die child;
    bool found = false;
    for (bool more = dwarf_child(scope, &child) == 0; more && debug_spend(budget); more = sibling(&child)) {
        int tag = dwarf_tag(&child);
        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) && !found &&
            debug_covers(budget, &child, address)) {
            *inner = child;
            found = true;
        }
        const char *name =
            tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ? debug_name(&child) : NULL;
        if (!name || dwarf_hasattr(&child, DW_AT_declaration))
            continue;
        if (*n < cap)
            out[*n] = (struct object_variable){.name = name,
                                               .type = debug_type(d, &child),
                                               .parameter = tag == DW_TAG_formal_parameter,
                                               .die = dwarf_dieoffset(&child),
                                               .function = function};
        ++*n;
    }
    return found;
}

size_t object_debug_variables(const struct object *o, uint64_t address, struct object_variable *out,
                              size_t cap)
{
    struct debug *d = debug_use(o);
    Dwarf_Die scope, inner;
    uint64_t budget;
    size_t n = 0;
    if (!d || !debug_function_die(d, address, &scope, &budget))
        return 0;
    Dwarf_Off function = dwarf_dieoffset(&scope);
    for (int depth = 0;
         depth < SCOPES && look_into(d, &budget, &scope, address, function, out, cap, &n, &inner); depth++)
        scope = inner;
    return n;
}

/* ---- where it is ---- */

struct evaluation {
    struct debug *d;
    uint64_t address;
    const struct object_view *view;
    Dwarf_Off function;
    bool in_frame_base;
};

static struct object_place locate(struct evaluation *e, Dwarf_Die *die, unsigned attribute);

/* Of a frame base that is a register: until the prologue has set it, it is the caller's. */
static bool prologue_done(const struct evaluation *e, Dwarf_Die *function)
{
    Dwarf_Die unit;
    Dwarf_Lines *lines;
    size_t n;
    Dwarf_Addr low, at;
    bool flagged = false;
    if (!dwarf_diecu(function, &unit, NULL, NULL) || dwarf_getsrclines(&unit, &lines, &n) != 0 ||
        dwarf_lowpc(function, &low) != 0)
        return true;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        bool end = false;
        if (!line || dwarf_lineaddr(line, &at) != 0 || at < low || dwarf_lineprologueend(line, &end) != 0 ||
            !end)
            continue;
        if (at <= e->address)
            return true;
        flagged = true;
    }
    return !flagged;
}

static bool frame_base(struct evaluation *e, uint64_t *out)
{
    Dwarf_Die function;
    if (e->in_frame_base || !dwarf_offdie(e->d->file.dwarf, e->function, &function))
        return false;
    struct evaluation inner = *e;
    inner.in_frame_base = true;
    struct object_place p = locate(&inner, &function, DW_AT_frame_base);
    if (p.kind == PLACE_REGISTER)
        return prologue_done(e, &function) && e->view->get(e->view->ctx, (unsigned)p.value, out);
    *out = p.value;
    return p.kind == PLACE_MEMORY || p.kind == PLACE_VALUE;
}

static uint64_t narrowed(uint64_t x, unsigned bytes)
{
    return bytes >= 8 ? x : x & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* One operation on the stack; false when it is not understood or there is not enough on it. */
static bool operate(struct evaluation *e, Dwarf_Attribute *attribute, const Dwarf_Op *op, uint64_t *stack,
                    unsigned *n)
{
    const struct object_view *v = e->view;
    uint64_t x = 0, *top = *n ? &stack[*n - 1] : NULL;
    unsigned atom = op->atom;
    Dwarf_Attribute indirect;
    Dwarf_Addr address;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
        x = atom - DW_OP_lit0;
    } else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
        if (!v->get(v->ctx, atom - DW_OP_breg0, &x))
            return false;
        x += op->number;
    } else if (atom == DW_OP_bregx) {
        if (!v->get(v->ctx, (unsigned)op->number, &x))
            return false;
        x += op->number2;
    } else if (atom == DW_OP_fbreg) {
        if (!frame_base(e, &x))
            return false;
        x += op->number;
    } else if (atom == DW_OP_call_frame_cfa) {
        x = v->cfa;
    } else if (atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts)) {
        x = op->number;
    } else if (atom == DW_OP_addrx || atom == DW_OP_GNU_addr_index) {
        if (dwarf_getlocation_attr(attribute, op, &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0)
            return false;
        x = address;
    } else if (atom == DW_OP_nop) {
        return true;
    } else if (!top) {
        return false;
    } else if (atom == DW_OP_plus_uconst) {
        *top += op->number;
        return true;
    } else if (atom == DW_OP_neg || atom == DW_OP_not) {
        *top = atom == DW_OP_neg ? -*top : ~*top;
        return true;
    } else if (atom == DW_OP_deref || atom == DW_OP_deref_size) {
        unsigned bytes = atom == DW_OP_deref ? v->pointer_bytes : (unsigned)op->number;
        return bytes <= 8 && v->load(v->ctx, *top, bytes, top);
    } else if (atom == DW_OP_drop) {
        --*n;
        return true;
    } else if (atom == DW_OP_dup) {
        x = *top;
    } else {
        if (*n < 2)
            return false;
        uint64_t b = stack[--*n], *a = &stack[*n - 1];
        switch (atom) {
        case DW_OP_plus:
            *a += b;
            return true;
        case DW_OP_minus:
            *a -= b;
            return true;
        case DW_OP_mul:
            *a *= b;
            return true;
        case DW_OP_and:
            *a &= b;
            return true;
        case DW_OP_or:
            *a |= b;
            return true;
        case DW_OP_xor:
            *a ^= b;
            return true;
        case DW_OP_shl:
            *a = b < 64 ? *a << b : 0;
            return true;
        case DW_OP_shr:
            *a = b < 64 ? *a >> b : 0;
            return true;
        default:
            return false;
        }
    }
    if (*n == STACK)
        return false;
    stack[(*n)++] = x;
    return true;
}

static struct object_place evaluate(struct evaluation *e, Dwarf_Attribute *attribute, const Dwarf_Op *op,
                                    size_t count)
{
    struct object_place none = {PLACE_NONE, 0};
    uint64_t stack[STACK];
    unsigned n = 0;
    for (size_t i = 0; i < count && i < OPERATIONS; i++) {
        unsigned atom = op[i].atom;
        bool last = i + 1 == count;
        if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
            return last && i == 0 ? (struct object_place){PLACE_REGISTER, atom - DW_OP_reg0} : none;
        if (atom == DW_OP_regx)
            return last && i == 0 ? (struct object_place){PLACE_REGISTER, op[i].number} : none;
        if (atom == DW_OP_stack_value)
            return last && n ? (struct object_place){PLACE_VALUE, stack[n - 1]} : none;
        if (!operate(e, attribute, &op[i], stack, &n))
            return none;
    }
    return n && count <= OPERATIONS
               ? (struct object_place){PLACE_MEMORY, narrowed(stack[n - 1], e->view->pointer_bytes)}
               : none;
}

static struct object_place locate(struct evaluation *e, Dwarf_Die *die, unsigned attribute)
{
    struct object_place none = {PLACE_NONE, 0};
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t count;
    Dwarf_Sword constant;
    if (attribute == DW_AT_location && !dwarf_hasattr(die, DW_AT_location) &&
        dwarf_attr_integrate(die, DW_AT_const_value, &a) && dwarf_formsdata(&a, &constant) == 0)
        return (struct object_place){PLACE_VALUE, (uint64_t)constant};
    if (!dwarf_attr_integrate(die, attribute, &a) ||
        dwarf_getlocation_addr(&a, e->address, &op, &count, 1) != 1 || !count)
        return none;
    return evaluate(e, &a, op, count);
}

struct object_place object_debug_place(const struct object *o, const struct object_variable *v,
                                       uint64_t address, const struct object_view *view)
{
    struct debug *d = debug_use(o);
    Dwarf_Die die;
    if (!d || !dwarf_offdie(d->file.dwarf, v->die, &die))
        return (struct object_place){PLACE_NONE, 0};
    struct evaluation e = {.d = d, .address = address, .view = view, .function = v->function};
    return locate(&e, &die, DW_AT_location);
}

/* ---- variables of the file ---- */

static bool no_register(void *ctx, unsigned number, uint64_t *out)
{
    (void)ctx, (void)number, (void)out;
    return false;
}

static bool no_memory(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    (void)ctx, (void)address, (void)bytes, (void)out;
    return false;
}

/* Where it always is. */
static bool place_always(struct debug *d, Dwarf_Die *die, struct object_global *out)
{
    const struct object_view nothing = {.pointer_bytes = 8, .get = no_register, .load = no_memory};
    struct evaluation e = {.d = d, .view = &nothing, .in_frame_base = true};
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t n;
    if (!dwarf_attr_integrate(die, DW_AT_location, &a) || dwarf_getlocation(&a, &op, &n) != 0 || !n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (op[i].atom == DW_OP_call_frame_cfa)
            return false;
    out->tls = op[n - 1].atom == DW_OP_form_tls_address || op[n - 1].atom == DW_OP_GNU_push_tls_address;
    struct object_place p = evaluate(&e, &a, op, n - out->tls);
    out->address = p.value;
    return p.kind == PLACE_MEMORY;
}

enum { IMPORTS = 4 };

/* Of one scope; what says where it is goes before a declaration. */
static void look_for_global(struct debug *d, uint64_t *budget, Dwarf_Die *scope, const char *name,
                            unsigned depth, bool *found, struct object_global *out)
{
    Dwarf_Die child, part;
    Dwarf_Attribute import;
    for (bool more = dwarf_child(scope, &child) == 0; more && !out->placed && debug_spend(budget);
         more = sibling(&child)) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_imported_unit && depth < IMPORTS && dwarf_attr(&child, DW_AT_import, &import) &&
            dwarf_formref_die(&import, &part))
            look_for_global(d, budget, &part, name, depth + 1, found, out);
        if (tag != DW_TAG_variable)
            continue;
        const char *this = debug_name(&child);
        if (!this || strcmp(this, name) != 0)
            continue;
        struct object_global g = {.type = debug_type(d, &child)};
        g.placed = place_always(d, &child, &g);
        if (g.placed || !*found)
            *out = g;
        *found = true;
    }
}

/* Where the unit is that defines for all what another one declares. */
static void look_in_other_units(struct debug *d, const char *name, struct object_global *out)
{
    for (size_t i = 0; i < d->unit.len && !out->placed; i++) {
        Dwarf_Die unit, child;
        uint64_t budget = d->unit.data[i].size + 4096;
        if (!dwarf_offdie(d->file.dwarf, d->unit.data[i].die, &unit))
            continue;
        for (bool more = dwarf_child(&unit, &child) == 0; more && !out->placed && debug_spend(&budget);
             more = sibling(&child)) {
            const char *this = dwarf_tag(&child) == DW_TAG_variable ? debug_name(&child) : NULL;
            struct object_global g = {.type = out->type};
            Dwarf_Attribute a;
            bool all = false;
            if (this && strcmp(this, name) == 0 && dwarf_attr_integrate(&child, DW_AT_external, &a) &&
                dwarf_formflag(&a, &all) == 0 && all && place_always(d, &child, &g)) {
                g.placed = true;
                *out = g;
            }
        }
    }
}

bool object_debug_global(const struct object *o, uint64_t address, const char *name,
                         struct object_global *out)
{
    struct debug *d = debug_use(o);
    Dwarf_Die scope;
    uint64_t budget;
    bool found = false;
    *out = (struct object_global){0};
    if (d && debug_function_die(d, address, &scope, &budget))
        look_for_global(d, &budget, &scope, name, IMPORTS, &found, out);
    if (found && out->placed) /* a local variable that is not always there is none */
        return true;
    found = false;
    *out = (struct object_global){0};
    if (d && debug_unit_die(d, address, &scope, &budget))
        look_for_global(d, &budget, &scope, name, 0, &found, out);
    if (found && !out->placed)
        look_in_other_units(d, name, out);
    return found;
}
