/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line from tables: a command lists its options once, and parsing, --help, shell completion and
 * the test of the man pages all read that list. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum option_kind {
    OPTION_FLAG,   /* bool: true */
    OPTION_SET,    /* unsigned: `min` */
    OPTION_NUMBER, /* uint64_t */
    OPTION_SIZE,   /* uint64_t bytes: 512M, 2G; a plain number is MiB */
    OPTION_TIME,   /* uint64_t ms: 500ms, 30s, 5m, 1h; a plain number is seconds */
    OPTION_TEXT,   /* const char * */
    OPTION_CHOICE, /* unsigned: the position in `value`, which lists the words: "auto|always|never" */
    OPTION_LIST,   /* struct option_list, may be given several times */
};

struct option_list {
    const char **item; /* NULL-terminated once something is in it, else NULL */
    size_t n;
};

struct option {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    uint8_t kind;
    bool hint_file, hint_dir; /* for shell completion */
    const char *value;        /* what --help calls the argument; the words of a choice */
    uint64_t min, max;        /* range of a number, a size or a time; max 0: none */
    const char *initial;      /* the default, as a user would write it; NULL: none */
    const char *help;
    size_t at; /* offset in the command's options */
};

struct option_table {
    const struct option *option;
    size_t count;
};

bool option_takes_value(const struct option *o);
/* Sets every option's initial value in *out. */
void options_init(const struct option_table *table, size_t ntables, void *out);
/* Reads argv[0 .. argc-1]; options may stand anywhere, "--" ends them. What is not an option is moved to the
 * front of argv, and *nargs says how many there are. ERROR_USAGE with a suggestion when an option is not
 * known. */
bool options_parse(const struct option_table *table, size_t ntables, int argc, char **argv, int *nargs,
                   void *out, struct error *err);
void options_free(const struct option_table *table, size_t ntables, void *out);
/* One line per option, for --help. */
void options_help(const struct option_table *table, struct buf *out);
/* Whether a table has an option of that name: one of the command's own then comes before the common one. */
bool options_have(const struct option_table *table, const char *name);

/* The nearest of the words, or NULL when none is near enough. */
const char *nearest_word(const char *word, const char *const *words, size_t n);

#endif
