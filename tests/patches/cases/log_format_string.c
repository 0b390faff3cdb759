/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=log_format_string function=report_failure kind=format-string
 * why: What a client sent was used as a format. */
struct client {
    int fd;
    char name[64];
    unsigned failures;
};

extern void sys_log(int priority, const char *format, ...);
extern void client_drop(struct client *c);
extern void client_delay(struct client *c, unsigned seconds);

void report_failure(struct client *c, const char *text, int severity)
{
    char line[256];

    if (text == NULL || text[0] == '\0')
        text = "unspecified";
    c->failures++;
    if (severity > 7)
        severity = 7;
    snprintf(line, sizeof line, "client %s: %s", c->name, text);
#ifdef PATCHED
    sys_log(severity, "%s", line);
#else
    sys_log(severity, line);
#endif
#ifdef LATER
    if (c->failures > 2)
        client_delay(c, c->failures * 2);
#endif
    if (c->failures >= 5) {
        sys_log(4, "dropping %s after %u failures", c->name, c->failures);
        client_drop(c);
    }
}
