/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=wrong_field_length function=buffer_append kind=structure-offset
 * why: The room was computed from the bytes in use and not from the capacity, or rather the other way round.
 */
struct byte_buffer {
    uint8_t *data;
    uint32_t used, capacity, mark;
    int fixed;
};

extern int buffer_grow(struct byte_buffer *b, uint32_t to);
extern void buffer_stat(const struct byte_buffer *b, uint32_t n);

int buffer_append(struct byte_buffer *b, const void *p, uint32_t n)
{
#ifdef LATER
    if (n == 0)
        return 0;
#endif
    if (n > 0x7fffffffu)
        return -75;
#ifdef PATCHED
    if (b->capacity - b->used < n) {
#else
    if (b->capacity - b->mark < n) {
#endif
        if (b->fixed)
            return -105;
        if (buffer_grow(b, b->used + n) < 0)
            return -12;
    }
    memcpy(b->data + b->used, p, n);
    b->used += n;
#ifdef LATER
    buffer_stat(b, n);
#endif
    return (int)n;
}
