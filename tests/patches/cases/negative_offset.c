/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=negative_offset function=blob_pread kind=signedness
 * why: An offset below zero was added to the start of the data. */
struct blob {
    const uint8_t *data;
    int64_t size;
    int open, touched;
};

extern void blob_error(struct blob *b, int code);
extern void blob_prefetch(struct blob *b, int64_t offset);

int blob_pread(struct blob *b, uint8_t *to, int64_t offset, int amount)
{
    if (!b->open) {
        blob_error(b, 4);
        return -1;
    }
#ifdef PATCHED
    if (amount < 0 || offset < 0 || offset + amount > b->size) {
#else
    if (amount < 0 || offset + amount > b->size) {
#endif
        blob_error(b, 1);
        return -1;
    }
#ifdef LATER
    if (amount > 4096)
        blob_prefetch(b, offset + 4096);
#endif
    memcpy(to, b->data + offset, (size_t)amount);
#ifdef LATER
    b->touched = 1;
#endif
    return amount;
}
