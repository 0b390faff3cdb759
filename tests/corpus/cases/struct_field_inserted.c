/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=struct_field_inserted function=job_submit kind=struct-layout
 * strict: unsafe P2
 * analyst: safe accept=Q1,Q2
 * why: A field was put into the middle of a structure, so that everything behind it is written elsewhere. */
#include <stddef.h>
#include <stdint.h>

struct job {
    uint32_t id, kind;
#ifdef PATCHED
    uint32_t priority;
#endif
    uint32_t state;
    void *arg;
    uint32_t submitted;
};

extern uint32_t next_id(void);
extern int queue_add(void *q, struct job *j);

int job_submit(void *q, struct job *j, uint32_t kind, void *arg)
{
    if (kind > 15)
        return -22;
    j->id = next_id();
    j->kind = kind;
    j->state = 1;
    j->arg = arg;
    j->submitted = 1;
    if (queue_add(q, j) != 0)
        return -11;
    return 0;
}
