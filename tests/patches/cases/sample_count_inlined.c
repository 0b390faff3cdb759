/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=sample_count_inlined function=table_bytes caller=read_sample_table kind=inlined
 * why: The product of what the file says can be smaller than both factors. */
struct track {
    uint32_t samples, sample_size;
    uint32_t *table;
    int complete;
};

extern uint32_t box_u32(void *box);
extern int box_read(void *box, void *to, uint32_t bytes);
extern void box_warn(void *box, const char *what);

static uint32_t table_bytes(uint32_t count, uint32_t each)
{
#ifdef PATCHED
    if (each != 0 && count > 0xffffffffu / each)
        return 0;
#endif
    return count * each;
}

int read_sample_table(void *box, struct track *t)
{
    uint32_t bytes;

    t->sample_size = box_u32(box);
    t->samples = box_u32(box);
#ifdef LATER
    t->complete = 0;
    if (t->samples == 0)
        return 0;
#endif
    bytes = table_bytes(t->samples, t->sample_size);
    if (bytes == 0) {
        box_warn(box, "empty sample table");
        return -22;
    }
    t->table = malloc(bytes);
    if (t->table == NULL)
        return -12;
    if (box_read(box, t->table, bytes) < 0) {
        free(t->table);
        t->table = NULL;
        return -5;
    }
#ifdef LATER
    t->complete = 1;
#endif
    return 0;
}
