/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=sensor_scale_nan function=sensor_update kind=floating-point
 * why: A reading that is not a number or far too large went into the average and stayed there. */
struct sensor {
    double average, scale, offset;
    uint32_t samples, rejected;
    uint8_t state;
};

extern double sensor_raw(unsigned channel);
extern void sensor_alarm(unsigned channel, double value);

int sensor_update(struct sensor *s, unsigned channel)
{
    double v = sensor_raw(channel) * s->scale + s->offset;

    if (s->state == 0)
        return -19;
#ifdef PATCHED
    if (!(v >= -273.15 && v <= 1500.0)) {
        s->rejected++;
        return -34;
    }
#endif
    s->average = s->average * 0.875 + v * 0.125;
    s->samples++;
#ifdef LATER
    if (s->samples == 1)
        s->average = v;
#endif
    if (s->average > 85.0)
        sensor_alarm(channel, s->average);
    return 0;
}
