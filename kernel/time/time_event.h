/* SPDX-License-Identifier: Apache-2.0 */
/* Cyclic handlers and alarms: docs/design/services.md, "Handlers that time calls". */
#ifndef KERNEL_TIME_EVENT_H
#define KERNEL_TIME_EVENT_H

#include <takt/time_event.h>

#include "config.h"
#include "core.h"

struct time_event {
    /* Constant after time_event_init. */
    const struct takt_time_event_config *config;
    struct core *core;
    takt_id id;

    /* Owned by the core, interrupts disabled. Follows what is wanted, below. */
    struct timer timer;

    /* Guarded by `lock`: what is wanted, by any core. */
    struct lock lock;
    bool started;
    bool linked;        /* in the inbox: the timer does not follow yet */
    takt_time next;     /* when started: the next call is due */
    takt_time earliest; /* no call is due before */

    struct post post;
} __attribute__((aligned(64)));

/* Prepares those of a core; before the epoch. Bound: all of the system. */
void time_events_init(struct core *core);

#endif
