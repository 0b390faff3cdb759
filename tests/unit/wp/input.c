/* What test_wp.c asks about. */
struct pair {
    short low;
    unsigned char flag : 3, rest : 5;
    int values[4];
    struct pair *next;
};

int arithmetic(int a, unsigned b, long c, struct pair *p)
{
    return a;
}

/* So many branches, one after the other, that have 2^n paths; each depends on what the ones before did. */
#define B1 if (mem[x & 7] & 1) x += 3; else x ^= mem[x & 3];
#define B4 B1 B1 B1 B1
#define B16 B4 B4 B4 B4
int branches4(int x, const int *mem) { B4 return x; }
int branches16(int x, const int *mem) { B16 return x; }
int branches64(int x, const int *mem) { B16 B16 B16 B16 return x; }

static int twice(int x) { return x + x; }
int (*volatile keep)(int) = twice;
