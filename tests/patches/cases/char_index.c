/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=char_index function=count_letters kind=signedness
 * why: Where char is signed, a byte from 128 on indexed before the table. */
struct histogram {
    uint32_t count[256];
    uint32_t words, bytes;
};

extern int histogram_emit(const struct histogram *h);

int count_letters(struct histogram *h, const signed char *text, size_t size)
{
    size_t i;
    int inside = 0;

    for (i = 0; i < size; i++) {
        int c = text[i];

#ifdef PATCHED
        h->count[(unsigned char)c]++;
#else
        h->count[c]++;
#endif
        if (c == ' ' || c == '\n' || c == '\t') {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            h->words++;
        }
#ifdef LATER
        if (c == '\f')
            h->words += 2;
#endif
    }
#ifdef LATER
    h->bytes += (uint32_t)size;
#endif
    return histogram_emit(h);
}
