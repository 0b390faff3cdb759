/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=same_check_twice function=frame_pair kind=call-sites parts=2
 * why: The parser returns a null pointer for a bad frame, and two calls did not expect that. */
struct frame {
    unsigned length, kind;
    const uint8_t *body;
};

extern struct frame *frame_next(void *stream);
extern void frame_use(const uint8_t *body, unsigned n);

int frame_pair(void *stream, unsigned kind)
{
    struct frame *f = frame_next(stream);

    if (FIX(1) && f == NULL)
        return -61;
    if (f->kind != kind)
        return -1;
    frame_use(f->body, f->length);
    f = frame_next(stream);
    if (FIX(2) && f == NULL)
        return -61;
    frame_use(f->body, f->length);
    return 0;
}
