/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=redirect_limit function=http_follow kind=loop
 * why: Two servers that send to each other kept the client going for ever. */
struct http {
    char location[256];
    int status, hops;
    void *connection;
    uint32_t total;
};

extern int http_request(struct http *h, const char *url);
extern int http_location(struct http *h, char *to, size_t room);
extern void http_close(struct http *h);
extern void http_trace(const char *what, const char *url);

int http_follow(struct http *h, const char *url)
{
    int ret;

    h->hops = 0;
    for (;;) {
        ret = http_request(h, url);
        if (ret < 0)
            return ret;
#ifdef LATER
        h->total++;
        http_trace("requested", url);
#endif
        if (h->status < 300 || h->status >= 400)
            return h->status;
        if (http_location(h, h->location, sizeof h->location) < 0) {
            http_close(h);
            return -71;
        }
#ifdef PATCHED
        if (++h->hops > 20) {
            http_close(h);
            return -40;
        }
#else
        h->hops++;
#endif
        http_close(h);
        url = h->location;
    }
}
