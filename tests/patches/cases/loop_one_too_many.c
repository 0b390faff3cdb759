/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=loop_one_too_many function=mixer_apply kind=loop
 * why: The last turn of the loop was one channel too many. */
struct mixer {
    uint32_t channels;
    int32_t gain[8];
    int32_t level[8];
    int32_t master, peak;
};

extern void mixer_update(struct mixer *m, uint32_t channel, int32_t level);

int mixer_apply(struct mixer *m, const int16_t *in, int32_t *out)
{
    uint32_t i;
    int32_t sum = 0;

    if (m->channels > 8)
        return -22;
#ifdef PATCHED
    for (i = 0; i < m->channels; i++) {
#else
    for (i = 0; i <= m->channels; i++) {
#endif
        int32_t v = in[i] * m->gain[i];

        if (v > 0x7fff00)
            v = 0x7fff00;
        m->level[i] = v >> 8;
        mixer_update(m, i, v >> 8);
        sum += v >> 8;
    }
#ifdef LATER
    if (sum > m->peak)
        m->peak = sum;
    sum += m->master & 1;
#endif
    *out = sum * m->master;
    return 0;
}
