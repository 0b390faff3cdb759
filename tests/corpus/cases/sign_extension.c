/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=sign_extension function=sample_scale kind=narrowing
 * strict: unsafe P2
 * analyst: unsafe
 * why: Samples became unsigned, so that negative ones are no longer extended. */
#include <stddef.h>
#include <stdint.h>

struct mixer {
    int32_t acc, peak;
    uint32_t samples;
};

int sample_scale(struct mixer *m, const uint8_t *p, unsigned gain)
{
#ifdef PATCHED
    int32_t v = (uint16_t)(p[0] | p[1] << 8);
#else
    int32_t v = (int16_t)(p[0] | p[1] << 8);
#endif

    if (gain > 16)
        return -34;
    v *= (int32_t)gain;
    m->acc += v;
    if (v > m->peak)
        m->peak = v;
    m->samples++;
    return 0;
}
