/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a core's frame, and what the configurator writes for it: see window.h. */
#ifndef KERNEL_FRAME_H
#define KERNEL_FRAME_H

#include <stdint.h>

#include "kernel_choice.h"
#include "time/timer.h"

#if FRAMES

struct ready;

/* A change of a core's frame: from here on the core runs the tasks of one partition. Constant. */
struct takt_window_change {
    takt_time offset;    /* from the frame's begin */
    uint32_t partition;  /* 1 + index; 0: no window is open */
    struct ready *ready; /* the core's ready tasks of the partition; null: no window is open */
};

/* Constant. */
struct takt_frame_config {
    takt_time length;
    const struct takt_window_change *changes; /* in the order of time */
    uint32_t count;                           /* of these; 0: the core has no frame */
};

/* Owned by its core, used with interrupts disabled. */
struct frame {
    struct timer timer; /* expires at the next change */
    struct ready *open; /* whose tasks run; the core's own where no window is open */
    takt_time begin;    /* of this frame */
    uint32_t next;      /* index of the next change */
};

/* What the host reads of a core when the machine has stopped (host/cli: `frames.rs`). */
struct takt_record_frame {
    uint64_t changes;    /* windows that have opened and closed; two at one time are one change */
    uint64_t late_ticks; /* the longest time from a change's offset until it was made */
};

extern const struct takt_frame_config takt_frame_configs[]; /* by core */
extern struct takt_record_frame takt_record_frames[];       /* by core */

#endif
#endif
