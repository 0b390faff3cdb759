/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands share. A command is one file and one `struct command`; main.c dispatches. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/options.h"

/* Exit codes, the same for every command. */
enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_BAD = 2, EXIT_UNKNOWN = 3 };

/* Options every command has; the first member of every command's options. */
struct common {
    uint64_t jobs, timeout, memory;
    unsigned color; /* position in "auto|always|never" */
    bool stats, quiet, help, version;
    struct option_list debug_dirs;
    bool debuginfod;
    char **behind; /* what follows "--", for a command that uses it */
    int nbehind;
};
struct command;
/* The table of those; without --jobs for a command that has one job only. NULL: all. */
struct option_table common_options(const struct command *c);

struct command {
    const char *name;
    const char *arguments; /* "FILE FUNC" */
    const char *summary;   /* one line */
    const char *details;   /* a paragraph, with newlines, for --help */
    const char *examples;  /* command lines, one per line */
    struct option_table options;
    size_t options_size;
    int min_args, max_args; /* -1: any number */
    bool behind;            /* what follows "--" belongs to another program (common.behind) */
    bool one_job;           /* there is one job only: no --jobs */
    int (*run)(const struct command *c, const void *options, int argc, char **argv);
};

extern const struct command command_functions, command_cfg, command_lift, command_explore, command_info,
    command_diff, command_debug, command_verify, command_wp, command_present, command_poc, command_adapt, command_java,
    command_cache;
/* All commands, in the order --help lists them; ends with NULL. */
extern const struct command *const commands[];

/* "assay: TEXT" to stderr. */
void print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void command_help(const struct command *c, struct buf *out);
/* A completion script made from the tables; false when the shell is not known. */
bool completion_script(const char *shell, struct buf *out);

#endif
