/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=nesting_flattened function=request_check kind=refactoring
 * strict: safe
 * analyst: safe
 * why: Nested conditions became early returns. */
#include <stddef.h>
#include <stdint.h>

struct request {
    uint32_t version, length, flags;
    const void *body;
};

extern int request_run(const struct request *r);

int request_check(const struct request *r)
{
#ifdef PATCHED
    if (r == NULL)
        return -22;
    if (r->version != 2)
        return -95;
    if (r->length > 4096)
        return -90;
    if (r->body == NULL)
        return -14;
    return request_run(r);
#else
    int rc = -22;

    if (r != NULL) {
        rc = -95;
        if (r->version == 2) {
            rc = -90;
            if (r->length <= 4096) {
                rc = -14;
                if (r->body != NULL)
                    rc = request_run(r);
            }
        }
    }
    return rc;
#endif
}
