/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=list_push_null function=list_push kind=null-check
 * strict: safe
 * analyst: safe
 * why: A push onto no list is an error instead of a crash. */
#include <stddef.h>
#include <stdint.h>

struct node {
    struct node *next, *prev;
    void *item;
};
struct list {
    struct node *head, *tail;
    unsigned count;
};

extern void *mem_alloc(size_t size);

int list_push(struct list *list, void *item)
{
    struct node *n;

#ifdef PATCHED
    if (list == NULL)
        return -1;
#endif
    n = mem_alloc(sizeof *n);
    if (n == NULL)
        return -1;
    n->item = item;
    n->next = NULL;
    n->prev = list->tail;
    if (list->tail != NULL)
        list->tail->next = n;
    else
        list->head = n;
    list->tail = n;
    list->count++;
    return 0;
}
