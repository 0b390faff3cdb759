/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=error_code_success function=module_load kind=error-code
 * why: A module whose signature is missing was reported as loaded. */
struct module {
    const uint8_t *image;
    size_t size;
    uint32_t flags, order;
    void (*init)(void);
};

extern int elf_check(const uint8_t *image, size_t size);
extern const uint8_t *signature_of(const uint8_t *image, size_t size);
extern int signature_check(const uint8_t *sig, const uint8_t *image, size_t size);
extern int module_relocate(struct module *m);
extern void module_log(const char *what);

int module_load(struct module *m)
{
    const uint8_t *sig;
    int ret;

    if (elf_check(m->image, m->size) < 0)
        return -8;
    sig = signature_of(m->image, m->size);
    if (sig == NULL) {
        module_log("module has no signature");
#ifdef PATCHED
        return -126;
#else
        return 0;
#endif
    }
    if (signature_check(sig, m->image, m->size) < 0)
        return -129;
#ifdef LATER
    if (m->flags & 0x100)
        module_log("module is out of tree");
#endif
    ret = module_relocate(m);
    if (ret < 0)
        return ret;
    m->flags |= 1;
#ifdef LATER
    m->order++;
#endif
    return 0;
}
