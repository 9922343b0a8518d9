/* SPDX-License-Identifier: Apache-2.0 */
/* Spin locks: one interface, and of several algorithms the one that the description names. The
 * ticket lock is the kernel's; the others are there to be compared with, in bench/kernel/variants.
 *
 * Interrupts disabled from before spinlock_acquire until after spinlock_release. A core holds one
 * lock at a time, so one place a core to wait in is enough: `node`, the calling core's (core.h).
 * Which kinds are FIFO, and how long a wait can be: docs/design/kernel.md, "Spin locks". */
#ifndef KERNEL_SPINLOCK_H
#define KERNEL_SPINLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel_choice.h"

/* SPINLOCK and SPINLOCK_HEADER are of kernel_choice.h. */
#define SPINLOCK_TAS    1
#define SPINLOCK_TTAS   2
#define SPINLOCK_TICKET 3
#define SPINLOCK_MCS    4
#define SPINLOCK_K42    5
#define SPINLOCK_RELAY  6

#define BACKOFF_NONE         1
#define BACKOFF_PROPORTIONAL 2
#define BACKOFF_EXPONENTIAL  3

struct spinlock;
struct spinlock_node;

#include SPINLOCK_HEADER

/* The ticket lock has them inline. */
#if SPINLOCK != SPINLOCK_TICKET
void spinlock_acquire(struct spinlock *lock, struct spinlock_node *node);
void spinlock_release(struct spinlock *lock, struct spinlock_node *node);
#endif

/* Acquires a lock that nobody holds or waits for; returns false if somebody does. Never waits. */
bool spinlock_try(struct spinlock *lock, struct spinlock_node *node);

/* --- For the algorithms ----------------------------------------------------------------------- */

/* One turn of every spin loop: parks this core when the machine is being stopped. */
void kernel_spin(void);

/* Spins for so many turns without reading the lock. */
void spinlock_backoff(unsigned turns);

/* Record a wait: `begins` is called once the core is queued, `ends` with the lock held. So the
 * cores behind it are delayed by one store only. */
struct takt_record_event *spinlock_wait_begins(void);
void spinlock_wait_ends(struct takt_record_event *event);

#endif
