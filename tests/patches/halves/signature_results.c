/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=signature_results function=firmware_accept kind=call-sites parts=3
 * why: What the checks returned was not looked at. */
struct firmware {
    const uint8_t *image, *signature;
    uint32_t size, version;
};

extern int sig_parse(const uint8_t *signature);
extern int sig_verify(const uint8_t *image, uint32_t size, const uint8_t *signature);
extern int rollback_check(uint32_t version);
extern int firmware_write(const uint8_t *image, uint32_t size);

int firmware_accept(const struct firmware *f)
{
    int r = sig_parse(f->signature);

    if (FIX(1) && r < 0)
        return -5;
    r = sig_verify(f->image, f->size, f->signature);
    if (FIX(2) && r != 1)
        return -6;
    r = rollback_check(f->version);
    if (FIX(3) && r < 0)
        return -7;
    return firmware_write(f->image, f->size);
}
