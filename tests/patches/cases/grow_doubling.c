/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=grow_doubling function=vector_reserve kind=overflow
 * why: Doubling a size that has its top bit set gives a smaller one. */
struct item {
    uint32_t key, value;
    void *data;
};
struct vector {
    struct item *items;
    uint32_t used, room;
    uint32_t moves;
};

extern void vector_fail(struct vector *v, int why);

int vector_reserve(struct vector *v, uint32_t wanted)
{
    struct item *p;
    uint32_t room = v->room ? v->room : 8;

    if (wanted <= v->room)
        return 0;
    while (room < wanted) {
#ifdef PATCHED
        if (room > 0x7fffffffu) {
            vector_fail(v, 2);
            return -75;
        }
#endif
        room *= 2;
    }
#ifdef LATER
    if (room < 64)
        room = 64;
#endif
    p = realloc(v->items, (size_t)room * sizeof *p);
    if (p == NULL) {
        vector_fail(v, 1);
        return -12;
    }
#ifdef LATER
    if (p != v->items)
        v->moves++;
#endif
    v->items = p;
    v->room = room;
    return 0;
}
