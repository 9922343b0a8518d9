/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what each service costs: without a wait or a wake-up; with a switch to a higher task of
 * the same core and back; and with a task of another, idle core. Every figure includes the reading
 * of the counter ("nothing"). */
#include "costs.h"

static struct costs costs, back;
static uint32_t pattern;
static intptr_t word;
static void *block;
static char message[16];
static size_t size;
static unsigned priority;

/* --- Without a switch ----------------------------------------------------------------------- */

#define SEMAPHORE TAKT_SEMAPHORE_own_0
#define FLAG      TAKT_FLAG_flag
#define QUEUE     TAKT_DATA_QUEUE_queue
#define MESSAGES  TAKT_MESSAGE_BUFFER_messages
#define POOL      TAKT_MEMORY_POOL_pool
#define NEAR      TAKT_TASK_low_0 /* a sleeping task of this core with a lower priority */
#define FAR       TAKT_TASK_low_1 /* a sleeping task of core 1 */

/* Pairs of a service and the one that undoes it; both are measured. */
#define SERVICES                                                                                   \
    EACH(semaphore_signal, takt_semaphore_signal(SEMAPHORE))                                       \
    EACH(semaphore_wait, takt_semaphore_wait(SEMAPHORE))                                           \
    EACH(flag_set, takt_flag_set(FLAG, 1))                                                         \
    EACH(flag_wait, takt_flag_wait(FLAG, 1, TAKT_FLAG_ANY, &pattern))                              \
    EACH(data_queue_send, takt_data_queue_send(QUEUE, 1))                                          \
    EACH(data_queue_receive, takt_data_queue_receive(QUEUE, &word))                                \
    EACH(message_buffer_send, takt_message_buffer_send(MESSAGES, message, 16))                     \
    EACH(message_buffer_receive, takt_message_buffer_receive(MESSAGES, message, &size))            \
    EACH(memory_pool_get, takt_memory_pool_get(POOL, &block))                                      \
    EACH(memory_pool_release, takt_memory_pool_release(POOL, block))                               \
    EACH(mutex_ceiling_lock, takt_mutex_lock(TAKT_MUTEX_ceiling))                                  \
    EACH(mutex_ceiling_unlock, takt_mutex_unlock(TAKT_MUTEX_ceiling))                              \
    EACH(mutex_inherit_lock, takt_mutex_lock(TAKT_MUTEX_inherit))                                  \
    EACH(mutex_inherit_unlock, takt_mutex_unlock(TAKT_MUTEX_inherit))                              \
    EACH(mutex_msrp_lock, takt_mutex_lock(TAKT_MUTEX_msrp))                                        \
    EACH(mutex_msrp_unlock, takt_mutex_unlock(TAKT_MUTEX_msrp))                                    \
    EACH(task_self, (takt_task_self(), TAKT_OK))                                                   \
    EACH(task_priority, takt_task_priority(NEAR, &priority))                                       \
    EACH(task_set_priority, takt_task_set_priority(NEAR, 31))                                      \
    EACH(task_suspend, takt_task_suspend(NEAR))                                                    \
    EACH(task_resume, takt_task_resume(NEAR))                                                      \
    EACH(task_wakeup_lower, takt_task_wakeup(NEAR))                                                \
    EACH(dispatch_disable, takt_dispatch_disable())                                                \
    EACH(dispatch_enable, takt_dispatch_enable())                                                  \
    EACH(time_now, (takt_time_now(), TAKT_OK))                                                     \
    EACH(alarm_start, takt_alarm_start(TAKT_ALARM_near, TAKT_SECOND))                              \
    EACH(alarm_stop, takt_alarm_stop(TAKT_ALARM_near))                                             \
    EACH(cyclic_start, takt_cyclic_start(TAKT_CYCLIC_near))                                        \
    EACH(cyclic_stop, takt_cyclic_stop(TAKT_CYCLIC_near))

/* Remote calls and requests to the other core; a request returns before it is served. */
#define ACROSS                                                                                     \
    EACH(task_set_priority, takt_task_set_priority(FAR, 31))                                       \
    EACH(task_suspend, takt_task_suspend(FAR))                                                     \
    EACH(task_resume, takt_task_resume(FAR))                                                       \
    EACH(alarm_start, takt_alarm_start(TAKT_ALARM_far, TAKT_SECOND))                               \
    EACH(alarm_stop, takt_alarm_stop(TAKT_ALARM_far))

/* Between the two readings of the counter only the service itself is called. */
#define EACH(name, call) static struct costs here_##name;
static struct costs nothing;
SERVICES
#undef EACH
#define EACH(name, call) static struct costs far_##name;
ACROSS
#undef EACH

#define MEASURE(costs, call)                                                                       \
    do {                                                                                           \
        uint64_t start = cycles();                                                                 \
        takt_error result = (call);                                                                \
        uint64_t end = cycles();                                                                   \
        takt_assert(result == TAKT_OK);                                                            \
        costs_note(costs, end - start);                                                            \
    } while (0);

static void without_switch(void) {
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        MEASURE(&nothing, TAKT_OK)
#define EACH(name, call) MEASURE(&here_##name, call)
        SERVICES
#undef EACH
        takt_task_delay(20000); /* NEAR goes to sleep again */
    }
    costs_print("here", "nothing", &nothing);
#define EACH(name, call) costs_print("here", #name, &here_##name);
    SERVICES
#undef EACH
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
#define EACH(name, call) MEASURE(&far_##name, call) takt_task_delay(20000);
        ACROSS
#undef EACH
    }
#define EACH(name, call) costs_print("order", #name, &far_##name);
    ACROSS
#undef EACH
}

/* --- With a switch, and across cores -------------------------------------------------------- */

static volatile uint64_t begun, blocked;

/* The service that wakes the partner, and the one in which the partner waits. */
struct pair {
    const char *name;
    takt_error (*wake)(takt_id partner);
    takt_error (*wait)(void);
};

static takt_error wake_semaphore(takt_id partner) {
    (void)partner;
    return takt_semaphore_signal(SEMAPHORE);
}
static takt_error wait_semaphore(void) {
    return takt_semaphore_wait(SEMAPHORE);
}
static takt_error wake_flag(takt_id partner) {
    (void)partner;
    return takt_flag_set(FLAG, 1);
}
static takt_error wait_flag(void) {
    return takt_flag_wait(FLAG, 1, TAKT_FLAG_ANY, &pattern);
}
static takt_error wake_queue(takt_id partner) {
    (void)partner;
    return takt_data_queue_send(QUEUE, 1);
}
static takt_error wait_queue(void) {
    return takt_data_queue_receive(QUEUE, &word);
}
static takt_error wake_messages(takt_id partner) {
    (void)partner;
    return takt_message_buffer_send(MESSAGES, message, 16);
}
static takt_error wait_messages(void) {
    static char received[16];
    return takt_message_buffer_receive(MESSAGES, received, &size);
}
/* The block circulates: the caller gives it back, the partner gets it and waits for it again. */
static takt_error wake_pool(takt_id partner) {
    (void)partner;
    return takt_memory_pool_release(POOL, block);
}
static takt_error wait_pool(void) {
    return takt_memory_pool_get(POOL, &block);
}
static takt_error wake_sleeper(takt_id partner) {
    return takt_task_wakeup(partner);
}
static takt_error wait_sleeper(void) {
    return takt_task_sleep();
}
static takt_error wake_suspended(takt_id partner) {
    return takt_task_resume(partner);
}
static takt_error wait_suspended(void) {
    return takt_task_suspend(takt_task_self());
}

static const struct pair pairs[] = {
    {"semaphore", wake_semaphore, wait_semaphore},
    {"flag", wake_flag, wait_flag},
    {"data_queue", wake_queue, wait_queue},
    {"message_buffer", wake_messages, wait_messages},
    {"memory_pool", wake_pool, wait_pool},
    {"task_sleep", wake_sleeper, wait_sleeper},
    {"task_suspend", wake_suspended, wait_suspended},
};
static const struct pair *volatile now_pair;

/* The partner is above main on main's core, or on core 1. Each of its jobs makes the waits of one
 * pair. */
void partner_job(intptr_t core) {
    (void)core;
    const struct pair *pair = now_pair;
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        blocked = cycles();
        takt_error result = pair->wait();
        uint64_t now = cycles();
        takt_assert(result == TAKT_OK);
        costs_note(&costs, now - begun);
    }
}

/* `wake` is the time from the call to the return of the partner's wait. `block` is the time from a
 * call that waits to the return of the call that woke the caller; both calls are on core 0. */
static void with_partner(const struct pair *pair, takt_id partner, bool here) {
    now_pair = pair;
    takt_assert(takt_task_activate(partner) == TAKT_OK);
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        takt_task_delay(20000); /* until the partner waits */
        begun = cycles();
        takt_error result = pair->wake(partner);
        uint64_t end = cycles();
        takt_assert(result == TAKT_OK);
        /* After the last wake-up the partner does not wait again. */
        costs_note(&back, round + 1 < WARM + ROUNDS ? end - blocked : back.kept[0]);
    }
    takt_task_delay(20000);
    costs_print(here ? "wake" : "across", pair->name, &costs);
    if (here) {
        costs_print("block", pair->name, &back);
    }
    back.count = 0;
}

/* --- Mutexes that a task waits for, and activated jobs ---------------------------------------- */

void activated_job(intptr_t argument) {
    (void)argument;
    costs_note(&costs, cycles() - begun);
}

/* Waits for a mutex that main holds. */
void rival_job(intptr_t across) {
    takt_id mutex = across ? TAKT_MUTEX_msrp : TAKT_MUTEX_inherit;
    takt_assert(takt_mutex_lock(mutex) == TAKT_OK);
    uint64_t now = cycles();
    costs_note(&costs, now - begun);
    takt_mutex_unlock(mutex);
}

static void activations(const char *what, takt_id task) {
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        takt_task_delay(20000);
        begun = cycles();
        takt_assert(takt_task_activate(task) == TAKT_OK);
    }
    takt_task_delay(20000);
    costs_print(what, "task_activate", &costs);
}

static void contended(const char *what, const char *name, takt_id mutex, takt_id rival) {
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        takt_task_delay(20000);
        takt_assert(takt_mutex_lock(mutex) == TAKT_OK);
        takt_assert(takt_task_activate(rival) == TAKT_OK);
        for (uint64_t start = cycles(); cycles() - start < 20000;) {
        }
        begun = cycles();
        takt_assert(takt_mutex_unlock(mutex) == TAKT_OK);
    }
    takt_task_delay(20000);
    costs_print(what, name, &costs);
}

void low_job(intptr_t core) {
    (void)core;
    for (;;) {
        takt_task_sleep();
    }
}

void nothing_handler(intptr_t argument) {
    (void)argument;
}

void main_job(intptr_t cores) {
    (void)cores;
    takt_task_delay(TAKT_MILLISECOND);
    without_switch();
    takt_assert(takt_memory_pool_get(POOL, &block) == TAKT_OK);
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        with_partner(&pairs[i], TAKT_TASK_partner_0, true);
        with_partner(&pairs[i], TAKT_TASK_partner_1, false);
    }
    activations("wake", TAKT_TASK_activated_0);
    activations("across", TAKT_TASK_activated_1);
    contended("wake", "mutex_inherit", TAKT_MUTEX_inherit, TAKT_TASK_rival_0);
    contended("across", "mutex_msrp", TAKT_MUTEX_msrp, TAKT_TASK_rival_1);
    takt_system_shutdown(0);
}
