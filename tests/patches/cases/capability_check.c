/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=capability_check function=route_ioctl kind=call
 * why: Everybody could change routes. */
struct net {
    int index;
    uint32_t generation;
    void *table;
};

extern int capable(int what);
extern int route_change(void *table, int add, const uint8_t *request);
extern int route_dump(void *table, uint8_t *to, uint32_t room);
extern int copy_request(uint8_t *to, const void *user, uint32_t n);
extern void route_notify(struct net *n);

int route_ioctl(struct net *n, unsigned command, void *user)
{
    uint8_t request[120];
    int ret;

    switch (command) {
    case 0x890b:
    case 0x890c:
#ifdef PATCHED
        if (!capable(12))
            return -1;
#endif
        if (copy_request(request, user, sizeof request))
            return -14;
        ret = route_change(n->table, command == 0x890b, request);
        if (ret == 0)
            n->generation++;
#ifdef LATER
        if (ret == 0)
            route_notify(n);
#endif
        return ret;
    case 0x890d:
        return route_dump(n->table, user, 4096);
#ifdef LATER
    case 0x890e:
        return (int)n->generation;
#endif
    }
    return -25;
}
