/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=area_product_and_sum function=area_bytes kind=conjuncts parts=2
 * why: The product could wrap, and so could what is added to it. */
struct area {
    uint32_t rows, columns, header;
};

extern void area_reject(const struct area *a, int why);
extern void *area_memory(uint32_t bytes);

void *area_bytes(const struct area *a)
{
    uint32_t bytes;

    if (a->rows == 0 || a->columns == 0) {
        area_reject(a, 4);
        return NULL;
    }
    if (FIX(1) && a->rows > 0xffffffffu / a->columns) {
        area_reject(a, 5);
        return NULL;
    }
    bytes = a->rows * a->columns;
    if (FIX(2) && a->header > 0xffffffffu - bytes) {
        area_reject(a, 6);
        return NULL;
    }
    return area_memory(bytes + a->header);
}
