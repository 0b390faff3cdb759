/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled for every architecture, many ways. The tests know its names, lines and types. */
typedef unsigned long size_type;
typedef struct node {
    struct node *next;
    int grid[2][3];
    unsigned flag : 3;
    unsigned rest : 5;
} node_t;

extern int lib_call(const char *text);
extern int lib_other(int x);
extern int lib_data;

int table[4] = {1, 2, 3, 4};
int *const own_pointer[2] = {&table[1], &table[2]};
int *const import_pointer[1] = {&lib_data};
static const char message[] = "a message in read-only memory";
const char *current = message;
_Thread_local int per_thread = 7;
int zeroed[1000];

static inline __attribute__((always_inline)) int twice(int x)
{
    return x * 2 + table[x & 3];
}

__attribute__((noinline)) int compute(node_t *n, int x)
{
    if (!n)
        return lib_call(message);
    return twice(x) + (int)n->flag + lib_other(n->grid[1][2]);
}

__attribute__((noinline)) static size_type hidden_helper(const node_t *n, double d, ...)
{
    per_thread += (int)d;
    return (size_type)n->grid[0][0] + (size_type)lib_other(zeroed[5]);
}

__attribute__((noreturn, noinline)) void stop(const char *why)
{
    lib_call(why);
    for (;;)
        zeroed[1]++;
}

int (*const functions[2])(node_t *, int) = {compute, compute};

__attribute__((constructor)) static void prepare(void)
{
    zeroed[0] = 1;
}

void _start(void)
{
    static node_t n;
    compute(&n, (int)hidden_helper(&n, 1.5, 2));
    stop(current);
}

#ifdef __arm__
/* What the compiler expects of the run-time library; there is none here. */
void __aeabi_unwind_cpp_pr0(void)
{
}

void __aeabi_unwind_cpp_pr1(void)
{
}

void *__aeabi_read_tp(void)
{
    return zeroed;
}
#endif
