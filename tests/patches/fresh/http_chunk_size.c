/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=http_chunk_size function=http_chunk_header kind=integer-overflow
 * why: A chunk's size of more than sixteen digits wrapped, and the rest of the body was taken for the next request. */
struct http_body {
    uint64_t left;
    uint32_t chunks;
    uint8_t state;
    uint8_t last;
};

int http_chunk_header(struct http_body *b, const char *line, size_t length)
{
    uint64_t size = 0;
    size_t i;

    if (length == 0)
        return -22;
    for (i = 0; i < length; i++) {
        unsigned c = (unsigned char)line[i], digit;

        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            digit = (c | 32) - 'a' + 10;
        else
            break;
#ifdef PATCHED
        if (size > ((uint64_t)1 << 58))
            return -75;
#endif
        size = size * 16 + digit;
    }
    if (i == 0)
        return -22;
    if (i < length && line[i] != ';' && line[i] != ' ')
        return -22;
#ifdef LATER
    if (b->chunks > 100000)
        return -90;
#endif
    b->left = size;
    b->chunks++;
    b->last = size == 0;
    b->state = b->last ? 4 : 2;
    return 0;
}
