/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same thing twice, with fields at other places and of other widths. */
struct account {
    int balance;
    short payments;
    unsigned char open;
};

void account_pay(struct account *a, int sum)
{
    a->balance += sum;
    a->payments++;
    a->open = 1;
}

struct ledger {
    unsigned char open;
    long balance;
    int payments;
};

void ledger_pay(int sum, struct ledger *l)
{
    l->balance = (int)((unsigned)l->balance + (unsigned)sum);
    l->payments = (short)(l->payments + 1);
    l->open = 1;
}
