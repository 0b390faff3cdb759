/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=global_limit_store function=set_log_limit kind=store
 * why: What a user asks for was stored without the lower bound that the writer relies on. */
extern uint32_t log_limit, log_flags;
extern int log_ready;

extern int parse_size(const char *text, uint64_t *out);
extern void log_reopen(uint32_t limit);
extern void config_error(const char *key, const char *value);

int set_log_limit(const char *text, int persistent)
{
    uint64_t v;

    if (parse_size(text, &v) < 0) {
        config_error("log.limit", text);
        return -22;
    }
    if (v > 0x40000000) {
        config_error("log.limit", text);
        return -34;
    }
#ifdef LATER
    if (persistent)
        log_flags |= 4;
    else
        log_flags &= ~4u;
#endif
#ifdef PATCHED
    log_limit = v < 4096 ? 4096 : (uint32_t)v;
#else
    log_limit = (uint32_t)v;
#endif
    if (log_ready)
        log_reopen(log_limit);
#ifdef LATER
    log_ready |= 2;
#endif
    return 0;
}
