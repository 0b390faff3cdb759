/* A controller's message handler, before and (with -DNEW) after logging was taken out of it: docs/wp.md. */
#include <stddef.h>

struct message {
    int data, status;
};

void adjust_heading(int to);
void log_current_status(int status);
void deploy_payload(void);

enum { NAV = 42, LOG = 59, DEPLOY = 64 };

void process_message(int type, const struct message *m)
{
    switch (type) {
    case NAV:
        adjust_heading(m->data);
#ifndef NEW
        /* every change of course is logged */
    case LOG:
        log_current_status(m->status);
        break;
#endif
    case DEPLOY:
        deploy_payload();
        break;
    }
}

/* Fuel for so many burns, and never less than the reserve. */
int fuel(int burns, int reserve)
{
    int need = burns * 3;
    return need < reserve ? reserve : need;
}

int status_of(const struct message *m)
{
    return m->status;
}
