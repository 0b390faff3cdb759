/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of C++ (Itanium C++ ABI, chapter 5) and of Rust (its older scheme, which is one of C++) as a person writes them:
 * "png::Reader<...>::next" for _ZN3png6ReaderIiE4nextEv. What a function takes and what a template is made from are left out, so
 * that no name, whatever it is made of, becomes longer than it was. */
#ifndef REPORT_READABLE_H
#define REPORT_READABLE_H

#include <stdbool.h>

#include "base/buf.h"

/* False, and nothing written, when the name is none of these or has something in it that is not understood. */
bool readable_name(struct buf *out, const char *name);

#endif
