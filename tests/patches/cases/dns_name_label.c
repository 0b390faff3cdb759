/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=dns_name_label function=dns_expand_name kind=constant
 * why: A label has 63 bytes at most; 64 passed, one more than the buffer holds. */
struct dns_message {
    const uint8_t *data;
    size_t size;
    int error;
};

extern void dns_log(int level, const char *what, size_t at);

#ifdef PATCHED
#define LABEL_MAX 63
#else
#define LABEL_MAX 64
#endif

int dns_expand_name(struct dns_message *m, size_t offset, char *out, size_t room)
{
    char label[64];
    size_t used = 0, length, i;
#ifdef LATER
    int labels = 0;
#endif

    while (offset < m->size) {
        length = m->data[offset++];
        if (length == 0) {
            out[used] = '\0';
            return (int)offset;
        }
#ifdef LATER
        if (++labels > 127) {
            m->error = 7;
            return -1;
        }
#endif
        if (length > LABEL_MAX) {
            dns_log(3, "label too long", offset);
            m->error = 1;
            return -1;
        }
        if (length > m->size - offset || used + length + 1 >= room) {
            m->error = 2;
            return -1;
        }
        for (i = 0; i < length; i++)
            label[i] = (char)m->data[offset + i];
        label[length] = '\0';
        memcpy(out + used, label, length);
        used += length;
        out[used++] = '.';
        offset += length;
    }
    m->error = 3;
    return -1;
}
