/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run by the build: writes the rows of the pure-function table that stand for VEX operators, one for each IROp of the
 * libVEX at hand, with the name and the widths that libVEX itself reports. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libvex_basictypes.h>

#include <libvex.h>

#include "lift/vex/vex.h"

static jmp_buf panicked;
static char text[256];
static size_t length;

static __attribute__((noreturn)) void on_panic(void)
{
    longjmp(panicked, 1);
}

static void on_log(const HChar *bytes, SizeT n)
{
    if (n > sizeof text - 1 - length)
        n = sizeof text - 1 - length;
    memcpy(text + length, bytes, n);
    length += n;
}

/* What ppIROp prints, or the number of an operator it does not know. */
static void print_name(int op)
{
    length = 0;
    if (setjmp(panicked) == 0)
        ppIROp((IROp)op);
    else
        length = (size_t)snprintf(text, sizeof text, "%d", op);
    text[length] = '\0';
    printf("{\"vex:%s\", ", text);
}

static void print_widths(int op)
{
    if (setjmp(panicked) != 0) {
        printf("1, {0}, 0, NULL},\n");
        return;
    }
    IRType result, arg[4];
    typeOfPrimop((IROp)op, &result, &arg[0], &arg[1], &arg[2], &arg[3]);
    printf("%u, {", vex_type_width(result));
    int nargs = 0;
    for (; nargs < 4 && arg[nargs] != Ity_INVALID; nargs++)
        printf("%s%u", nargs ? ", " : "", vex_type_width(arg[nargs]));
    printf("}, %d, NULL},\n", nargs);
}

int main(void)
{
    VexControl control;
    LibVEX_default_VexControl(&control);
    LibVEX_Init(on_panic, on_log, 0, &control);

    puts("{\"vex:INVALID\", 1, {0}, 0, NULL},");
    for (int op = Iop_INVALID + 1; op < Iop_LAST; op++) {
        print_name(op);
        print_widths(op);
    }
    return ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
