/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=limits_either function=window_resize kind=conjuncts parts=2
 * why: Neither side of a window was limited; put together with && (half-2) the check lets one of them pass. */
struct window {
    unsigned width, height;
};

extern void window_draw(struct window *w, unsigned width, unsigned height);

int window_resize(struct window *w, unsigned width, unsigned height)
{
#if FIX(1) && FIX(2)
    if (width > 4000 || height > 3000)
        return -1;
#elif FIX(1)
    if (width > 4000 && height > 3000)
        return -1;
#endif
    w->width = width;
    w->height = height;
    window_draw(w, width, height);
    return 0;
}
