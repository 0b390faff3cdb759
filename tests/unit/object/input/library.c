/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What program.c imports: versioned symbols and, where the linker can, an IFUNC. */
int lib_data = 5;

int lib_call(const char *text)
{
    return *text;
}

int lib_other(int x)
{
    return lib_call("x") + x;
}

#ifdef WITH_IFUNC
static int fast(void)
{
    return 1;
}

static void *choose(void)
{
    return (void *)fast;
}

int lib_chosen(void) __attribute__((ifunc("choose")));

int lib_uses_chosen(void)
{
    return lib_chosen();
}
#endif
