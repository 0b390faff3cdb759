/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions in which too much happens to explore them: only runs on the interpreter tell them apart.
 * tests/cli/test_adapt.py asks about each with itself, too. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct item {
    struct item *next;
    int key, count;
};

/* Runs on as long as the memory says, and does so in a way that has no shape. */
static unsigned mix(const struct item *x, unsigned sum)
{
    for (; x; x = x->next) {
        for (int i = 0; i < (x->count & 15); i++)
            sum = sum * 33 + (unsigned)(x->key >> (sum & 7)) % (unsigned)((x->count | 1) & 255);
    }
    return sum;
}

/* Variables that are 0 in the file: as long as they are, the two do the same. */
static struct item *users, *groups;
unsigned close_users(void)
{
    unsigned sum = 0;
    if (users) {
        sum = mix(users, 7);
        users->count = 0;
    }
    users = NULL;
    return sum;
}
unsigned close_groups(void)
{
    unsigned sum = 0;
    if (groups) {
        sum = mix(groups, 7);
        groups->count = 0;
    }
    groups = NULL;
    return sum;
}

static long system_call(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}

/* Where the kernel refuses, the two do the same. */
int note_first(const char *path, struct item *x)
{
    long fd = system_call(2, (long)path, 0, 0);
    if (fd < 0)
        return -1;
    x->key = (int)mix(x, 1);
    system_call(3, fd, 0, 0);
    return 0;
}
int note_second(const char *path, struct item *x)
{
    long fd = system_call(2, (long)path, 0, 0);
    if (fd < 0)
        return -1;
    system_call(3, fd, 0, 0);
    x->key = (int)mix(x, 2);
    return 0;
}
int sized(int fd, struct item *x)
{
    long buffer[18];
    if (system_call(5, fd, (long)buffer, 0) < 0)
        return -1;
    x->count = (int)buffer[6] + 1;
    return (int)mix(x, 3);
}
int sized_more(int fd, struct item *x)
{
    long buffer[18];
    if (system_call(5, fd, (long)buffer, 0) < 0)
        return -1;
    x->count = (int)buffer[6] + 2;
    return (int)mix(x, 3);
}

/* A constant is no function. */
void clear_all(struct item *x, int n)
{
    for (int i = 0; i < (int)mix(x, (unsigned)n) % 64; i++)
        ((char *)x)[i] = 0;
}
void call_with(void (*f)(struct item *), struct item *x)
{
    f(x);
}

/* An address that is rounded down. */
unsigned plain_sum(struct item *x)
{
    return mix(x, 1);
}
unsigned aligned_sum(struct item *x, const char *s)
{
    const long *word = (const long *)((uintptr_t)s & ~(uintptr_t)15);
    return mix(x, 1) + (word[0] == 0);
}

/* Words beyond those in registers. */
unsigned eight(struct item *a, struct item *b, struct item *c, int d, int e, int f, int g, int h)
{
    return mix(a, (unsigned)h) + mix(b, (unsigned)g) + mix(c, (unsigned)(d + e + f));
}
unsigned eight_turned(int h, int g, int f, int e, int d, struct item *c, struct item *b, struct item *a)
{
    return mix(a, (unsigned)h) + mix(b, (unsigned)g) + mix(c, (unsigned)(d + e + f));
}
unsigned listed(struct item *x, ...)
{
    va_list more;
    va_start(more, x);
    unsigned sum = mix(x, va_arg(more, unsigned));
    va_end(more);
    return sum;
}
unsigned unlisted(struct item *x, unsigned y)
{
    return mix(x, y ^ 1);
}

/* A function in assembly, of which debug information lists no parameters (stub.s). */
int ask_two(int a, int b);
int ask_none(void)
{
    return ask_two(0, 0);
}

/* Pairs with an adapter that runs must not refute. Variables that differ from test to test: */
static int count, flag;
int next_count(void)
{
    return ++count;
}
int next_by(int k)
{
    count += k;
    return count;
}
int is_set(void)
{
    return flag ? 1 : 0;
}
int set_or(int a, int b)
{
    return flag ? a : b;
}
void set_flag(int x)
{
    flag = x;
}

/* A constant that is an index into the file, the stack, or what the kernel gave: */
static const long table[8] = {2, 3, 5, 7, 11, 13, 17, 19};
static unsigned char bytes[64];
long five(void)
{
    return 5;
}
long prime(long k)
{
    return table[k];
}
int third(void)
{
    return bytes[3];
}
int byte_at(long k)
{
    return bytes[k];
}
int row_at(long k)
{
    return bytes[k & ~15];
}
int first(void)
{
    return bytes[0];
}
void put_third(int x)
{
    bytes[3] = (unsigned char)x;
}
void put_at(int x, long k)
{
    bytes[k] = (unsigned char)x;
}
int from_frame(int x)
{
    volatile char a[16] = {0};
    a[2] = (char)x;
    return a[2];
}
int from_frame_at(int x, long k)
{
    volatile char a[16] = {0};
    a[k] = (char)x;
    return a[k];
}
int map_eight(int x)
{
    char *p = (char *)system_call(9, 0, 4096, 3);
    if ((long)p < 0)
        return -1;
    p[8] = (char)x;
    return p[8];
}
int map_at(int x, long k)
{
    char *p = (char *)system_call(9, 0, 4096, 3);
    if ((long)p < 0)
        return -1;
    p[k] = (char)x;
    return p[k];
}

/* or leads to code of the file: */
int call_first(void)
{
    return first();
}
int call_from(long k)
{
    return ((int (*)(void))((char *)first + k))();
}

/* What the kernel writes is not what was there: */
int pipe_one(void)
{
    int f[2] = {1, 1};
    return system_call(22, (long)f, 0, 0) < 0 ? -1 : f[0];
}
int pipe_two(void)
{
    int f[2] = {2, 2};
    return system_call(22, (long)f, 0, 0) < 0 ? -1 : f[0];
}

/* Vectors in the frame have to be aligned, for both: */
long in_frame(void)
{
    volatile long a[4] = {9, 8, 7, 6};
    return a[2];
}

/* ---- constants between bounds: the second stands in for the first with one of them ---- */

int plus_one(int *p)
{
    volatile int z = 0;
    return *p + 1 + z;
}
/* Half of the number is counted up, without a carry into the other half: 0xffffffff. */
int carried(int *p, long n)
{
    union {
        long all;
        unsigned half[2];
    } v = {.all = n};
    v.half[0] += 1;
    volatile int z = 0;
    return v.all == 0 ? *p + 1 + z : *p;
}
static const char letters[16] = "abcdefghijklmno";
int plus_letter(int *p)
{
    return *p + 'd';
}
/* From a place far outside the table: 0x40000003, -0x3ffffffd, 0x80000003, 4. */
int letter_above(int *p, int n)
{
    return *p + letters[n - 0x40000000];
}
int letter_below(int *p, int n)
{
    return *p + letters[n + 0x40000000];
}
int letter_checked(int *p, unsigned n)
{
    return n < 0x80000000u || n > 0x80000007u ? -1 : *p + letters[n - 0x80000000ul];
}
int letter_before(int *p, long n)
{
    return n < 1 || n > 16 ? 0 : *p + letters[n - 1];
}
/* The register is handed on as it is: -1. */
long close_none(void)
{
    return system_call(3, -1, 0, 0);
}
long close_given(int n)
{
    return n != -1 ? 5 : system_call(3, n, 0, 0);
}
/* A number of bytes, and one that happens to be an address of the file. */
int far_byte(volatile char *p)
{
    return p[4100];
}
int byte_of(volatile char *p, long n)
{
    return p[n];
}
/* A frame that is cleared with vectors. */
short sum_of_two(int x)
{
    volatile char b[32];
    b[15] = 0;
    b[24] = (char)x;
    return (short)(x + b[15]);
}
short sum_in_array(int n, int x)
{
    volatile char b[32] = {0};
    b[n & 15] = (char)x;
    return (short)(x + b[5]);
}

/* ---- inputs that lead on where most are refused ---- */

/* Only a key and a count that are compared with come farther. */
int guarded(struct item *x, int n)
{
    if (n != 4711 || x->key != 99)
        return -1;
    x->count = (int)mix(x, 5);
    return 0;
}
int guarded_otherwise(struct item *x, int n)
{
    if (n != 4711 || x->key != 99)
        return -1;
    x->count = (int)mix(x, 6);
    return 0;
}
int guarded_turned(int n, struct item *x)
{
    return x && n == 4711 ? guarded(x, n) : guarded(x, n);
}
/* Nobody has been given the address of a frame. */
int at_frame(const char *p)
{
    volatile char a[8] = {0};
    return p == (const char *)a ? 1 + a[0] : 0;
}
int at_larger_frame(const char *p)
{
    volatile char a[400] = {0};
    return p == (const char *)a + 392 ? a[0] : 0;
}
/* What masks are put on is a constant: 11. */
int eleventh(struct item *x)
{
    return (int)mix(x, 3);
}
int by_flags(struct item *x, int n)
{
    return (n & 7) == 3 && n & 8 ? (int)mix(x, (unsigned)(n & 7)) : -1;
}

/* ---- floating-point numbers, which are the same for both ---- */

int is_above(double x)
{
    return x > 1e100;
}
int is_below(double x)
{
    return x < 1e100;
}
int is_not_at_most(double x)
{
    volatile double limit = 1e100;
    return limit < x;
}
double twice(double x)
{
    return 2 * x;
}
double added(double x)
{
    return x + x;
}
double thrice(double x)
{
    return 3 * x;
}
float half(float x)
{
    return x / 2;
}
float halved(float x)
{
    volatile float two = 2;
    return x / two;
}

int by_limit(double x)
{
    return x > 1e100 ? 7 : 3;
}
int by_limit_from(int base, double x)
{
    return x > 1e100 ? base + 4 : base;
}

/* ---- the same code, which does too much to be compared ---- */

unsigned long tangled(const struct item *x, unsigned n)
{
    return mix(x, n) * 3 + mix(x->next, n + 1);
}
unsigned long tangled_too(const struct item *x, unsigned n)
{
    return mix(x, n) * 3 + mix(x->next, n + 1);
}
unsigned long tangled_less(const struct item *x, unsigned n)
{
    return mix(x, n) * 3 + mix(x->next, n + 2);
}
/* but for which variable it is, or that it is told apart by its own address */
static int left_count, right_count;
int count_left(const struct item *x)
{
    return left_count += (int)mix(x, 1);
}
int count_right(const struct item *x)
{
    return right_count += (int)mix(x, 1);
}
const void *tell_one(const struct item *x)
{
    return mix(x, 1) ? (const void *)tell_one : NULL;
}
const void *tell_other(const struct item *x)
{
    return mix(x, 1) ? (const void *)tell_other : NULL;
}
/* or by a place in it */
const void *last_place;
long place_one(long x)
{
    long place;
    if (x != 123456789)
        return x * 3;
    __asm__ volatile("call 1f\n1: pop %0" : "=r"(place) : : "memory");
    return place;
}
long place_other(long x)
{
    long place;
    if (x != 123456789)
        return x * 3;
    __asm__ volatile("call 1f\n1: pop %0" : "=r"(place) : : "memory");
    return place;
}
void called(void)
{
}
#define KEEP_PLACE                                                                                            \
    __asm__ volatile("lea 1f(%%rip), %%rax\nmov %%rax, last_place(%%rip)\ncall called\n1:"                   \
                     :                                                                                        \
                     :                                                                                        \
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory")
long keep_one(long x)
{
    if (x == 123456789)
        KEEP_PLACE;
    return x * 3;
}
long keep_other(long x)
{
    if (x == 123456789)
        KEEP_PLACE;
    return x * 3;
}

/* ---- registers that the kernel does not look at have anything in them ---- */

static long futex(int *at, long what, long n)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(202L), "D"(at), "S"(what), "d"(n) : "rcx", "r11", "memory");
    return result;
}
int wake_one(int *at)
{
    return (int)futex(at, 129, 1);
}
int wake_by(int what, int *at, int n)
{
    return (int)futex(at, what, n);
}
int wake_two(int *at)
{
    return (int)futex(at, 129, 2);
}

/* ---- what few inputs show ---- */

/* One letter more makes a difference where the text has it. */
const char *find_three(const char *s, int a, int b, int c)
{
    while (*s && ((*s != a) & (*s != b) & (*s != c)))
        s++;
    return *s ? s : NULL;
}
const char *find_two(const char *s, int a, int b)
{
    while (*s && ((*s != a) & (*s != b)))
        s++;
    return *s ? s : NULL;
}

/* Bits of a word say what is done; else both refuse. */
struct lock {
    int count, flags;
};
int ceiling(const struct lock *x, int *out)
{
    if (!(x->flags & 0x40))
        return 22;
    *out = x->flags >> 19 & 0x7ff;
    return 0;
}
int lock_by(struct lock *x, unsigned clock, const struct item *until)
{
    if (clock > 1)
        return 22;
    if (x->count++ && until)
        return (int)mix(until, clock) & 127;
    return 0;
}

/* A function that is a constant is one that the other calls, or there is none. */
typedef int compare_function(const void *, const void *);
const struct item *look_up(const void *key, const struct item *first, compare_function *compare)
{
    for (; first; first = first->next)
        if (compare(key, first) == 0)
            return first;
    return NULL;
}
struct item *take_out(const void *key, struct item **first, compare_function *compare)
{
    for (; *first; first = &(*first)->next)
        if (compare(key, *first) == 0) {
            struct item *found = *first;
            *first = found->next;
            return found;
        }
    return NULL;
}

/* Something is stored, and nobody knows where in a page. */
int put_there(char *to, const struct item *x)
{
    *(int *)(to + 20) = x->key;
    return (int)mix(x, 3);
}
int put_by(char *to, const struct item *x, long by)
{
    *(int *)(to + by) = x->key;
    return (int)mix(x, 3);
}
int put_also(char *to, const struct item *x, long by)
{
    *(int *)(to + by) = x->key;
    return (int)mix(x, 4);
}

/* A function that takes a floating-point number takes no word beside it. */
int is_large(double x)
{
    return x > 1e100;
}
int is_negative(long x, const struct item *y)
{
    return (x ^ (y ? (long)mix(y, 1) : 0)) < 0;
}

/* Numbers of 80 bits are two words of the stack, and come back on a stack of their own. */
long double opposite(long double x)
{
    return -x;
}
long double doubled(long double x)
{
    return x * 2;
}
long double product(int n, long double x)
{
    return x * n;
}
long double product_turned(long double x, int n)
{
    return x * n;
}
int sum_behind(int a, int b, int c, int d, int e, int f, int g, long double x)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (x > 0);
}
int sum_before(long double x, int g, int f, int e, int d, int c, int b, int a)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (x > 0);
}
_Float128 signed_by(_Float128 x, int n)
{
    return n ? x : -x;
}
_Float128 signed_by_turned(int n, _Float128 x)
{
    return n ? x : -x;
}

/* Numbers of 64 bits would be rounded. */
long scaled(int n)
{
    long double x = n;
    return (long)(x * 0x7654321L * 21 + 1);
}
long scaled_less(int n)
{
    double x = n;
    return (long)(x * 0x7654321 * 21 + 1);
}
long scaled_as_word(int n)
{
    return (long)n * 0x7654321 * 21 + 1;
}

/* What comes of a constant is not known, but the same for the same. */
int is_second(long x)
{
    return (x & 3) == 2;
}
long by_flag(long flag, long x)
{
    return flag ? mix((const struct item[]){{.key = (int)(x & 0xff)}}, x) : 0;
}
long first_or(long flag, long x)
{
    return flag ? (x & 3) == 2 : 0;
}

/* Nobody has written the register of results. */
long seven(long x)
{
    (void)x;
    return 7;
}
void leave_it(long x)
{
    (void)x;
}

/* What an instruction stores is made of registers that are not known. */
void keep_unit(char *to)
{
    __asm__ volatile("fnstenv (%0)" : : "r"(to) : "memory");
    to[40] = 1;
}
void keep_unit_by(long by, char *to)
{
    __asm__ volatile("fnstenv (%0)" : : "r"(to) : "memory");
    to[by] = 1;
}
void keep_unit_wrongly(char *to)
{
    __asm__ volatile("fnstenv (%0)" : : "r"(to) : "memory");
    to[41] = 1;
}

/* How much is written is a constant, or where: memory outside is not known any more, but what is returned. The library has
 * several implementations. */
__attribute__((visibility("hidden"))) void *set_bytes(void *to, int x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile char *)to)[i] = (char)x;
    return to;
}
void *memset(void *to, int x, size_t n); /* stub.s */
int *zeroed_bytes(int *to, size_t n)
{
    return memset(to, 0, n);
}
int *zeroed_words(int *to, long n)
{
    return memset(to, 0, (size_t)n * 4);
}
int *zeroed_three(int *to)
{
    to[0] = to[1] = to[2] = 0;
    return to;
}
int zeroed_and_told(int *to)
{
    to[0] = to[1] = to[2] = 0;
    return 1;
}
int *set_squared(int *to, long at, int x)
{
    to[at * at] = x;
    return to;
}
int *set_ninth(int *to, int x)
{
    to[9] = x;
    return to;
}

/* What is written is compared, wherever it lies. */
static int say(const char *text, long n, const struct item *x)
{
    char frame[16];
    for (long i = 0; i < n; i++)
        frame[i] = text[i];
    return system_call(1, 2, (long)frame, n) < 0 ? (int)mix(x, 5) & 63 : 0;
}
int say_one(const struct item *x)
{
    return say("no room\n", 8, x);
}
int say_two(const struct item *x)
{
    return say("no more\n", 8, x);
}
int say_by(const struct item *x, long by)
{
    char frame[16], room[32];
    static const char text[] = "no more\nno room\n";
    room[by & 7] = 0;
    for (long i = 0; i < 8; i++)
        frame[i + by % 8] = text[8 + i];
    return system_call(1, 2, (long)frame + by % 8, 8) < 0 ? (int)mix(x, 5 + room[by & 7]) & 63 : 0;
}

/* They differ for numbers that are too large for a word. */
static unsigned long number(const char *s, unsigned long most)
{
    unsigned long x = 0;
    for (; *s >= '0' && *s <= '9'; s++)
        x = x > (most - 9) / 10 ? most : x * 10 + (unsigned long)(*s - '0');
    return x;
}
unsigned long number_signed(const char *s)
{
    return number(s, INT64_MAX);
}
unsigned long number_unsigned(const char *s)
{
    return number(s, UINT64_MAX);
}
unsigned long number_up_to(const char *s, unsigned long most)
{
    return number(s, most);
}

/* ... and for texts with a conversion in them. */
int spaces(const char *s, const struct item *x)
{
    int n = 0;
    for (; *s; s++)
        n += s[0] == '%' && s[1] == 'd' ? (int)mix(x, 1) & 7 : 1;
    return n;
}
int spaces_too(const char *s, const struct item *x)
{
    int n = 0;
    for (; *s; s++)
        n += s[0] == '%' && s[1] == 'd' ? 8 + ((int)mix(x, 1) & 7) : 1;
    return n;
}

/* Which of two it is, is chosen when the program starts. */
static int sum_chosen(const int *x, const struct item *y)
{
    return (int)mix(y, (unsigned)*x);
}
static void *choose_sum(void)
{
    return sum_chosen;
}
int chosen(const int *x, const struct item *y) __attribute__((ifunc("choose_sum")));
int not_chosen(const int *x, const struct item *y)
{
    return (int)mix(y, (unsigned)*x);
}
int not_chosen_more(const int *x, const struct item *y)
{
    return (int)mix(y, (unsigned)*x + 1);
}

/* Whatever the numbers are, something is stored where the last argument says. */
void put_much(long a, long b, long c, long d, int *out)
{
    long n = 1;
    if (a > 7)
        n += b > 3 ? 5 : 6;
    if (c != 9)
        n *= d & 1 ? a : c;
    if (b < d)
        n ^= 77;
    *out = (int)n;
}
int put_nothing(long a, const struct item *x)
{
    return a > 3 ? (int)mix(x, 2) : 0;
}
/* ... which is the same when one of them is 9 */
void put_much_of(long a, long b, long d, int *out)
{
    long n = 1;
    if (a > 7)
        n += b > 3 ? 5 : 6;
    if (b < d)
        n ^= 77;
    *out = (int)n;
}

/* Goes on for as long as it is told to, and does nothing that can be seen. */
unsigned spin(const struct item *x, unsigned long n)
{
    unsigned sum = (unsigned)x->key;
    for (unsigned long i = 0; i < n * 4096 + 70000; i++)
        sum = (sum ^ (unsigned)i) * 33 % 1000003;
    return sum & 63;
}
unsigned ask_once(const struct item *x)
{
    return system_call(39, 0, 0, 0) < 0 ? mix(x, 5) & 63 : 0;
}
void note_sum(struct item *x)
{
    x->count = (int)mix(x, 3) | 1 << 20;
}
static unsigned ask(const struct item *x, unsigned first)
{
    return system_call(39, 0, 0, 0) < 0 ? mix(x, first) & 63 : 0;
}
static unsigned (*const asks[])(const struct item *, unsigned) = {mix, ask};
unsigned ask_by_table(const struct item *x, unsigned first, unsigned which)
{
    return asks[which & 1](x, first);
}
static void put(int *to, int x)
{
    *to = x;
}
void note_in_callee(struct item *x, int bit)
{
    put(&x->count, (int)mix(x, 3) | 1 << bit);
}

/* Words of a table, which are compared as a whole: nothing leads to them letter by letter. */
typedef char word __attribute__((vector_size(16)));
static const char names[4][16] __attribute__((aligned(16))) = {"lower", "upper", "alpha", "digit"};
static int index_of(const char *name)
{
    word given;
    __builtin_memcpy(&given, name, sizeof given);
    for (int i = 0; i < 4; i++) {
        word same = given == *(const word *)names[i];
        int all = 0;
        for (int k = 0; k < 16; k++)
            all += same[k];
        if (all == -16)
            return i + 1;
    }
    return 0;
}
int class_of(const char *name, const struct item *x)
{
    int i = index_of(name);
    return i ? (int)mix(x, (unsigned)i) & 63 : 0;
}
int class_after(const char *name, const struct item *x)
{
    int i = index_of(name);
    return i ? (int)(mix(x, (unsigned)i) + 1) & 63 : 0;
}
int class_by(const char *name, const struct item *x, unsigned more)
{
    int i = index_of(name);
    return i ? (int)(mix(x, (unsigned)i) + more) & 63 : 0;
}

/* What the kernel tells. */
static int pages(unsigned at, const struct item *x)
{
    unsigned long info[14];
    if (system_call(99, (long)info, 0, 0) < 0)
        return -1;
    return info[at] ? (int)mix(x, (unsigned)info[at] >> 12) & 63 : 0;
}
int pages_all(const struct item *x)
{
    return pages(4, x);
}
int pages_free(const struct item *x)
{
    return pages(5, x);
}
int pages_of(unsigned at, const struct item *x)
{
    return pages(at % 14, x);
}

/* What is written is written by the kernel. */
long state_of(const char *path, void *to)
{
    return system_call(4, (long)path, (long)to, 0);
}
long state_of_turned(void *to, const char *path)
{
    long r = system_call(4, (long)path, (long)to, 0);
    __asm__ volatile("nop");
    return r;
}

/* A function of the file has the name of the one that reports overwritten frames. */
void __stack_chk_fail_local(int *to, int x)
{
    *to = x;
}
void put_word(int *to, int x)
{
    *to = x;
}
void put_by_guard(int x, int *to)
{
    __stack_chk_fail_local(to, x);
    __asm__ volatile("nop");
}
