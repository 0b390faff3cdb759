/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=info_leak_memset function=get_driver_info kind=addition
 * why: What is not filled in was copied out as it lay on the stack. */
struct driver_info {
    char name[32];
    uint32_t version, caps;
    uint8_t reserved[24];
};
struct card {
    uint32_t version, caps;
    int present;
    const char *name;
};

extern int copy_out(void *user, const void *p, size_t n);
extern void card_poll(struct card *c);

int get_driver_info(struct card *c, void *user, size_t size)
{
    struct driver_info info;

    if (size < sizeof info)
        return -22;
    if (!c->present) {
#ifdef LATER
        card_poll(c);
        if (!c->present)
#endif
            return -19;
    }
#ifdef PATCHED
    memset(&info, 0, sizeof info);
#endif
    strncpy(info.name, c->name, 31);
    info.name[31] = '\0';
    info.version = c->version;
    info.caps = c->caps & 0xff;
#ifdef LATER
    if (c->version > 3)
        info.caps |= 0x100;
#endif
    return copy_out(user, &info, sizeof info) ? -14 : 0;
}
