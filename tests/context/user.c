/* SPDX-License-Identifier: Apache-2.0 */
/* A task that leaves for user mode is interrupted, preempted and resumed there, and cannot call the
 * kernel. The kernel offers no user mode: the test opens two pages and enters it by itself. */
#include "until.h"

extern uint8_t takt_page_tables[], user_program[];

static struct {
    uint64_t count;
    uint8_t rest[4096 - 8];
} user_data __attribute__((aligned(4096)));

/* Counts, in memory and in registers; traps when they differ. a0: where, a1: after how many turns
 * it calls the kernel, 0: never. Alone on its page, as S-mode must not run what U-mode may. */
__asm__(".pushsection .text.user_program, \"ax\"\n"
        "        .balign 4096\n"
        "user_program:\n"
        "        li      s2, 0\n"
        "        fmv.d.x f9, zero\n"
        "1:      ld      t0, 0(a0)\n"
        "        fmv.x.d t1, f9\n"
        "        bne     t0, s2, 2f\n"
        "        bne     t1, s2, 2f\n"
        "        addi    s2, s2, 1\n"
        "        fmv.d.x f9, s2\n"
        "        sd      s2, 0(a0)\n"
        "        bne     s2, a1, 1b\n"
        "        ecall\n"
        "2:      ebreak\n"
        "        .balign 4096\n"
        "        .popsection\n");

#define csr_read(name)                                                                             \
    ({                                                                                             \
        uint64_t csr_value;                                                                        \
        __asm__ volatile("csrr %0, " #name : "=r"(csr_value));                                     \
        csr_value;                                                                                 \
    })

/* Lets U-mode use the page at `address`, by its entries in the page tables, which are accessible at
 * their linked addresses. */
static void open_page(const void *address) {
    enum { USER = 0x10 };
    uint64_t *table = (uint64_t *)takt_page_tables;
    uint64_t root = csr_read(satp) << 20 >> 8;
    for (int level = 2;; level--) {
        uint64_t *entry = &table[(uintptr_t)address >> (12 + 9 * level) & 511];
        if (level == 0) {
            *entry |= USER;
            __asm__ volatile("sfence.vma" ::: "memory");
            return;
        }
        table = (uint64_t *)(takt_page_tables + ((*entry >> 10 << 12) - root));
    }
}

void user_job(intptr_t turns) {
    open_page(user_program);
    open_page(&user_data);
    register uint64_t *where __asm__("a0") = &user_data.count;
    register intptr_t limit __asm__("a1") = turns;
    __asm__ volatile("csrci sstatus, 2\n" /* clears SIE, until sret */
                     "csrw    sepc, %2\n"
                     "li      t0, 0x100\n" /* clears SPP: sret enters U-mode */
                     "csrc    sstatus, t0\n"
                     "li      t0, 0x20\n" /* sets SPIE */
                     "csrs    sstatus, t0\n"
                     "sret" ::"r"(where),
                     "r"(limit), "r"(user_program)
                     : "t0", "memory");
}

/* S-mode may access a user page only with SUM set. */
static uint64_t user_count(void) {
    uint64_t count;
    __asm__ volatile("li t0, 0x40000\ncsrs sstatus, t0\nld %0, %1\ncsrc sstatus, t0"
                     : "=r"(count)
                     : "m"(user_data.count)
                     : "t0");
    return count;
}

static unsigned preemptions;

void preempter_job(intptr_t argument) {
    __asm__ volatile("fmv.d.x f9, %0" ::"r"(takt_time_now()) : "fs1");
    count_up(&preemptions);
}

void main_job(intptr_t argument) {
    CHECK_IS(takt_task_activate(TAKT_TASK_user), TAKT_OK);
    uint64_t before = 0;
    for (int i = 0; i < 20; i++) {
        takt_task_delay(TAKT_MILLISECOND);
        CHECK(user_count() > before);
        before = user_count();
    }
    CHECK(read_count(&preemptions) > 20);
    check_end();
}
