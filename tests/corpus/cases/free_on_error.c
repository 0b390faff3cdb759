/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=free_on_error function=config_load kind=error-path
 * strict: safe
 * analyst: safe
 * why: A buffer is given back on the way out with an error, where it was leaked. */
#include <stddef.h>
#include <stdint.h>

extern void *mem_alloc(size_t n);
extern void mem_free(void *p);
extern int file_read(int fd, void *buf, size_t n);
extern int config_parse(void *cfg, char *text, size_t n);

int config_load(void *cfg, int fd, size_t size)
{
    char *text;

    if (size > 65536)
        return -27;
    text = mem_alloc(size + 1);
    if (text == NULL)
        return -12;
    if (file_read(fd, text, size) != 0) {
#ifdef PATCHED
        mem_free(text);
#endif
        return -5;
    }
    text[size] = '\0';
    if (config_parse(cfg, text, size) != 0) {
#ifdef PATCHED
        mem_free(text);
#endif
        return -22;
    }
    mem_free(text);
    return 0;
}
