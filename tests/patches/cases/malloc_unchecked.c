/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=malloc_unchecked function=widget_create kind=null-check
 * why: Memory that could not be had was written to. */
struct widget {
    int id, x, y;
    unsigned flags;
    struct widget *parent, *children, *next;
    void *data;
};

extern void widget_redraw(struct widget *w);
extern int widget_next_id(void);

struct widget *widget_create(struct widget *parent, int x, int y, unsigned flags)
{
    struct widget *w = malloc(sizeof *w);

#ifdef PATCHED
    if (w == NULL)
        return NULL;
#endif
    w->id = widget_next_id();
    w->x = x;
    w->y = y;
    w->flags = flags & 0xffff;
    w->data = NULL;
    w->children = NULL;
    w->parent = parent;
#ifdef LATER
    if (parent != NULL && (parent->flags & 0x40))
        w->flags |= 0x40;
#endif
    if (parent != NULL) {
        w->next = parent->children;
        parent->children = w;
        widget_redraw(parent);
    } else {
        w->next = NULL;
    }
#ifdef LATER
    widget_redraw(w);
#endif
    return w;
}
