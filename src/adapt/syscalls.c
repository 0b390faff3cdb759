/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of system calls. */
#include "adapt/internal.h"

/* How many arguments system calls of x86-64 take, by number (Linux, arch/x86/entry/syscalls/syscall_64.tbl).
 */
static const char amd64_takes[] =
    "3331222336321440344332150533333312022130433366332323345550031421334124533211223211221221232233312221"
    "1403011002000222233331111222432223112223232231112221003215212101252214221323215436666603555444333222"
    "2163312153313166531044342112224144326635415523455453203244345343453433651236444646321442442132155455"
    "25453214236653345332535133666421564";

/* From that number on, common to most machines (pidfd_send_signal to cachestat). */
enum { AMD64_LATER = 424 };
static const char amd64_takes_later[] = "4264352533223434565434212544";

enum { AMD64_FUTEX = 202 };

/* At what futex looks hangs on what it is asked for, its second argument (Linux, kernel/futex/syscalls.c).
 * Nothing: that is not known. */
static unsigned futex_looks_at(uint64_t operation)
{
    enum { PRIVATE = 128, CLOCK_REALTIME = 256 };
    static const uint8_t set[] = {
        0x0f /* wait */,           0x07 /* wake */,        0,
        0x1f /* requeue */,        0x3f /* cmp_requeue */, 0x3f /* wake_op */,
        0x0b /* lock_pi */,        0x03 /* unlock_pi */,   0x03 /* trylock_pi */,
        0x2f /* wait_bitset */,    0x27 /* wake_bitset */, 0x1f /* wait_requeue_pi */,
        0x3f /* cmp_requeue_pi */, 0x0b /* lock_pi2 */,
    };
    uint32_t what = (uint32_t)operation & ~(uint32_t)(PRIVATE | CLOCK_REALTIME);
    return what < sizeof set ? set[what] : 0;
}

bool syscall_hangs_on_second(const struct ir_machine *m, uint64_t number)
{
    return m->arch == MACHINE_AMD64 && number == AMD64_FUTEX;
}

bool syscall_looks_at(const struct ir_machine *m, uint64_t number, const uint64_t *second, unsigned *set)
{
    uint64_t later = number - AMD64_LATER;
    unsigned takes;
    if (syscall_hangs_on_second(m, number)) {
        *set = second ? futex_looks_at(*second) : 0;
        return *set != 0;
    }
    if (m->arch == MACHINE_AMD64 && number < sizeof amd64_takes - 1)
        takes = (unsigned)(amd64_takes[number] - '0');
    else if (m->arch == MACHINE_AMD64 && later < sizeof amd64_takes_later - 1)
        takes = (unsigned)(amd64_takes_later[later] - '0');
    else
        return false;
    *set = (1u << takes) - 1;
    return true;
}
