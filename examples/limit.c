/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function to look at as bitcode: docs/bitcode.md. */
void report(const char *what, int value);

static const int limits[] = {10, 100, 1000};

int checked(unsigned level, int value)
{
    if (level > 2)
        level = 2;
    if (value > limits[level]) {
        report("too large", value);
        return -1;
    }
    return value * 2;
}
