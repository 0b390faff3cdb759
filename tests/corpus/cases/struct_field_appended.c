/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=struct_field_appended function=job_submit kind=struct-layout
 * strict: safe
 * analyst: safe
 * why: A field was put at the end of the structure, and a check of the queue was added; no offset moved. */
#include <stddef.h>
#include <stdint.h>

struct job {
    uint32_t id, kind, state;
    void *arg;
    uint32_t submitted;
#ifdef PATCHED
    uint32_t priority;
#endif
};

extern uint32_t next_id(void);
extern int queue_add(void *q, struct job *j);

int job_submit(void *q, struct job *j, uint32_t kind, void *arg)
{
    if (kind > 15)
        return -22;
#ifdef PATCHED
    if (q == NULL)
        return -22;
#endif
    j->id = next_id();
    j->kind = kind;
    j->state = 1;
    j->arg = arg;
    j->submitted = 1;
    if (queue_add(q, j) != 0)
        return -11;
    return 0;
}
