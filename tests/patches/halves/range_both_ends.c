/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=range_both_ends function=gain_store kind=conjuncts parts=2
 * why: A gain below or above what the codec takes was stored. */
struct codec {
    int gain[8];
    unsigned dirty;
};

extern int codec_sync(struct codec *c);

int gain_store(struct codec *c, unsigned channel, int gain)
{
    if (channel > 7)
        return -22;
    if (FIX(1) && gain < -40)
        gain = -40;
    if (FIX(2) && gain > 60)
        gain = 60;
    c->gain[channel] = gain;
    c->dirty |= 1u << channel;
    return codec_sync(c);
}
