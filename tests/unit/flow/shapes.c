/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control flow in many shapes, freestanding; compiled for every instruction set, compiler and level that
 * test_shapes.c looks at. Each arm of a switch computes something different, so that it is not turned into a
 * table of results. */

#define KEEP __attribute__((noinline, used))

volatile int sink;
int work(int a, int b);
void stop(int code) __attribute__((noreturn));
int tail_target(int a, int b);
void panic(int code) __attribute__((cold));

KEEP void panic(int code)
{
    sink = code;
}

KEEP int work(int a, int b)
{
    sink = a;
    return b + sink;
}

KEEP int tail_target(int a, int b)
{
    sink = a;
    return sink - b;
}

/* Never returns, and nothing says so but its code. */
KEEP void stop(int code)
{
    for (;;)
        sink = code;
}

void stop_wrapper(int code) __attribute__((noreturn));

KEEP void stop_wrapper(int code)
{
    work(code, 1);
    stop(code + 1);
}

/* Calls what never returns on one path: the other one ends the function. */
KEEP int check(int a, int b)
{
    if (a < 0)
        stop_wrapper(b);
    return work(a, b) + 1;
}

/* Eight arms and a default: eight entries, no holes. */
KEEP int dense(unsigned x, int a, int b)
{
    switch (x) {
    case 0:
        return work(a, b) + 3;
    case 1:
        return a * b;
    case 2:
        return work(a, 7) * 5;
    case 3:
        return a ^ b;
    case 4:
        return work(b, a) - 1;
    case 5:
        return (a | b) + 11;
    case 6:
        return work(b, 9) ^ 77;
    case 7:
        return a - b * 3;
    default:
        return work(1, 1);
    }
}

/* Starts at 20, with holes: entries 20 to 32, of which four lead to the default. */
KEEP int holes(int x, int a, int b)
{
    switch (x) {
    case 20:
        return work(a, b) + 3;
    case 21:
        return a * b;
    case 22:
        return work(a, 7) * 5;
    case 24:
        return a ^ b;
    case 25:
        return work(b, a) - 1;
    case 27:
        return (a | b) + 11;
    case 28:
        return work(b, 9) ^ 77;
    case 30:
        return a - b * 3;
    case 32:
        return work(b, 5) * 9;
    default:
        return work(1, 1);
    }
}

/* The index is a byte in memory. */
KEEP int bytes(const unsigned char *s, int a, int b)
{
    switch (*s) {
    case 'a':
        return work(a, b) + 3;
    case 'b':
        return a * b;
    case 'c':
        return work(a, 7) * 5;
    case 'd':
        return a ^ b;
    case 'e':
        return work(b, a) - 1;
    case 'f':
        return (a | b) + 11;
    case 'g':
        return work(b, 9) ^ 77;
    default:
        return work(1, 1);
    }
}

/* A callee of which nothing is known. */
static int (*volatile through)(int, int) = work;

/* The index is in memory, a byte or two, and is kept where calls leave it. */
#define KEPT(NAME, TYPE)                                                                                     \
    KEEP int NAME(const TYPE *s, int a)                                                                      \
    {                                                                                                        \
        for (;; s++) {                                                                                       \
            TYPE code = *s;                                                                                  \
            if (a & 1)                                                                                       \
                a = through(a, code);                                                                        \
            if (a & 2)                                                                                       \
                a = through(a, 2);                                                                           \
            switch (code) {                                                                                  \
            case 0:                                                                                          \
                a += work(a, 4);                                                                             \
                break;                                                                                       \
            case 1:                                                                                          \
                a *= 3;                                                                                      \
                break;                                                                                       \
            case 2:                                                                                          \
                a ^= *s + 9;                                                                                 \
                break;                                                                                       \
            case 3:                                                                                          \
                a -= work(*s, a);                                                                            \
                break;                                                                                       \
            case 4:                                                                                          \
                a = work(a, a) + 1;                                                                          \
                break;                                                                                       \
            case 5:                                                                                          \
                a += 77;                                                                                     \
                break;                                                                                       \
            case 6:                                                                                          \
                a = work(7, a) ^ 5;                                                                          \
                break;                                                                                       \
            default:                                                                                         \
                return a;                                                                                    \
            }                                                                                                \
        }                                                                                                    \
    }
KEPT(kept_byte, unsigned char)
KEPT(kept_short, unsigned short)

/* In a loop, around calls, with the index changed on the way. */
KEEP int machine(const unsigned char *s, int a)
{
    int state = 0;
    for (; *s; s++) {
        switch (state) {
        case 0:
            a += work(a, *s);
            state = 3;
            break;
        case 1:
            a *= 3;
            state = work(a, 2);
            break;
        case 2:
            a ^= *s;
            state = 5;
            break;
        case 3:
            a -= work(*s, a);
            state = a;
            break;
        case 4:
            a = work(a, a) + 1;
            state = 1;
            break;
        case 5:
            a += 77;
            state = *s;
            break;
        default:
            return a;
        }
    }
    return a + 1;
}

/* One switch in an arm of another. */
KEEP int nested(unsigned x, unsigned y, int a, int b)
{
    switch (x) {
    case 0:
        switch (y) {
        case 1:
            return work(a, 21);
        case 2:
            return a * 31 + work(b, 1);
        case 3:
            return work(a ^ b, 2);
        case 4:
            return a - work(b, 4);
        case 5:
            return (work(a, b) >> 3);
        case 6:
            return work(b, b) - 8;
        default:
            return 0;
        }
    case 1:
        return work(a, b) + 3;
    case 2:
        return a * b;
    case 3:
        return work(a, 7) * 5;
    case 4:
        return a ^ b;
    case 5:
        return work(b, a) - 1;
    case 6:
        return (a | b) + 11;
    default:
        return work(1, 1);
    }
}

#define ARM1(n)                                                                                              \
    case n:                                                                                                  \
        return work(a, n) * (n + 2) + b;
#define ARM4(n) ARM1(n) ARM1(n + 1) ARM1(n + 2) ARM1(n + 3)

/* Twenty-four arms: enough for every compiler to make a table. */
KEEP int wide(unsigned x, int a, int b)
{
    switch (x) {
        ARM4(0) ARM4(4) ARM4(8) ARM4(12) ARM4(16) ARM4(20)
    }
    return -1;
}

typedef int operation(int, int);
struct object {
    int kind;
    operation *run;
};

/* A jump through a pointer, where there are tail calls. */
KEEP int dispatch(const struct object *o, int a)
{
    return o->run(a, o->kind);
}

KEEP int tail(int a, int b)
{
    sink = a;
    return tail_target(b, a);
}

KEEP int maybe_tail(int a, int b)
{
    if (a > b)
        return tail_target(a, b);
    return a;
}

KEEP int recurse(int n)
{
    if (n < 2)
        return n;
    return recurse(n - 1) + recurse(n - 2);
}

KEEP int many_arguments(int a, int b, int c, int d, int e, int f, int g, int h)
{
    return a + b * c - d + e * f - g + h;
}

KEEP void no_result(int *p, int v)
{
    *p = v;
}

/* Compiles to the same whether it returns what f does or not. */
KEEP void hand_through(int (*f)(int), int a)
{
    f(a);
}

KEEP int variadic(int n, int m, ...)
{
    __builtin_va_list list;
    int sum = m;
    __builtin_va_start(list, m);
    while (n-- > 0)
        sum += __builtin_va_arg(list, int) + (int)__builtin_va_arg(list, double);
    __builtin_va_end(list);
    return sum;
}

static operation *const table[] = {work, tail_target};

KEEP int by_pointer(unsigned i, int a)
{
    return table[i & 1](a, 1) + 1;
}

/* gcc puts the unlikely path into a part of its own, rarely.cold. */
KEEP int rarely(int a, int b)
{
    int c = work(a, b);
    if (__builtin_expect(c < 0, 0)) {
        panic(c);
        panic(c + work(a, 1));
        b += work(c, 2);
    }
    return b + work(c, a);
}

int entry(void);
int entry(void)
{
    return dense(1, 2, 3) + holes(1, 2, 3) + rarely(1, 2);
}

#ifdef __x86_64__
/* The selector is compared in memory, after a store that may have changed it, and read again to index the
 * table. */
__asm__(".text\n"
        ".globl read_again\n"
        ".type read_again, @function\n"
        "read_again:\n"
        "push %rbp; push %rbx\n"
        "mov %rsi, %rbx\n"
        "lea .Lagain(%rip), %rbp\n"
        "1: movl $0, (%rbx)\n"
        "cmpl $3, 16(%rdi)\n"
        "ja 5f\n"
        "mov 16(%rdi), %eax\n"
        "movslq (%rbp,%rax,4), %rax\n"
        "add %rbp, %rax\n"
        "jmp *%rax\n"
        "2: mov $1, %eax; jmp 6f\n"
        "3: mov $2, %eax; jmp 6f\n"
        "4: cmpl $4, (%rbx); je 1b\n"
        "5: mov $3, %eax\n"
        "6: pop %rbx; pop %rbp\n"
        "ret\n"
        ".size read_again, .-read_again\n"
        ".section .rodata\n"
        ".balign 4\n"
        ".Lagain: .long 2b-.Lagain, 3b-.Lagain, 4b-.Lagain, 5b-.Lagain\n"
        ".text\n");
#endif
