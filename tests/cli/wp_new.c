/* The modified version of the functions of wp_old.c. */
#include <stddef.h>
#include <stdint.h>
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
extern void __VERIFIER_error(void) __attribute__((noreturn));
extern void adjust_heading(int), log_current_status(int), deploy_payload(void);
extern int helper(int), other(int);
#define KEEP __attribute__((noinline, used))

int added_before = 1; /* moves what follows */
char more[64] = "x";
int counter = 7;
static int other_counter;

struct msg { int data, status; };
enum { NAV = 42, LOG = 59, DEPLOY = 64 };
KEEP void process_message(int t, struct msg *m)
{
    switch (t) {
    case NAV:
        adjust_heading(m->data);
    case DEPLOY:
        deploy_payload();
        break;
    }
}

KEEP int assert_three(int n)
{
    if (n == 3 || n == 4)
        __assert_fail("n != 3", "f.c", 1, "assert_three");
    return n;
}

struct node { struct node *next; int value; };
KEEP int first_value(struct node *n) { return n->value; }
KEEP int second_value(struct node *n) { if (!n) return -1; n = n->next; return !n ? -1 : n->value; }

KEEP int list_length(struct node *n)
{
    int k = 0;
    while (n) {
        n = n->next;
        ++k;
    }
    return k;
}

/* de Bruijn's sequence finds the lowest bit without a loop */
KEEP unsigned lowest_bit(unsigned x)
{
    static const unsigned char at[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                         31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
    return x ? at[(uint32_t)((x & -x) * 0x077CB531U) >> 27] : 32;
}

KEEP unsigned hash(const unsigned char *s)
{
    unsigned h = 5381;
    h = (h << 5) + h + s[0];
    h = (h << 5) + h + s[1];
    h = (h << 5) + h + s[2];
    return (h << 5) + h + s[3];
}

KEEP int fact(int n) { int r = 1; while (n > 1) r *= n--; return r; }

KEEP void copy16(char *d, const char *s) { for (int i = 0; i < 16; i++) d[i] = s[i]; }

KEEP int count(int by) { int c = counter; other_counter++; c += by; counter = c; return c; }

static const int table[8] = {1, 1, 2, 3, 5, 8, 13, 21};
KEEP int fib(unsigned i) { if (i >= 8) return 0; return table[i]; }

KEEP double average(const double *v) { double s = v[0]; s += v[1]; return s / 2; }

KEEP static int square(int x) { return x * x; }
KEEP int sum_of_squares(int a, int b) { return square(b) + square(a); }

KEEP int uses_helper(int x) { return helper(x + 10); }
KEEP int divide(int a, int b) { return helper(b); }

KEEP int max(int a, int b) { return a < b ? b : a; }
KEEP int clamp(int x) { if (x > 100) x = 100; if (x < 0) x = 0; return x; }
KEEP int store_through(int *p, int v) { *p = v; return v; }
KEEP long vector(long a) { return a + 1; }
