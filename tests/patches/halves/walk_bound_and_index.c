/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=walk_bound_and_index function=map_walk kind=conjuncts parts=2
 * why: A map with more entries than its table, or an entry with an index past the end. */
struct map_entry {
    uint16_t key, index;
};
struct map {
    unsigned count;
    struct map_entry entry[64];
    uint32_t value[256];
};

extern void map_visit(unsigned key, uint32_t value);
extern void map_bad(const struct map *m, unsigned at);

int map_walk(const struct map *m, unsigned low)
{
    unsigned i, seen = 0;

    if (FIX(1) && m->count > 64) {
        map_bad(m, 64);
        return -1;
    }
    for (i = 0; i < m->count; i++) {
        const struct map_entry *e = &m->entry[i];

        if (e->key < low)
            continue;
        if (FIX(2) && e->index >= 256) {
            map_bad(m, i);
            return -2;
        }
        map_visit(e->key, m->value[e->index]);
        seen++;
    }
    return (int)seen;
}
