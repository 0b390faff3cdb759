/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=month_index function=date_to_days kind=missing-bound
 * why: A month of 0 or above 12 read outside the table. */
static const uint16_t days_before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

extern int parse_number(const char **s, int digits);

int date_to_days(const char *s, int32_t *out)
{
    int year = parse_number(&s, 4), month = parse_number(&s, 2), day = parse_number(&s, 2);
    int32_t days;

    if (year < 1601 || year > 9999)
        return -33;
#ifdef PATCHED
    if (month < 1 || month > 12)
        return -33;
#endif
    if (day < 1 || day > 31)
        return -33;
    days = (year - 1601) * 365 + (year - 1601) / 4 - (year - 1601) / 100 + (year - 1601) / 400;
    days += days_before[month - 1] + day - 1;
    if (month > 2 && ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0))
        days++;
#ifdef LATER
    if (*s != '\0' && *s != 'T')
        return -22;
#endif
    *out = days;
    return 0;
}
