/* SPDX-License-Identifier: Apache-2.0 */
/* What the device tree said of this machine; read once by the boot core, constant afterwards. */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#define MACHINE_HART_SIZE  24  /* bytes of a struct hart, for boot.S */
#define MACHINE_HARTS_MAX  512 /* enabled harts that the tree may name */
#define MACHINE_RANGES_MAX 16

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint64_t base, size;
};

struct hart {
    uint64_t number;            /* mhartid */
    uint32_t interrupt_phandle; /* of its local interrupt controller */
    volatile uint32_t *sswi;    /* its SETSSIP register; null: interrupts by SBI */
};

struct machine {
    struct hart harts[MACHINE_HARTS_MAX]; /* enabled ones, in the order of the tree */
    uint32_t hart_count;
    bool sstc; /* every enabled hart has Sstc */
    uint64_t clock_hz;
    struct range memory[MACHINE_RANGES_MAX], reserved[MACHINE_RANGES_MAX];
    uint32_t memory_count, reserved_count;
    uint64_t uart; /* physical; 0: none */
    uint32_t uart_shift;
    uint64_t run_for; /* ns of machine time from the boot arguments; 0: no end */
};

extern struct machine machine;

_Static_assert(sizeof(struct hart) == MACHINE_HART_SIZE, "");
_Static_assert(offsetof(struct hart, number) == 0 && offsetof(struct machine, harts) == 0, "");

/* Fills `machine` from a device tree; panics on one that does not fit. */
void machine_read(const void *tree, const char *compatible);

/* Sends the console to the machine's UART from now on, if it has one (arch.c). */
void arch_console_init(void);

#endif
#endif
