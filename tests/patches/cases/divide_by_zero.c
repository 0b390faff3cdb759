/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=divide_by_zero function=avi_stream_duration kind=condition
 * why: A scale of zero from the file ended the program. */
struct avi_stream {
    uint32_t scale, rate, start, length, frame_size;
    uint64_t duration;
    int kind;
};

extern void avi_warn(const struct avi_stream *s, const char *format, ...);
extern uint32_t avi_u32(const uint8_t *p);

int avi_stream_duration(struct avi_stream *s, const uint8_t *head, uint32_t n)
{
    if (n < 48)
        return -74;
    s->scale = avi_u32(head + 20);
    s->rate = avi_u32(head + 24);
    s->start = avi_u32(head + 28);
    s->length = avi_u32(head + 32);
#ifdef PATCHED
    if (s->scale == 0 || s->rate == 0) {
#else
    if (s->rate == 0) {
#endif
        avi_warn(s, "rate %u/%u is invalid", s->rate, s->scale);
        s->rate = 25;
        s->scale = 1;
    }
    s->duration = (uint64_t)s->length * s->rate / s->scale;
#ifdef LATER
    s->frame_size = avi_u32(head + 44);
    if (s->kind == 2 && s->frame_size == 0)
        avi_warn(s, "audio without sample size");
#endif
    return 0;
}
