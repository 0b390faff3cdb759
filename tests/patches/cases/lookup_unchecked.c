/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=lookup_unchecked function=rtp_receive kind=null-check
 * why: A payload type nobody registered has no decoder. */
struct decoder {
    int rate, channels;
    int (*decode)(struct decoder *d, const uint8_t *p, size_t n, int16_t *out);
    uint64_t frames;
};
struct stream {
    uint32_t source;
    uint16_t last;
    uint32_t lost, received;
};

extern struct decoder *decoder_for(unsigned type);
extern int jitter_insert(struct stream *s, uint16_t sequence, const int16_t *samples, int n);
extern void stream_report(const struct stream *s);

int rtp_receive(struct stream *s, const uint8_t *p, size_t n, int16_t *scratch)
{
    struct decoder *d;
    uint16_t sequence;
    int samples;

    if (n < 12 || (p[0] & 0xc0) != 0x80)
        return -71;
    sequence = (uint16_t)(p[2] << 8 | p[3]);
    s->lost += (uint16_t)(sequence - s->last - 1);
    s->last = sequence;
    d = decoder_for(p[1] & 0x7f);
#ifdef PATCHED
    if (d == NULL)
        return -95;
#endif
#ifdef LATER
    s->received++;
    if ((s->received & 0xff) == 0)
        stream_report(s);
#endif
    samples = d->decode(d, p + 12, n - 12, scratch);
    if (samples < 0)
        return samples;
    d->frames += (uint64_t)samples;
    return jitter_insert(s, sequence, scratch, samples);
}
