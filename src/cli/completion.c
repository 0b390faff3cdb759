/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shell completion, generated from the option tables: `assay __completion SHELL`. */
#include <string.h>

#include "cli/cli.h"

typedef void each_fn(struct buf *out, const struct command *c, const struct option *o);

static void each_option(struct buf *out, const struct command *c, each_fn *fn)
{
    for (size_t i = 0; i < c->options.count; i++)
        fn(out, c, &c->options.option[i]);
    struct option_table common = common_options(c);
    for (size_t i = 0; i < common.count; i++)
        if (!options_have(&c->options, common.option[i].name))
            fn(out, c, &common.option[i]);
}

/* "a|b|c" as "a b c"; a word in capitals stands for anything and is left out. */
static void put_words(struct buf *out, const char *words)
{
    bool any = false;
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, "|");
        if (!(w[0] >= 'A' && w[0] <= 'Z')) {
            buf_printf(out, "%s%.*s", any ? " " : "", (int)n, w);
            any = true;
        }
        w += n + (w[n] == '|');
    }
}

static bool has_words(const struct option *o)
{
    return option_takes_value(o) && strchr(o->value, '|');
}

/* ---- bash ---- */

static void bash_name(struct buf *out, const struct command *c, const struct option *o)
{
    (void)c;
    buf_printf(out, " --%s%s", o->name, option_takes_value(o) ? "=" : "");
}

static void bash_words(struct buf *out, const struct command *c, const struct option *o)
{
    if (!has_words(o))
        return;
    buf_printf(out, "    %s:--%s) COMPREPLY=($(compgen -W '", c->name, o->name);
    put_words(out, o->value);
    buf_puts(out, "' -- \"$cur\")); return ;;\n");
}

static void bash(struct buf *out)
{
    buf_puts(
        out,
        "# bash completion for assay\n_assay() {\n"
        "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
        "  if [[ $cur == '=' ]]; then cur=; elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; "
        "fi\n"
        "  if [[ ${COMP_WORDS[COMP_CWORD]} == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD-1]}; fi\n"
        "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W 'help --help --version");
    for (const struct command *const *c = commands; *c; c++)
        buf_printf(out, " %s", (*c)->name);
    buf_puts(out, "' -- \"$cur\")); return\n  fi\n  case $command:$prev in\n");
    for (const struct command *const *c = commands; *c; c++)
        each_option(out, *c, bash_words);
    buf_puts(out, "  esac\n  if [[ $cur == -* ]]; then\n    case $command in\n");
    for (const struct command *const *c = commands; *c; c++) {
        buf_printf(out, "    %s) COMPREPLY=($(compgen -W '", (*c)->name);
        each_option(out, *c, bash_name);
        buf_puts(out, "' -- \"$cur\")) ;;\n");
    }
    buf_puts(out, "    esac\n    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n    return\n  fi\n"
                  "  COMPREPLY=($(compgen -f -- \"$cur\"))\n}\ncomplete -o filenames -F _assay assay\n");
}

/* ---- zsh ---- */

static void zsh_option(struct buf *out, const struct command *c, const struct option *o)
{
    (void)c;
    buf_printf(out, "      '%s--%s%s[", o->kind == OPTION_LIST ? "*" : "", o->name,
               option_takes_value(o) ? "=" : "");
    for (const char *h = o->help; *h; h++) {
        if (*h == '\'')
            buf_puts(out, "'\\'");
        else if (*h == '[' || *h == ']' || *h == ':')
            buf_putc(out, '\\');
        buf_putc(out, *h);
    }
    buf_putc(out, ']');
    if (has_words(o)) {
        buf_puts(out, ":value:(");
        put_words(out, o->value);
        buf_putc(out, ')');
    } else if (option_takes_value(o)) {
        buf_printf(out, ":%s:%s", o->value, o->hint_dir ? "_files -/" : o->hint_file ? "_files" : "");
    }
    buf_puts(out, "' \\\n");
}

static void zsh(struct buf *out)
{
    buf_puts(out, "#compdef assay\n_assay() {\n  if ((CURRENT == 2)); then\n    local -a names=(\n      "
                  "'help:show help'\n");
    for (const struct command *const *c = commands; *c; c++) {
        buf_printf(out, "      '%s:", (*c)->name);
        for (const char *s = (*c)->summary; *s; s++)
            buf_printf(out, *s == '\'' ? "'\\''" : "%c", *s);
        buf_puts(out, "'\n");
    }
    buf_puts(out, "    )\n    _describe command names\n    return\n  fi\n  local command=$words[2]\n  shift "
                  "words\n  ((CURRENT--))\n"
                  "  case $command in\n");
    for (const struct command *const *c = commands; *c; c++) {
        buf_printf(out, "  %s)\n    _arguments -s \\\n", (*c)->name);
        each_option(out, *c, zsh_option);
        buf_puts(out, "      '1:file:_files' '*:function:' ;;\n");
    }
    buf_puts(out, "  esac\n}\n_assay \"$@\"\n");
}

/* ---- fish ---- */

static void fish_quoted(struct buf *out, const char *s)
{
    buf_putc(out, '\'');
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            buf_putc(out, '\\');
        buf_putc(out, *s);
    }
    buf_putc(out, '\'');
}

static void fish_option(struct buf *out, const struct command *c, const struct option *o)
{
    buf_printf(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter)
        buf_printf(out, " -s %c", o->letter);
    if (has_words(o)) {
        buf_puts(out, " -x -a '");
        put_words(out, o->value);
        buf_putc(out, '\'');
    } else if (option_takes_value(o)) {
        buf_puts(out, o->hint_dir ? " -r -a '(__fish_complete_directories)'" : " -r");
    }
    buf_puts(out, " -d ");
    fish_quoted(out, o->help);
    buf_putc(out, '\n');
}

static void fish(struct buf *out)
{
    buf_puts(out, "# fish completion for assay\ncomplete -c assay -n __fish_use_subcommand -f -a help -d "
                  "'show help'\n");
    for (const struct command *const *c = commands; *c; c++) {
        buf_printf(out, "complete -c assay -n __fish_use_subcommand -f -a %s -d ", (*c)->name);
        fish_quoted(out, (*c)->summary);
        buf_putc(out, '\n');
        each_option(out, *c, fish_option);
    }
}

bool completion_script(const char *shell, struct buf *out)
{
    static const struct {
        const char *name;
        void (*write)(struct buf *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].write(out);
            return true;
        }
    return false;
}
