/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=label_terminated function=label_copy kind=hunks parts=2
 * why: The copy had no end, and its length was that of the source. */
struct label {
    char text[48];
    unsigned length, color;
};

extern unsigned color_of(const char *name);

int label_copy(struct label *l, const char *name, unsigned length)
{
    if (name == NULL)
        return -1;
    l->color = color_of(name);
#if FIX(1)
    if (length > 47)
        length = 47;
#endif
    memcpy(l->text, name, length);
#if FIX(2)
    l->text[length] = 0;
#endif
    l->length = length;
    return 0;
}
