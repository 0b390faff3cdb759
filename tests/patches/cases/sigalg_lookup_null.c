/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=sigalg_lookup_null function=tls_check_sig_alg kind=null-check
 * why: A signature algorithm that is not known has no entry to look into (after CVE-2020-1967). */
struct sigalg {
    const char *name;
    uint16_t code;
    int hash, sig, sigandhash;
};
struct session {
    uint32_t options;
    uint16_t *peer_algs;
    size_t peer_count;
    const struct sigalg **shared;
    size_t shared_count;
};

extern const struct sigalg *tls_lookup_sigalg(uint16_t code);
extern int cert_signature_nid(const void *cert);
extern void tls_trace(const struct session *s, int what);

int tls_check_sig_alg(struct session *s, const void *cert, int default_nid)
{
    int sig_nid, use_peer = 0;
    size_t i, count;

    if (default_nid == -1)
        return 1;
    sig_nid = cert_signature_nid(cert);
    if (default_nid)
        return sig_nid == default_nid ? 1 : 0;
    if ((s->options & 0x2000) && s->peer_algs != NULL) {
        use_peer = 1;
        count = s->peer_count;
    } else {
        count = s->shared_count;
    }
#ifdef LATER
    tls_trace(s, use_peer);
    if (count > 128)
        count = 128;
#endif
    for (i = 0; i < count; i++) {
        const struct sigalg *sigalg = use_peer ? tls_lookup_sigalg(s->peer_algs[i]) : s->shared[i];

#ifdef PATCHED
        if (sigalg != NULL && sig_nid == sigalg->sigandhash)
#else
        if (sig_nid == sigalg->sigandhash)
#endif
            return 1;
    }
    return 0;
}
