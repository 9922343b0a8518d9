/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode: walks the page tables of all three cores, and judges the partitions' checks. */
#include "check.h"

extern uint8_t takt_page_tables[];

enum { VALID = 1, WRITE = 4, EXECUTE = 8, LEAF = 14, USER = 16, GLOBAL = 32 };

/* The physical pages of user mode, by core; none stands in two tables. */
static uint64_t least[3], most[3];
static unsigned user_pages[3];
static uint64_t kernel_root, roots[3];

static uint64_t page_table(void) {
    uint64_t satp;
    __asm__ volatile("csrr %0, satp" : "=r"(satp));
    return satp;
}

static void check_leaf(uint32_t core, uint64_t slot, uint64_t entry) {
    uint64_t page = entry >> 10;
    CHECK((entry & (WRITE | EXECUTE)) != (WRITE | EXECUTE));
    if (!(entry & USER)) {
        CHECK(slot >= 510 && (entry & GLOBAL) != 0);
        return;
    }
    CHECK(slot == 508 && (entry & GLOBAL) == 0);
    user_pages[core]++;
    least[core] = least[core] == 0 || page < least[core] ? page : least[core];
    most[core] = page > most[core] ? page : most[core];
}

static void walk(uint32_t core, const uint64_t *table, int level, uint64_t slot) {
    for (uint64_t i = 0; i < 512; i++) {
        uint64_t entry = table[i], at = level == 2 ? i : slot;
        if (!(entry & VALID)) {
            continue;
        }
        if (entry & LEAF) {
            check_leaf(core, at, entry);
        } else if (level > 0) {
            uint64_t offset = (entry >> 10 << 12) - kernel_root;
            walk(core, (const uint64_t *)(takt_page_tables + offset), level - 1, at);
        } else {
            CHECK(!"a table below the last level");
        }
    }
}

void walker_job(intptr_t argument) {
    uint32_t core = takt_core_self();
    roots[core] = page_table();
    uint64_t root = roots[core] << 20 >> 8;
    walk(core, (const uint64_t *)(takt_page_tables + (root - kernel_root)), 2, 0);
}

void main_job(intptr_t argument) {
    kernel_root = page_table() << 20 >> 8;
    walker_job(0);
    takt_task_delay(20 * TAKT_MILLISECOND);
    CHECK_IS(takt_task_activate(TAKT_TASK_walker), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_walker_right), TAKT_OK);
    takt_task_delay(10 * TAKT_MILLISECOND);
    CHECK_IS(user_pages[0], 0);
    CHECK(user_pages[1] >= 5 && user_pages[2] >= 5);
    CHECK(most[1] < least[2] || most[2] < least[1]);
    /* ASIDs: 0 is the kernel's. */
    CHECK_IS((long)(roots[0] >> 44 & 0xffff), 0);
    CHECK_IS((long)(roots[1] >> 44 & 0xffff), 1);
    CHECK_IS((long)(roots[2] >> 44 & 0xffff), 2);
    uint64_t checked[2];
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_checked, checked), TAKT_OK);
    CHECK(checked[0] > 1000);
    CHECK_IS((long)checked[1], 0);
    check_end();
}
