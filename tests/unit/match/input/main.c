/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program in several versions; each -D makes one change. */
#ifdef __clang__
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noinline, noclone, used))
#endif

extern int puts(const char *text);
int twice(int x);
int thrice(int x);
int limit_of(int kind);

int counter = 3;
int total;
static int depth[16];

#ifdef RENAMED
#define helper assistant
#endif
static KEEP int helper(int x)
{
    depth[x & 15] += x;
    counter += 2;
    return depth[x & 15] * 7 + counter;
}

#ifdef ADDED
KEEP int extra(int a, int b)
{
    int r = 1;
    while (b > 0) {
        r *= a + b;
        b -= 3;
    }
    return r ^ counter;
}
#endif

KEEP int parse(const unsigned char *s, int n)
{
    int sum = 0;
#ifdef CONSTANT
    if (n > 63) {
#elif defined ANOTHER
    if (n > 61) {
#else
    if (n > 64) {
#endif
        puts("too long");
        return -1;
    }
    for (int i = 0; i < n; i++) {
        if (s[i] == '#')
            break;
        sum += helper(s[i]);
    }
    total += sum;
    return sum;
}

KEEP int classify(int c)
{
    switch (c) {
    case 10: return twice(c);
    case 11: return helper(c);
    case 12: puts("twelve"); return 4;
    case 13: return thrice(c) + 1;
    case 14: return counter;
    case 15: puts("fifteen"); return 9;
    case 16: return total - 1;
    case 17: return twice(c) ^ thrice(c);
    }
    return 0;
}

KEEP int combine(int a, int b)
{
#ifdef CALLEE
    return thrice(a + b) - 1;
#else
    return twice(a + b) - 1;
#endif
}

KEEP void reset(void)
{
#ifdef VARIABLE
    total = 5;
#else
    counter = 5;
#endif
}

KEEP void complain(int code)
{
    if (code < 0)
#ifdef STRING
        puts("it went wronG");
#else
        puts("it went wrong");
#endif
    counter++;
}

static int (*const operation[])(int) = {twice, thrice, limit_of};
KEEP int operate(int which, int x)
{
    return (unsigned)which < 3 ? operation[which](x) : -1;
}

static const char *const colour[] = {"red", "green", "blue", "white"};
KEEP int show(int k)
{
    return puts(colour[k & 3]);
}

static const unsigned short weight[] = {3, 1, 4, 1, 5, 9, 2,
#ifdef TABLE
                                        7};
#else
                                        6};
#endif
KEEP int weigh(const unsigned char *s)
{
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += weight[i] * s[i];
    return sum;
}

/* In a program linked to a fixed address these numbers are where variables are. */
KEEP int number(void)
{
#ifdef NUMBER
    return 0x403020;
#else
    return 0x403000;
#endif
}

/* An offset that, taken from the global offset table, would lead to a variable. */
KEEP int field(const char *p)
{
#ifdef FIELD
    return *(const int *)(p + 0x9c);
#else
    return *(const int *)(p + 0x98);
#endif
}

void _start(void);
void _start(void)
{
    counter = parse((const unsigned char *)"abc", 3) + classify(counter) + combine(1, 2) + operate(1, 2) + show(1) + weigh((const unsigned char *)"abcdefgh");
    reset();
    complain(counter);
    for (;;)
        ;
}
