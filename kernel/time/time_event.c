/* SPDX-License-Identifier: Apache-2.0 */
#include "time/time_event.h"

#include "interrupt/handler.h"
#include "remote/inbox.h"
#include "service.h"
#include "task/rights.h"
#include "time/time.h"

/* Makes the timer what is wanted; on the owner. */
static void follow(struct time_event *event, bool started, takt_time next) {
    timer_stop(&event->core->timers, &event->timer);
    if (started) {
        timer_start(&event->core->timers, &event->timer, next);
    }
}

/* Changes what is wanted. The owner's timer follows at once or, of another core, when its inbox is
 * answered: until then `expired` finds that the timer is not what is wanted any more. */
static void want(struct time_event *event, bool started, takt_time next) {
    lock_acquire(&event->lock);
    next = next < event->earliest ? event->earliest : next;
    event->started = started;
    event->next = next;
    bool links = event->core != core_here() && !event->linked;
    event->linked |= links;
    lock_release(&event->lock);
    if (event->core == core_here()) {
        follow(event, started, next);
    } else if (links) {
        inbox_push(event->core, &event->post);
    }
}

/* The owner's answer to others. What they change from here on, they post again. */
static void time_event_answer(struct post *post) {
    struct time_event *event =
        (struct time_event *)((char *)post - offsetof(struct time_event, post));
    lock_acquire(&event->lock);
    event->linked = false;
    bool started = event->started;
    takt_time next = event->next;
    lock_release(&event->lock);
    follow(event, started, next);
}

static void expired(struct timer *timer) {
    struct time_event *event =
        (struct time_event *)((char *)timer - offsetof(struct time_event, timer));
    const struct takt_time_event_config *config = event->config;
    takt_time due = timer->time, next = time_add(due, config->period);
    lock_acquire(&event->lock);
    bool wanted = event->started && event->next == due;
    if (wanted) {
        event->earliest = time_add(due, config->separation);
        event->started = config->period != 0;
        event->next = next;
    }
    lock_release(&event->lock);
    if (!wanted) {
        return;
    }
    if (config->period != 0) {
        timer_start(&event->core->timers, timer, next);
    }
    event->core->arrival = due;
    handler_call(event->core, config->function, config->argument,
                 config->period != 0 ? TAKT_HANDLER_CYCLIC : TAKT_HANDLER_ALARM, event->id,
                 config->limit);
    event->core->arrival = -1;
}

static void init(struct time_event *event, struct core *core, uint32_t index) {
    lock_init(&event->lock, core->index);
    event->config = &takt_time_event_configs[index];
    event->core = core;
    event->id = index < takt_cyclic_count ? index + 1 : index - takt_cyclic_count + 1;
    event->timer.expire = expired;
    event->timer.order = index; /* before all timers of tasks */
    event->post.answer = time_event_answer;
    event->started = event->config->start;
#if REGULATED
    event->started = event->started && takt_core_released[core->index] != 0;
#endif
    event->next = event->config->offset;
    if (event->started) {
        timer_start(&core->timers, &event->timer, event->next);
    }
}

void time_events_init(struct core *core) {
    for (uint32_t i = 0; i < takt_cyclic_count + takt_alarm_count; i++) {
        if (takt_time_event_configs[i].core == core->index) {
            init(takt_time_events[i], core, i);
        }
    }
}

/* --- Services -------------------------------------------------------------------------------- */

static struct time_event *cyclic_of(takt_id id) {
    return id - 1 < takt_cyclic_count ? takt_time_events[id - 1] : 0;
}

static struct time_event *alarm_of(takt_id id) {
    return id - 1 < takt_alarm_count ? takt_time_events[takt_cyclic_count + id - 1] : 0;
}

/* Returns whether the caller may change the event: from another core that interrupts the event's
 * own, so the description must say how often. */
static bool change_given(const struct time_event *event) {
    if (!RIGHTS || event->core == core_here()) {
        return true;
    }
    bool is_cyclic = event->config->period != 0;
    return control_given(is_cyclic ? TAKT_CONTROL_CYCLIC : TAKT_CONTROL_ALARM, event->id);
}

/* Checks a call that starts or stops an event, null if there is none of that ID. */
static takt_error time_event_check(const struct time_event *event, bool good) {
    if (event == 0) {
        return TAKT_E_ID;
    }
    if (!good) {
        return TAKT_E_PAR;
    }
    if (cpu_locked()) {
        return TAKT_E_CTX;
    }
    return change_given(event) ? TAKT_OK : TAKT_E_ILUSE;
}

static takt_error time_event_stop(struct time_event *event, const char *service) {
    takt_error error = time_event_check(event, true);
    if (error != TAKT_OK) {
        return record_refusal(error, service);
    }
    unsigned long interrupts = arch_interrupts_disable();
    want(event, false, 0);
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_cyclic_start(takt_id id) {
    struct time_event *event = cyclic_of(id);
    takt_error error = time_event_check(event, true);
    if (error != TAKT_OK) {
        return refused(error);
    }
    unsigned long interrupts = arch_interrupts_disable();
    want(event, true, time_add(takt_time_now(), event->config->offset));
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_cyclic_stop(takt_id id) {
    return time_event_stop(cyclic_of(id), __func__);
}

takt_error takt_alarm_start(takt_id id, takt_time delay) {
    struct time_event *event = alarm_of(id);
    takt_error error = time_event_check(event, delay >= 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    unsigned long interrupts = arch_interrupts_disable();
    want(event, true, time_add(time_not_before_now(), delay));
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_alarm_start_at(takt_id id, takt_time time) {
    struct time_event *event = alarm_of(id);
    takt_error error = time_event_check(event, time >= 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    unsigned long interrupts = arch_interrupts_disable();
    takt_time now = takt_time_now();
    want(event, true, time < now ? now : time); /* no call is due before it was asked for */
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_alarm_stop(takt_id id) {
    return time_event_stop(alarm_of(id), __func__);
}

static takt_error time_event_state(takt_id id, uint32_t first, uint32_t count,
                                   struct takt_time_event_state *state, const char *service) {
    takt_error error = service_check(id, count, state != 0, 0);
    if (error != TAKT_OK) {
        return record_refusal(error, service);
    }
    struct time_event *event = takt_time_events[first + id - 1];
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&event->lock);
    state->started = event->started;
    takt_time next = event->next;
    lock_release(&event->lock);
    arch_interrupts_restore(interrupts);
    state->core = takt_time_event_configs[first + id - 1].core;
    state->left = state->started ? time_left_until(next) : TAKT_FOR_EVER;
    return TAKT_OK;
}

takt_error takt_cyclic_state(takt_id id, struct takt_time_event_state *state) {
    return time_event_state(id, 0, takt_cyclic_count, state, __func__);
}

takt_error takt_alarm_state(takt_id id, struct takt_time_event_state *state) {
    return time_event_state(id, takt_cyclic_count, takt_alarm_count, state, __func__);
}
