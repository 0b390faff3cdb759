/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=length_truncated function=vnc_cut_text kind=signedness
 * why: The length was kept in 16 bits, the bytes were not. */
struct vnc {
    uint8_t *clipboard;
    uint32_t clipboard_length;
    uint32_t features;
};

extern int vnc_read(struct vnc *v, void *to, uint32_t n);
extern void vnc_disconnect(struct vnc *v);
extern void clipboard_changed(struct vnc *v);

int vnc_cut_text(struct vnc *v, const uint8_t *head)
{
    uint32_t said = (uint32_t)head[4] << 24 | (uint32_t)head[5] << 16 | (uint32_t)head[6] << 8 | head[7];
#ifdef PATCHED
    uint32_t length = said;
#else
    uint16_t length = (uint16_t)said;
#endif
    uint8_t *p;

#ifdef LATER
    if (!(v->features & 4))
        return 0;
#endif
    if (length > 1u << 20) {
        vnc_disconnect(v);
        return -1;
    }
    p = malloc(length + 1);
    if (p == NULL)
        return -12;
    if (vnc_read(v, p, said) < 0) {
        free(p);
        return -5;
    }
    p[length] = 0;
    free(v->clipboard);
    v->clipboard = p;
    v->clipboard_length = length;
#ifdef LATER
    clipboard_changed(v);
#endif
    return 0;
}
