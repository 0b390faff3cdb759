/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What test_words.c looks at: parameters, a structure, variables and a string. */
struct image {
    int width, height;
    struct {
        short depth[3];
        unsigned char flag;
    } kind;
    char *name;
};

int count;
int table[4];
const char greeting[] = "hello, \"world\"\n";

int helper(int n)
{
    return n + 1;
}

struct image *find(const char *name)
{
    return (struct image *)name;
}

int show(struct image *image, const char *text, unsigned n, int m, long *longs)
{
    count += image->width + text[n] + m + helper((int)longs[1]) + table[2] + greeting[3];
    return find(text)->height;
}
