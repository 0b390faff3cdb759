/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/assay.h"
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/session.h"
#include "object/object.h"

#define AT(member) offsetof(struct common, member)
static const struct option common_table[] = {
    /* first, so that it can be left out where it means nothing */
    {"jobs", 'j', OPTION_NUMBER, .value = "N", .max = 1024, .initial = "0",
     .help = "parallel workers; 0: one per CPU", .at = AT(jobs)},
    {"timeout", 't', OPTION_TIME, .value = "TIME", .max = 7 * 24 * 3600 * 1000u, .initial = "5m",
     .help = "CPU time limit per job; 0: none", .at = AT(timeout)},
    {"memory", 'm', OPTION_SIZE, .value = "SIZE", .max = UINT64_C(1) << 46, .initial = "4G",
     .help = "memory limit per worker; 0: none", .at = AT(memory)},
    {"debug-dir", 0, OPTION_LIST, .hint_dir = true, .value = "DIR",
     .help = "also search DIR, or a package of debug symbols, for debug files; repeatable",
     .at = AT(debug_dirs)},
    {"debuginfod", 0, OPTION_FLAG, .help = "fetch missing debug files from the servers of DEBUGINFOD_URLS",
     .at = AT(debuginfod)},
    {"color", 0, OPTION_CHOICE, .value = "auto|always|never", .initial = "auto",
     .help = "when to use colours; NO_COLOR turns them off", .at = AT(color)},
    {"stats", 0, OPTION_FLAG, .help = "print counters, time and memory to standard error", .at = AT(stats)},
    {"quiet", 'q', OPTION_FLAG, .help = "no progress bar", .at = AT(quiet)},
    {"help", 'h', OPTION_FLAG, .help = "print this help", .at = AT(help)},
    {"version", 0, OPTION_FLAG, .help = "print the version", .at = AT(version)},
};

struct option_table common_options(const struct command *c)
{
    size_t first = c && c->one_job, n = sizeof common_table / sizeof *common_table;
    return (struct option_table){common_table + first, n - first};
}

const struct command *const commands[] = {
    &command_info,  &command_functions, &command_cfg, &command_lift,    &command_explore, &command_diff,
    &command_debug, &command_verify,    &command_wp,  &command_present, &command_poc,     &command_adapt,
    &command_java,  &command_cache,     NULL};

void print_error(const char *fmt, ...)
{
    /* Words of the command line and names of files are in it, and the line goes to a terminal. */
    struct buf text = BUF_INIT, line = BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    buf_put_printable(&line, buf_text(&text));
    fprintf(stderr, "assay: %s\n", buf_text(&line));
    buf_free(&text);
    buf_free(&line);
}

/* Replaces the one of base. A worker's end is reported by its parent; the process that the user started ends
 * with a documented exit status. */
void alloc_exhausted(size_t wanted)
{
    (void)wanted;
    if (session_in_worker())
        _exit(ALLOC_EXIT);
    fputs("assay: out of memory\n", stderr);
    _exit(EXIT_UNKNOWN);
}

static void general_help(struct buf *out)
{
    buf_puts(out, "usage: assay COMMAND [OPTION]... ARGUMENT...\n\n"
                  "Analyses programs from their machine code: x86-64, i386, ARM and AArch64.\n\n"
                  "commands\n");
    for (const struct command *const *c = commands; *c; c++)
        buf_printf(out, "  %-11s %-15s %s\n", (*c)->name, (*c)->arguments, (*c)->summary);
    buf_puts(out, "  help        [COMMAND]       show this help, or that of COMMAND\n\ncommon options\n");
    struct option_table table = common_options(NULL);
    options_help(&table, out);
    buf_puts(out, "\nFILE is an ELF file, LLVM bitcode, or a package, archive or directory; "
                  "pkg.deb:usr/bin/x and libx.a(y.o) name a "
                  "member.\n"
                  "FUNC is a name or 0xADDRESS.\n\n"
                  "exit status: 0 yes or done, 1 no, 2 bad usage or input, 3 undetermined (limit reached, or "
                  "not supported)\n\n"
                  "examples\n"
                  "  assay functions /bin/true\n"
                  "  assay explore --paths a.out main\n");
}

void command_help(const struct command *c, struct buf *out)
{
    buf_printf(out, "usage: assay %s [OPTION]...%s%s\n\n%s\n\n", c->name, *c->arguments ? " " : "", c->arguments,
               c->details);
    if (c->options.count) {
        buf_puts(out, "options\n");
        options_help(&c->options, out);
        buf_putc(out, '\n');
    }
    buf_puts(out, "common options\n");
    struct option_table table = common_options(c);
    for (size_t i = 0; i < table.count; i++)
        if (!options_have(&c->options, table.option[i].name))
            options_help(&(struct option_table){&table.option[i], 1}, out);
    buf_puts(out, "\nexamples\n");
    for (const char *line = c->examples; *line;) {
        size_t n = strcspn(line, "\n");
        buf_printf(out, "  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static const struct command *find_command(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[sizeof commands / sizeof *commands] = {"help"}; /* overwrites the closing NULL */
    size_t n = 1;
    for (const struct command *const *c = commands; *c; c++)
        names[n++] = (*c)->name;
    const char *near = nearest_word(name, names, n);
    if (near)
        print_error("unknown command '%s'; did you mean '%s'?", name, near);
    else
        print_error("unknown command '%s'; 'assay help' lists the commands", name);
    return EXIT_BAD;
}

static int print(struct buf *text, int code)
{
    code = session_write(text, code);
    buf_free(text);
    return code;
}

static int print_version(void)
{
    struct buf b = BUF_INIT;
    buf_printf(&b, "assay %s\n", assay_version());
    return print(&b, EXIT_YES);
}

static int run_help(int argc, char **argv)
{
    struct buf b = BUF_INIT;
    const struct command *c = NULL;
    if (argc > 0 && strcmp(argv[0], "help") != 0) {
        c = find_command(argv[0]);
        if (!c)
            return unknown_command(argv[0]);
    }
    if (c)
        command_help(c, &b);
    else
        general_help(&b);
    return print(&b, EXIT_YES);
}

static int run_completion(int argc, char **argv)
{
    struct buf b = BUF_INIT;
    if (argc == 1 && completion_script(argv[0], &b))
        return print(&b, EXIT_YES);
    buf_free(&b);
    print_error("usage: assay __completion bash|zsh|fish");
    return EXIT_BAD;
}

static bool debug_dirs_exist(const struct common *c, struct error *err)
{
    for (size_t i = 0; i < c->debug_dirs.n; i++) {
        struct stat st;
        const char *dir = c->debug_dirs.item[i];
        if (stat(dir, &st) != 0)
            return error_set(err, ERROR_USAGE,
                             "--debug-dir: %s: %s; give a directory or a package that holds debug files", dir,
                             strerror(errno));
        if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
            return error_set(err, ERROR_USAGE, "--debug-dir: %s: neither a directory nor a package", dir);
    }
    if (c->debuginfod && !object_debuginfod_available())
        return error_set(err, ERROR_USAGE, "--debuginfod: there is no client; install libdebuginfod1");
    return true;
}

static int run_command(const struct command *c, int argc, char **argv)
{
    const struct option_table tables[] = {c->options, common_options(c)};
    void *options = xcalloc(1, c->options_size);
    struct common *common = options;
    struct error err = {0};
    int nargs = 0, code;
    for (int i = 0; c->behind && i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            common->behind = argv + i + 1;
            common->nbehind = argc - i - 1;
            argc = i;
        }
    }
    options_init(tables, 2, options);
    if (!options_parse(tables, 2, argc, argv, &nargs, options, &err)) {
        print_error("%s: %s ('assay %s --help' lists the options)", c->name, err.text, c->name);
        code = EXIT_BAD;
    } else if (common->help) {
        struct buf b = BUF_INIT;
        command_help(c, &b);
        code = print(&b, EXIT_YES);
    } else if (common->version) {
        code = print_version();
    } else if (!debug_dirs_exist(common, &err)) {
        print_error("%s: %s", c->name, err.text);
        code = EXIT_BAD;
    } else if (nargs < c->min_args || (c->max_args >= 0 && nargs > c->max_args)) {
        print_error("%s: %s; usage: assay %s [OPTION]...%s%s", c->name,
                    nargs < c->min_args ? "missing argument" : "too many arguments", c->name, *c->arguments ? " " : "",
                    c->arguments);
        code = EXIT_BAD;
    } else {
        code = c->run(c, options, nargs, argv);
    }
    options_free(tables, 2, options);
    free(options);
    return code;
}

/* A descriptor 0, 1 or 2 that is closed would be given to the next file opened, and results written into
 * that. Here each is taken by something that cannot be used. */
static void hold_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) {
            int got = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
            if (got >= 0 && got != fd) {
                dup2(got, fd);
                close(got);
            }
        }
}

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    session_signals();
    if (argc < 2) {
        struct buf b = BUF_INIT;
        general_help(&b);
        fputs(buf_text(&b), stderr);
        buf_free(&b);
        return EXIT_BAD;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0)
        return print_version();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return run_help(0, NULL);
    if (strcmp(name, "help") == 0)
        return run_help(argc - 2, argv + 2);
    if (strcmp(name, "__completion") == 0)
        return run_completion(argc - 2, argv + 2);
    if (name[0] == '-') {
        print_error("unknown option '%s'; the command comes first ('assay help' lists the commands)", name);
        return EXIT_BAD;
    }
    const struct command *c = find_command(name);
    return c ? run_command(c, argc - 2, argv + 2) : unknown_command(name);
}
