/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/window.h"

#include "record/event.h"
#include "time/time.h"

#if FRAMES

static void note_change(const struct core *core, takt_time due) {
    struct takt_record_frame *record = &takt_record_frames[core->index];
    uint64_t late = arch_ticks() - time_to_ticks(due);
    record->changes++;
    record->late_ticks = late > record->late_ticks ? late : record->late_ticks;
}

/* Opens or closes a window: the end of the interrupt dispatches. O(log n) in the core's timers. */
static void window_changes(struct timer *timer) {
    struct frame *frame = (struct frame *)((char *)timer - offsetof(struct frame, timer));
    struct core *core = (struct core *)((char *)frame - offsetof(struct core, frame));
    const struct takt_frame_config *config = &takt_frame_configs[core->index];
    const struct takt_window_change *change = &config->changes[frame->next];
    frame->open = change->ready != 0 ? change->ready : &core->ready;
    event_window(core, TAKT_ID_NONE, change->partition);
    note_change(core, timer->time);
    if (++frame->next == config->count) {
        frame->next = 0;
        frame->begin = time_add(frame->begin, config->length);
    }
    timer_start(&core->timers, timer, time_add(frame->begin, config->changes[frame->next].offset));
}

void windows_start(struct core *core) {
    const struct takt_frame_config *config = &takt_frame_configs[core->index];
    core->frame.open = &core->ready;
    if (config->count != 0) {
        core->frame.timer.expire = window_changes;
        timer_start(&core->timers, &core->frame.timer, config->changes[0].offset);
    }
}

#endif
