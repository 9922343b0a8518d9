/* SPDX-License-Identifier: Apache-2.0 */
/* Supervisor CSRs: access and the bits that are used (RISC-V Privileged Architecture). */
#ifndef ARCH_CSR_H
#define ARCH_CSR_H

#define SSTATUS_SIE        0x2     /* interrupts enabled in S-mode */
#define SSTATUS_SPIE       0x20    /* SIE before the trap */
#define SSTATUS_SPP        0x100   /* the trap came from S-mode */
#define SSTATUS_SUM        0x40000 /* S-mode may access the pages of user mode */
#define SSTATUS_FS         0x6000  /* state of the floating-point registers: */
#define SSTATUS_FS_INITIAL 0x2000
#define SSTATUS_FS_CLEAN   0x4000
#define SSTATUS_FS_DIRTY   0x6000

#define SIE_SOFTWARE 0x2
#define SIE_TIMER    0x20
#define SIE_EXTERNAL 0x200
#define SIE_OVERFLOW 0x2000 /* of a counter (Sscofpmf) */

#define SCAUSE_INTERRUPT        (1ul << 63)
#define SCAUSE_SOFTWARE         (SCAUSE_INTERRUPT | 1)
#define SCAUSE_TIMER            (SCAUSE_INTERRUPT | 5)
#define SCAUSE_EXTERNAL         (SCAUSE_INTERRUPT | 9)
#define SCAUSE_USER_CALL        8
#define SCAUSE_OVERFLOW         (SCAUSE_INTERRUPT | 13)
#define SCAUSE_FETCH_PAGE_FAULT 12
#define SCAUSE_LOAD_PAGE_FAULT  13
#define SCAUSE_STORE_PAGE_FAULT 15

/* This binutils does not know the names. */
#define CSR_SENVCFG  0x10a
#define CSR_STIMECMP 0x14d /* Sstc */
#define CSR_SISELECT 0x150 /* AIA */
#define CSR_SIREG    0x151
#define CSR_STOPEI   0x15c

#ifndef __ASSEMBLER__

#define csr_text_of(name) #name
#define csr_text(name)    csr_text_of(name)

/* The memory clobber keeps accesses of an interrupts-off section inside it. */
#define csr_read(name)                                                                             \
    ({                                                                                             \
        unsigned long csr_value;                                                                   \
        __asm__ volatile("csrr %0, " csr_text(name) : "=r"(csr_value)::"memory");                  \
        csr_value;                                                                                 \
    })
#define csr_write(name, value)                                                                     \
    __asm__ volatile("csrw " csr_text(name) ", %0" ::"rK"((unsigned long)(value)) : "memory")
#define csr_set(name, bits)                                                                        \
    __asm__ volatile("csrs " csr_text(name) ", %0" ::"rK"((unsigned long)(bits)) : "memory")
#define csr_clear(name, bits)                                                                      \
    __asm__ volatile("csrc " csr_text(name) ", %0" ::"rK"((unsigned long)(bits)) : "memory")
#define csr_swap(name, value)                                                                      \
    ({                                                                                             \
        unsigned long csr_value;                                                                   \
        __asm__ volatile("csrrw %0, " csr_text(name) ", %1"                                        \
                         : "=r"(csr_value)                                                         \
                         : "r"((unsigned long)(value))                                             \
                         : "memory");                                                              \
        csr_value;                                                                                 \
    })
#define csr_read_clear(name, bits)                                                                 \
    ({                                                                                             \
        unsigned long csr_value;                                                                   \
        __asm__ volatile("csrrc %0, " csr_text(name) ", %1"                                        \
                         : "=r"(csr_value)                                                         \
                         : "rK"((unsigned long)(bits))                                             \
                         : "memory");                                                              \
        csr_value;                                                                                 \
    })

#endif
#endif
