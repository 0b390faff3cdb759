/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=recursion_depth function=json_skip_value kind=addition
 * why: Brackets within brackets used up the stack. */
struct json {
    const char *p, *end;
    int depth, objects;
};

extern int json_skip_string(struct json *j);
extern int json_skip_number(struct json *j);
extern int json_fail(struct json *j, const char *what);

int json_skip_value(struct json *j)
{
    char close;

    while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\t'))
        j->p++;
    if (j->p == j->end)
        return json_fail(j, "value is missing");
    switch (*j->p) {
    case '"':
        return json_skip_string(j);
    case '[':
        close = ']';
        break;
    case '{':
        close = '}';
#ifdef LATER
        j->objects++;
#endif
        break;
    default:
        return json_skip_number(j);
    }
#ifdef PATCHED
    if (++j->depth > 512)
        return json_fail(j, "too deep");
#endif
    j->p++;
    while (j->p < j->end && *j->p != close) {
        if (*j->p == ',' || *j->p == ':')
            j->p++;
        else if (json_skip_value(j) < 0)
            return -1;
    }
#ifdef PATCHED
    j->depth--;
#endif
    if (j->p == j->end)
        return json_fail(j, "bracket is missing");
    j->p++;
    return 0;
}
