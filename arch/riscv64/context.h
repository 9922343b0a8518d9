/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of a task that is not running. context.S knows its layout by these offsets. */
#ifndef ARCH_CONTEXT_H
#define ARCH_CONTEXT_H

#define CONTEXT_PC     0 /* x0 needs no place: the program counter has it */
#define CONTEXT_X(n)   ((n)*8)
#define CONTEXT_STATUS 256
#define CONTEXT_FCSR   264
#define CONTEXT_F(n)   (272 + (n)*8)
#define CONTEXT_CORE   528
#define CONTEXT_SIZE   536

/* In CONTEXT_STATUS, with nothing else but sstatus.FS: only what a called function preserves is
 * saved. Else that is sstatus, which reads 0 there, and all registers are saved. */
#define CONTEXT_CALLED 0x1000

/* The first words of struct core (kernel/core.h), for the trap entry. */
#define CORE_SAVE       0
#define CORE_TRAP_SP    8
#define CORE_TRAP_TP    16
#define CORE_TRAP_LIMIT 24
#define CORE_FAULT_SP   32

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct core;

struct context {
    uint64_t x[32];  /* x[0]: program counter */
    uint64_t status; /* sstatus, or CONTEXT_CALLED with its FS */
    uint64_t fcsr;
    uint64_t f[32];
    /* The core that runs it; changes only while it does not. Other cores read it, so its line has
     * little that changes. */
    struct core *core;
};

_Static_assert(offsetof(struct context, status) == CONTEXT_STATUS, "");
_Static_assert(offsetof(struct context, core) == CONTEXT_CORE, "");
_Static_assert(offsetof(struct context, fcsr) == CONTEXT_FCSR, "");
_Static_assert(offsetof(struct context, f) == CONTEXT_F(0), "");
_Static_assert(sizeof(struct context) == CONTEXT_SIZE, "");

#endif
#endif
