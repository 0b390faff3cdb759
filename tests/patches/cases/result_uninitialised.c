/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=result_uninitialised function=sensor_average kind=initialisation
 * why: Without a sample the caller got what was on the stack. */
struct sensor {
    int (*sample)(struct sensor *s, int32_t *value);
    int samples, faults;
    int32_t offset, last;
};

extern void sensor_delay(struct sensor *s, int ms);

int sensor_average(struct sensor *s, int32_t *average)
{
    int32_t value, sum = 0;
    int i, good = 0;

    for (i = 0; i < s->samples; i++) {
#ifdef PATCHED
        value = 0;
#endif
        if (s->sample(s, &value) < 0)
            s->faults++;
        else
            good++;
        sum += value - s->offset;
#ifdef LATER
        sensor_delay(s, 5);
#endif
    }
    if (good == 0)
        return -5;
    *average = sum / good;
#ifdef LATER
    s->last = *average;
#endif
    return good;
}
