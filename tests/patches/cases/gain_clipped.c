/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=gain_clipped function=equalizer_set kind=floating-point
 * why: A gain that is not a number, or too great, made the filter unstable. */
struct band {
    double gain, frequency;
    float left, right;
    int active;
};
struct equalizer {
    struct band band[10];
    unsigned bands;
    double rate;
    uint32_t updates;
};

extern double power10(double x);
extern void filter_update(struct equalizer *e, unsigned band);
extern void equalizer_log(unsigned band);

int equalizer_set(struct equalizer *e, unsigned band, double decibel, double frequency)
{
    struct band *b;

    if (band >= e->bands || band >= 10)
        return -22;
    b = &e->band[band];
    if (frequency <= 0.0 || frequency * 2.0 >= e->rate)
        return -33;
#ifdef PATCHED
    if (!(decibel >= -24.0 && decibel <= 24.0))
        return -33;
#endif
#ifdef LATER
    e->updates++;
    if (b->active)
        equalizer_log(band);
#endif
    b->gain = power10(decibel / 20.0);
    b->frequency = frequency;
    b->active = 1;
    filter_update(e, band);
    return 0;
}
