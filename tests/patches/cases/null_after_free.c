/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=null_after_free function=stream_reset kind=use-after-free
 * why: The buffer could be freed again when the stream is closed. */
struct inflate {
    void *window;
    uint8_t *buffer;
    uint32_t have, need, resets;
    int mode;
};

extern void window_release(void *w);
extern void inflate_trace(const struct inflate *s);

int stream_reset(struct inflate *s, int keep)
{
    if (s->mode < 0 || s->mode > 31)
        return -2;
#ifdef LATER
    inflate_trace(s);
#endif
    if (!keep) {
        free(s->buffer);
#ifdef PATCHED
        s->buffer = NULL;
#endif
        window_release(s->window);
        s->window = NULL;
    }
    s->have = 0;
    s->need = keep ? s->need : 0;
#ifdef LATER
    s->resets++;
#endif
    s->mode = 16;
    return 0;
}
