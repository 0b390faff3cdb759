/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What everything with deadlines, pipes and paths needs of the operating system. */
#ifndef BASE_SYSTEM_H
#define BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

uint64_t timespec_ms(struct timespec t);
uint64_t now_ms(void); /* of a clock that only goes forward */
const char *path_base(const char *path);         /* what is after its last slash */
bool write_all(int fd, const char *p, size_t n); /* goes on after interruptions; false on an error */

#endif
