/* SPDX-License-Identifier: GPL-3.0-or-later */
struct box {
    unsigned size;
    unsigned char *item;
};
int store(struct box *b, unsigned count, int first);
