/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=switch_to_ifs function=key_event kind=refactoring
 * strict: safe
 * analyst: safe
 * why: A switch over a few values became a chain of conditions. */
#include <stddef.h>
#include <stdint.h>

struct view {
    int row, col, dirty;
};

extern void view_redraw(struct view *v);

int key_event(struct view *v, int key)
{
#ifdef PATCHED
    if (key == 'h')
        v->col -= 1;
    else if (key == 'l')
        v->col += 1;
    else if (key == 'k')
        v->row -= 1;
    else if (key == 'j')
        v->row += 1;
    else
        return -1;
#else
    switch (key) {
    case 'h':
        v->col -= 1;
        break;
    case 'l':
        v->col += 1;
        break;
    case 'k':
        v->row -= 1;
        break;
    case 'j':
        v->row += 1;
        break;
    default:
        return -1;
    }
#endif
    v->dirty = 1;
    view_redraw(v);
    return 0;
}
