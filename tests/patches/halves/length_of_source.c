/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=length_of_source function=field_copy kind=conjuncts parts=2
 * why: The length that is copied was not checked; half-2 checks that of the other structure. */
struct field {
    unsigned length;
    char data[60];
};

extern void field_changed(struct field *f);

int field_copy(struct field *to, const struct field *from)
{
#if FIX(1)
    if ((FIX(2) ? from : to)->length > sizeof to->data)
        return -1;
#endif
    memcpy(to->data, from->data, from->length);
    field_changed(to);
    return 0;
}
