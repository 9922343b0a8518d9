/* SPDX-License-Identifier: Apache-2.0 */
/* A call from user mode saves the task's registers at these offsets, at the top of the task's
 * kernel stack. The assembler code in user.S uses them; docs/design/partitions.md, "System calls".
 */
#ifndef ARCH_USER_H
#define ARCH_USER_H

#define USER_SP        0
#define USER_RA        8
#define USER_GP        16
#define USER_TP        24
#define USER_S0        32
#define USER_PC        40
#define USER_KERNEL_TP 48 /* written when the job begins: the kernel's thread pointer */
#define USER_SCRATCH   56
#define USER_SIZE      64

/* Behind a task's context its configuration, and there the top of its kernel stack. */
#define TASK_CONFIG      536
#define CONFIG_STACK_TOP 128

#endif
