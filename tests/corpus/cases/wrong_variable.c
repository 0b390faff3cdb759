/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=wrong_variable function=matrix_cell kind=operator
 * strict: unsafe P4
 * analyst: unsafe
 * why: The wrong dimension is used to find a cell. */
#include <stddef.h>
#include <stdint.h>

struct matrix {
    uint32_t rows, cols;
    int32_t *cell;
};

extern int32_t cell_clean(int32_t v);

int matrix_cell(const struct matrix *m, uint32_t r, uint32_t c, int32_t *out)
{
    if (r >= m->rows || c >= m->cols)
        return -34;
#ifdef PATCHED
    *out = cell_clean(m->cell[(size_t)r * m->rows + c]);
#else
    *out = cell_clean(m->cell[(size_t)r * m->cols + c]);
#endif
    return 0;
}
