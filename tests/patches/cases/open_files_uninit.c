/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=open_files_uninit function=open_files kind=context
 * why: Options were not released when they could not be parsed; the same call is there for the other way
 * (after CVE-2020-20451). */
struct options {
    int format;
    uint64_t limit;
    void *streams;
    char *title;
};
struct group_list {
    int count;
    const char **arg;
};

extern void log_line(void *ctx, int level, const char *format, ...);
extern void init_options(struct options *o);
extern void uninit_options(struct options *o);
extern int parse_group(struct options *o, const char *arg);

int open_files(struct group_list *l, const char *inout,
               int (*open_file)(const struct options *o, const char *name))
{
    int i, ret;

    for (i = 0; i < l->count; i++) {
        struct options o;

        init_options(&o);
#ifdef LATER
        o.limit = 1 << 20;
        o.title = NULL;
#endif
        ret = parse_group(&o, l->arg[i]);
        if (ret < 0) {
            log_line(NULL, 16, "Error parsing options for %s file %s.\n", inout, l->arg[i]);
#ifdef PATCHED
            uninit_options(&o);
#endif
            return ret;
        }
        log_line(NULL, 48, "Opening an %s file: %s.\n", inout, l->arg[i]);
        ret = open_file(&o, l->arg[i]);
        uninit_options(&o);
        if (ret < 0) {
            log_line(NULL, 16, "Error opening %s file %s.\n", inout, l->arg[i]);
            return ret;
        }
#ifdef LATER
        log_line(NULL, 56, "Opened %s file %d.\n", inout, i);
#else
        log_line(NULL, 48, "Successfully opened the file.\n");
#endif
    }
    return 0;
}
