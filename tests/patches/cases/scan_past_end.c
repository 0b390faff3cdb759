/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=scan_past_end function=skip_comment kind=loop
 * why: A comment that is not closed was scanned past the end of the text. */
struct lexer {
    const char *p, *end;
    int line, column;
    uint32_t comments;
};

extern void lex_error(struct lexer *l, const char *what);

int skip_comment(struct lexer *l)
{
    const char *p = l->p;

    if (l->end - p < 4 || p[0] != '<' || p[1] != '!' || p[2] != '-' || p[3] != '-')
        return 0;
    p += 4;
#ifdef LATER
    l->comments++;
#endif
#ifdef PATCHED
    while (p < l->end && *p != '>') {
#else
    while (*p != '>') {
#endif
        if (*p == '\n') {
            l->line++;
            l->column = 0;
        } else {
            l->column++;
        }
        p++;
    }
#ifdef LATER
    if (p[-1] != '-')
        lex_error(l, "comment ends without --");
#endif
    l->p = p + 1;
    return 1;
}
