/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detached debug files from debuginfod servers, by the system's own client: libdebuginfod is opened when it is
 * asked for, so that neither it nor what it needs has to be there. The servers are those of DEBUGINFOD_URLS; the
 * client keeps what it fetched in a cache of its own. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object/debug.h"

struct client {
    void *library;
    void *(*begin)(void);
    int (*find)(void *client, const unsigned char *build_id, int length, char **path);
    void (*end)(void *client);
};

static void *symbol(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

static bool open_client(struct client *c)
{
    c->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    void *f[] = {symbol(c->library, "debuginfod_begin"), symbol(c->library, "debuginfod_find_debuginfo"),
                 symbol(c->library, "debuginfod_end")};
    memcpy(&c->begin, &f[0], sizeof f[0]);
    memcpy(&c->find, &f[1], sizeof f[1]);
    memcpy(&c->end, &f[2], sizeof f[2]);
    return c->begin && c->find && c->end;
}

bool object_debuginfod_available(void)
{
    struct client c;
    return open_client(&c);
}

/* It takes digits when the length is 0. */
char *debug_fetch(const char *build_id)
{
    struct client c;
    char *path = NULL;
    void *client = open_client(&c) ? c.begin() : NULL;
    if (!client)
        return NULL;
    int fd = c.find(client, (const unsigned char *)build_id, 0, &path);
    c.end(client);
    if (fd >= 0)
        close(fd);
    if (fd < 0) {
        free(path);
        path = NULL;
    }
    return path;
}
