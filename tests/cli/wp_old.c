/* The original version of the functions that test_wp.py asks about; wp_new.c has the modified one. */
#include <stddef.h>
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
extern void __VERIFIER_error(void) __attribute__((noreturn));
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void adjust_heading(int), log_current_status(int), deploy_payload(void);
extern int helper(int), other(int);
#define KEEP __attribute__((noinline, used))

struct msg { int data, status; };
enum { NAV = 42, LOG = 59, DEPLOY = 64 };
KEEP void process_message(int t, struct msg *m)
{
    switch (t) {
    case NAV:
        adjust_heading(m->data);
    case LOG:
        log_current_status(m->status);
        break;
    case DEPLOY:
        deploy_payload();
        break;
    }
}

KEEP int assert_three(int n)
{
    if (n == 3)
        __assert_fail("n != 3", "f.c", 1, "assert_three");
    return n;
}

KEEP int assert_never(int n)
{
    if (n > 5 && n < 3)
        __VERIFIER_error();
    return n;
}

KEEP int assumed(int n)
{
    __VERIFIER_assume(n > 10);
    if (n < 5)
        __VERIFIER_error();
    return n;
}

KEEP int nondet(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a > b)
        __VERIFIER_error();
    return 0;
}

struct node { struct node *next; int value; };
KEEP int first_value(struct node *n) { return n ? n->value : -1; }
KEEP int first_value_unchecked(struct node *n) { return n->value; }
KEEP int second_value(struct node *n) { return n && n->next ? n->next->value : -1; }
KEEP void touch(volatile int *p) { *p; }

KEEP int list_length(struct node *n)
{
    int k = 0;
    for (; n; n = n->next)
        k++;
    return k;
}

KEEP unsigned lowest_bit(unsigned x)
{
    unsigned n = 0;
    if (!x)
        return 32;
    while (!(x & 1)) {
        x >>= 1;
        n++;
    }
    return n;
}

KEEP unsigned hash(const unsigned char *s)
{
    unsigned h = 5381;
    for (int i = 0; i < 4; i++)
        h = h * 33 + s[i];
    return h;
}

KEEP int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }

KEEP void copy16(char *d, const char *s) { for (int i = 0; i < 16; i++) d[i] = s[i]; }

int counter = 7;
static int other_counter;
KEEP int count(int by) { counter += by; other_counter++; return counter; }

static const int table[8] = {1, 1, 2, 3, 5, 8, 13, 21};
KEEP int fib(unsigned i) { return i < 8 ? table[i] : 0; }

KEEP double average(const double *v) { return (v[0] + v[1]) / 2; }

KEEP static int square(int x) { return x * x; }
KEEP int sum_of_squares(int a, int b) { return square(a) + square(b); }

KEEP int uses_helper(int x) { return helper(x + 6); }
KEEP int divide(int a, int b) { return b ? helper(b) : a; }

KEEP int max(int a, int b) { return a > b ? a : b; }
KEEP int clamp(int x) { return x < 0 ? 0 : x > 100 ? 100 : x; }

KEEP int add_up(int n)
{
    int x = 0, y = n;
    while (x < n) {
        x++;
        y--;
    }
    return x + y;
}

KEEP int store_through(int *p, int v) { if (p) *p = v; return v; }
KEEP long vector(long a) { return a + 1; }
