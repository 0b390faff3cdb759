/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings, tried out from the state: both programs are run to the call, the witness is written into them,
 * and they go on to their end. That the call leaves another state behind shows nothing by itself: a repair
 * may have another error code, or a larger block. What the program prints then, and how it ends, is what
 * anybody can see of it. */
#include <stdlib.h>
#include <string.h>

#include "poc/confirm.h"

static bool write_witness(struct process *p, const struct poc_side *side, const poc_patches *patch,
                          const struct poc_witness *w)
{
    const struct ir_machine *m = side->s->m;
    bool ok = true;
    for (size_t i = 0; i < patch->len && ok; i++) {
        const struct poc_patch *x = &patch->data[i];
        ok = x->is_register ? process_register_set(p, (unsigned)x->at, x->value)
                            : process_write(p, x->at, &x->value, x->bytes);
    }
    uint64_t sp = 0;
    memcpy(&sp, side->s->registers + m->sp, m->pointer_width / 8);
    for (size_t i = 0; i < w->nvalues && ok; i++) {
        const struct poc_value *v = &w->value[i];
        if (!v->argument)
            ok = process_write(p, v->address, &v->is, v->bytes);
        else if (v->index < m->nargs)
            ok = process_register_set(p, m->arg[v->index], v->is);
        else
            ok =
                process_write(p, sp + m->stack_arg + (uint64_t)(v->index - m->nargs) * (m->pointer_width / 8),
                              &v->is, v->bytes);
    }
    return ok;
}

struct ended {
    bool ok, returned;
    struct poc_crash crash; /* of the call */
    uint64_t result;
    uint8_t *objects; /* what objects of the abstract state hold when the call has returned */
    size_t nobjects;
    struct poc_did did; /* how the program ends after that */
};

/* What the call has left behind. */
static void take_returned(struct ended *e, const struct poc_abstract *a, struct process *p,
                          const struct ir_machine *m)
{
    e->result = process_register(p, m->ret);
    for (size_t i = 0; i < a->object.len; i++)
        e->nobjects += a->object.data[i].kind == POC_HEAP ? a->object.data[i].size : 0;
    e->objects = xcalloc(1, e->nobjects + 1);
    size_t at = 0;
    for (size_t i = 0; i < a->object.len; i++)
        if (a->object.data[i].kind == POC_HEAP) {
            process_read(p, a->object.data[i].base, e->objects + at, a->object.data[i].size);
            at += a->object.data[i].size;
        }
}

/* From the state to the end. With `all`, memory that nobody has written to holds something else, and what is
 * no crash to anybody else is one, too. */
static struct ended go_on(struct poc_runs *r, unsigned which, const struct poc_finding *f, bool all)
{
    struct poc_side *side = r->side[which];
    struct run_target target = *(which ? r->new : r->old), *t = &target;
    const struct poc_side like = all ? confirm_checks(r) : *side;
    t->fill = all ? CONFIRM_FILL : 0;
    struct ended e = {0};
    struct error err = {0};
    struct watch_outcome out = {0};
    struct process *p = watch_call(t, side->f->address, r->call, &err);
    bool there = p && write_witness(p, side, &r->patch[which], &f->witness);
    struct snapshot s;
    if (there && like.checked && snapshot_take(p, t, side->s, &s, &err)) {
        e.crash = poc_check_call(&like, &s);
        snapshot_free(&s);
        e.ok = e.crash.kind != POC_NONE;
    }
    if (!there || e.ok || !watch_return(p, t, &out, &err)) {
        process_end(p);
        return e;
    }
    e.ok = true;
    e.returned = out.returned;
    bool ended = !out.returned;
    if (out.returned) {
        take_returned(&e, r->side[0]->a, p, side->s->m);
        ended = watch_end(p, t, &out.run, &err);
    } else {
        e.crash = poc_crash_of(&out.run, side->p, r->guard_file, side->guard);
    }
    if (ended)
        e.did = confirm_did(r, which, t, &out.run);
    watch_run_free(&out.run);
    process_end(p);
    return e;
}

/* Whether what the original does in the state is defined, where it ends as *o says. */
static bool is_defined(struct poc_runs *r, const struct poc_finding *f, const struct ended *o)
{
    struct ended all = go_on(r, 0, f, true);
    const bool same = all.ok && !all.crash.kind && confirm_same_end(&o->did, &all.did);
    free(all.objects);
    return same;
}

/* Whether the two calls leave something else behind. */
static bool leave_other(const struct poc_runs *r, const struct ended *o, const struct ended *n)
{
    const struct object_function_debug *d =
        object_debug_function(program_object(r->side[0]->p), r->side[0]->f->address);
    uint64_t size = d && d->result ? d->result->size : 0;
    uint64_t mask = size && size < 8 ? (UINT64_C(1) << size * 8) - 1 : ~UINT64_C(0);
    bool result = !d || d->result;
    if (!o->returned || !n->returned)
        return o->returned != n->returned;
    return (result && ((o->result ^ n->result) & mask)) ||
           (o->nobjects == n->nobjects && memcmp(o->objects, n->objects, n->nobjects) != 0);
}

enum poc_shown poc_confirm_state(struct poc_runs *r, const struct poc_finding *f, bool refute)
{
    struct ended n = go_on(r, 1, f, false);
    enum poc_shown shown = POC_SHOWN_NOT;
    if (n.ok && f->which != POC_NORMAL_NORMAL) {
        shown = !n.returned && poc_crash_same(&n.crash, &f->crash) ? POC_SHOWN_OUTSIDE : POC_SHOWN_NOT;
    } else if (n.ok && !n.crash.kind) {
        struct ended o = go_on(r, 0, f, false);
        struct poc_confirmation c = {0};
        bool ok = o.ok && !o.crash.kind;
        const bool outside = ok && confirm_compare(r, &o.did, &n.did, &c) && !c.failed;
        if (outside && (!refute || is_defined(r, f, &o)))
            shown = POC_SHOWN_OUTSIDE;
        else if (outside || (ok && leave_other(r, &o, &n)))
            shown = POC_SHOWN_INSIDE;
        free(o.objects);
    }
    free(n.objects);
    return shown;
}
