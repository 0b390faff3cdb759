/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/front.h"

#include "exec/bitcode.h"

static const struct front_end *const front_ends[] = {
    &front_bitcode,
};

const struct front_end *front_of_file(const char *path)
{
    for (size_t i = 0; i < sizeof front_ends / sizeof *front_ends; i++)
        if (front_ends[i]->is_file(path))
            return front_ends[i];
    return NULL;
}
