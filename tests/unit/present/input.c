/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions whose features are compared between bitcode and machine code. */
#include <stddef.h>

struct item {
    int kind;
    unsigned length;
    char *data;
    struct item *next;
};

void *allocate(size_t n);
void release(void *p);
int report(const char *what, int value);
int parse(const char *text, struct item *out);

int checked_length(struct item *it, unsigned limit)
{
    if (!it)
        return -1;
    if (it->length > limit) {
        report("length out of range", (int)it->length);
        return -2;
    }
    return (int)it->length;
}

struct item *new_item(int kind, unsigned length)
{
    struct item *it = allocate(sizeof *it);
    if (it == NULL)
        return NULL;
    it->kind = kind;
    it->length = length + 1;
    it->data = allocate(length + 1);
    if (it->data == NULL) {
        release(it);
        return NULL;
    }
    it->next = NULL;
    return it;
}

int count_kind(struct item *list, int kind)
{
    int n = 0;
    for (; list; list = list->next)
        if (list->kind == kind)
            n++;
    return n;
}

int read_item(const char *text, struct item *out)
{
    int r = parse(text, out);
    if (r < 0)
        return report("cannot parse", r);
    out->kind = r;
    return 0;
}

static int level = 3;

int set_level(int to)
{
    if (to < 0 || to > 9)
        return report("bad level", to);
    level = to;
    return level;
}

double frexp(double x, int *exponent);

int scale_of(double x)
{
    int exponent = 0;
    if (frexp(x, &exponent) < 0)
        return -1;
    return exponent;
}
