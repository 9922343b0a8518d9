/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks, the locked CPU, where the caller is, idle time, and the state of tasks and objects. */
#include "until.h"

enum { CORES = 4 };

/* --- Hooks --------------------------------------------------------------------------------------
 */

static unsigned hooks, hooked, hook_wrong, early;

void start_hook(intptr_t core) {
    uint32_t found;
    hook_wrong += takt_core_self() != (uint32_t)core || !takt_context_is_handler();
    hook_wrong += takt_time_now() != 0 || takt_task_sleep() != TAKT_E_CTX;
    hook_wrong += takt_flag_wait(TAKT_FLAG_flag, 1, TAKT_FLAG_ANY, &found) != TAKT_E_CTX;
    hook_wrong += takt_task_activate(TAKT_TASK_hooked_0 + (takt_id)core) != TAKT_OK;
    hook_wrong += takt_task_activate(TAKT_TASK_hooked_0 + (takt_id)(core + 1) % CORES) != TAKT_OK;
    count_up(&hooks);
}

void shutdown_hook(intptr_t code) {
    printf("shutdown hook: code %d, waits %s\n", (int)code,
           takt_task_delay(1) == TAKT_E_CTX ? "refused" : "allowed");
}

/* Runs after all hooks. */
void hooked_job(intptr_t argument) {
    early += read_count(&hooks) != CORES;
    count_up(&hooked);
}

static void hooks_were_called(void) {
    CHECK_IS(read_count(&hooks), CORES);
    CHECK_IS(hook_wrong, 0);
    wait_until_count(&hooked, 2 * CORES);
    CHECK_IS(early, 0);
}

/* --- The CPU lock --------------------------------------------------------------------------------
 */

static unsigned rings[2];
static unsigned handler_wrong;

void alarm_handler(intptr_t core) {
    handler_wrong += !takt_context_is_handler() || !takt_dispatch_pending() || takt_cpu_locked();
    handler_wrong += takt_core_self() != (uint32_t)core;
    handler_wrong += takt_cpu_lock() != TAKT_OK || !takt_cpu_locked();
    handler_wrong += takt_cpu_unlock() != TAKT_OK || takt_cpu_locked();
    struct takt_task_state state;
    handler_wrong += takt_task_state(TAKT_TASK_main, &state) != TAKT_E_CTX;
    struct takt_flag_state flag;
    handler_wrong += takt_flag_state(TAKT_FLAG_flag, &flag) != TAKT_OK;
    count_up(&rings[core]);
}

static void refused_while_locked(void) {
    uint32_t bits;
    unsigned count;
    intptr_t word;
    void *block;
    char bytes[8] = {0};
    size_t size;
    struct takt_task_state task;
    struct takt_semaphore_state semaphore;
    struct takt_time_event_state event;
    struct takt_priority_data_queue_state sorted;
    struct takt_barrier_state barrier;
    struct takt_reader_writer_lock_state table;
    const takt_error answers[] = {
        takt_task_activate(TAKT_TASK_subject_0),
        takt_task_wakeup(TAKT_TASK_subject_0),
        takt_task_sleep(),
        takt_task_sleep_for(0),
        takt_task_delay(0),
        takt_task_terminate(TAKT_TASK_subject_0),
        takt_task_suspend(TAKT_TASK_subject_0),
        takt_task_set_priority(TAKT_TASK_subject_0, 3),
        takt_task_priority(TAKT_TASK_main, &count),
        takt_task_cancel_activations(TAKT_TASK_main, &count),
        takt_task_cancel_wakeups(TAKT_TASK_main, &count),
        takt_dispatch_disable(),
        takt_dispatch_enable(),
        takt_semaphore_signal(TAKT_SEMAPHORE_semaphore),
        takt_semaphore_try(TAKT_SEMAPHORE_semaphore),
        takt_semaphore_wait(TAKT_SEMAPHORE_semaphore),
        takt_flag_set(TAKT_FLAG_flag, 1),
        takt_flag_clear(TAKT_FLAG_flag, 0),
        takt_flag_try(TAKT_FLAG_flag, 1, TAKT_FLAG_ANY, &bits),
        takt_data_queue_try_send(TAKT_DATA_QUEUE_queue, 1),
        takt_data_queue_force_send(TAKT_DATA_QUEUE_queue, 1),
        takt_data_queue_try_receive(TAKT_DATA_QUEUE_queue, &word),
        takt_priority_data_queue_try_send(TAKT_PRIORITY_DATA_QUEUE_sorted, 1, 1),
        takt_priority_data_queue_try_receive(TAKT_PRIORITY_DATA_QUEUE_sorted, &word, &count),
        takt_priority_data_queue_state(TAKT_PRIORITY_DATA_QUEUE_sorted, &sorted),
        takt_barrier_wait(TAKT_BARRIER_barrier),
        takt_barrier_try(TAKT_BARRIER_barrier),
        takt_barrier_state(TAKT_BARRIER_barrier, &barrier),
        takt_reader_writer_lock_try_read(TAKT_READER_WRITER_LOCK_table),
        takt_reader_writer_lock_write(TAKT_READER_WRITER_LOCK_table),
        takt_reader_writer_lock_unlock(TAKT_READER_WRITER_LOCK_table),
        takt_reader_writer_lock_state(TAKT_READER_WRITER_LOCK_table, &table),
        takt_message_buffer_try_send(TAKT_MESSAGE_BUFFER_messages, bytes, 8),
        takt_message_buffer_try_receive(TAKT_MESSAGE_BUFFER_messages, bytes, &size),
        takt_memory_pool_try_get(TAKT_MEMORY_POOL_pool, &block),
        takt_alarm_start(TAKT_ALARM_alarm_0, 1),
        takt_alarm_start_at(TAKT_ALARM_alarm_0, 1),
        takt_alarm_stop(TAKT_ALARM_alarm_0),
        takt_cyclic_start(TAKT_CYCLIC_cyclic),
        takt_cyclic_stop(TAKT_CYCLIC_cyclic),
        takt_calendar_set(0),
        takt_task_state(TAKT_TASK_main, &task),
        takt_semaphore_state(TAKT_SEMAPHORE_semaphore, &semaphore),
        takt_cyclic_state(TAKT_CYCLIC_cyclic, &event),
    };
    CHECK_IS(takt_cpu_unlock(), TAKT_OK); /* because a failed check prints */
    for (unsigned i = 0; i < sizeof answers / sizeof *answers; i++) {
        CHECK_IS(answers[i], TAKT_E_CTX);
    }
}

static void locks_the_cpu(void) {
    CHECK(!takt_cpu_locked() && !takt_dispatch_pending() && !takt_context_is_handler());
    CHECK_IS(takt_cpu_unlock(), TAKT_OK); /* the CPU is not locked */
    CHECK_IS(takt_alarm_start(TAKT_ALARM_alarm_0, 200 * TAKT_MICROSECOND), TAKT_OK);
    CHECK_IS(takt_alarm_start(TAKT_ALARM_alarm_1, 200 * TAKT_MICROSECOND), TAKT_OK);
    takt_time before = takt_time_now();
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    takt_time locked = takt_time_now();
    takt_error again = takt_cpu_lock();
    bool senses = takt_cpu_locked() && takt_dispatch_pending() && !takt_context_is_handler();
    takt_id self = takt_task_self();
    while (takt_time_now() < before + 2 * TAKT_MILLISECOND) {
    }
    unsigned near = read_count(&rings[0]), far = read_count(&rings[1]);
    takt_cpu_unlock();
    CHECK_IS(read_count(&rings[0]), 1); /* at once */
    CHECK(near == 0 || locked >= before + 200 * TAKT_MICROSECOND);
    CHECK(far <= 1); /* 1, unless the other hart has had no turn */
    CHECK_IS(again, TAKT_OK);
    CHECK(senses);
    CHECK_IS(self, TAKT_TASK_main);
    wait_until_count(&rings[1], 1);
    CHECK_IS(handler_wrong, 0);
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    refused_while_locked();
    CHECK(!takt_cpu_locked());
}

/* A job that ends with the CPU locked unlocks it. */
static unsigned leavers;

void leaver_job(intptr_t argument) {
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    count_up(&leavers);
}

static void leaves_locked(void) {
    CHECK_IS(takt_task_activate(TAKT_TASK_leaver), TAKT_OK);
    CHECK_IS(read_count(&leavers), 1); /* it is above us */
    CHECK(!takt_cpu_locked());
    takt_task_delay(100 * TAKT_MICROSECOND);
}

/* --- Idle time ----------------------------------------------------------------------------------
 */

static void idles(void) {
    takt_time before, after, own_before, own_after, start = takt_time_now();
    CHECK_IS(takt_core_idle_time(3, &before), TAKT_OK);
    CHECK_IS(takt_core_idle_time(0, &own_before), TAKT_OK);
    while (takt_time_now() < start + 3 * TAKT_MILLISECOND) {
    }
    CHECK_IS(takt_core_idle_time(3, &after), TAKT_OK);
    CHECK_IS(takt_core_idle_time(0, &own_after), TAKT_OK);
    takt_time passed = takt_time_now() - start;
    CHECK(after - before <= passed);
    CHECK(after - before > 2 * TAKT_MILLISECOND);
    CHECK_IS(own_after, own_before);
    takt_task_delay(3 * TAKT_MILLISECOND);
    CHECK_IS(takt_core_idle_time(0, &own_after), TAKT_OK);
    CHECK(own_after - own_before > 2 * TAKT_MILLISECOND);
    CHECK_IS(takt_core_idle_time(CORES, &before), TAKT_E_PAR);
    CHECK_IS(takt_core_idle_time(0, 0), TAKT_E_PAR);
}

/* --- States -------------------------------------------------------------------------------------
 */

static unsigned arrived;
static enum {
    SLEEP,
    SLEEP_FOR,
    DELAY,
    SEMAPHORE,
    FLAG,
    RECEIVE,
    SORTED,
    BARRIER,
    READ,
    WRITE,
    MESSAGE,
    BLOCK,
    SPIN,
    LOOK
} habit;
static bool spins;
static unsigned held, mixed;

/* First reads the state of a task of core 1, which does not answer yet; the next job reads its own
 * state while that answer comes. */
static void look(void) {
    struct takt_task_state state;
    if (read_count(&arrived) == 1) {
        takt_task_state(TAKT_TASK_holder, &state);
        mixed += 1000; /* the job should have been ended before */
    }
    for (int i = 0; i < 100; i++) {
        takt_task_state(TAKT_TASK_subject_0, &state);
        mixed += state.core != 0 || state.priority != 30 || state.is != TAKT_TASK_IS_RUNNING;
    }
}

/* Keeps core 1 busy until `spins` is false. */
void holder_job(intptr_t argument) {
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    count_up(&held);
    while (__atomic_load_n(&spins, __ATOMIC_RELAXED)) {
    }
    takt_cpu_unlock();
}

void subject_job(intptr_t argument) {
    uint32_t bits;
    intptr_t word;
    unsigned priority;
    char bytes[8];
    size_t size;
    void *block;
    count_up(&arrived);
    switch (habit) {
    case SLEEP:
        takt_task_sleep();
        break;
    case SLEEP_FOR:
        takt_task_sleep_for(TAKT_SECOND);
        break;
    case DELAY:
        takt_task_delay(TAKT_SECOND);
        break;
    case SEMAPHORE:
        any_result(takt_semaphore_wait(TAKT_SEMAPHORE_semaphore));
        break;
    case FLAG:
        any_result(takt_flag_wait(TAKT_FLAG_flag, 8, TAKT_FLAG_ANY, &bits));
        break;
    case RECEIVE:
        any_result(takt_data_queue_receive(TAKT_DATA_QUEUE_queue, &word));
        break;
    case SORTED:
        any_result(
            takt_priority_data_queue_receive(TAKT_PRIORITY_DATA_QUEUE_sorted, &word, &priority));
        break;
    case BARRIER:
        any_result(takt_barrier_wait(TAKT_BARRIER_barrier));
        break;
    case READ:
        any_result(takt_reader_writer_lock_read(TAKT_READER_WRITER_LOCK_table));
        break;
    case WRITE:
        any_result(takt_reader_writer_lock_write(TAKT_READER_WRITER_LOCK_table));
        break;
    case MESSAGE:
        any_result(takt_message_buffer_receive(TAKT_MESSAGE_BUFFER_messages, bytes, &size));
        break;
    case BLOCK:
        any_result(takt_memory_pool_get(TAKT_MEMORY_POOL_pool, &block));
        break;
    case SPIN:
        while (__atomic_load_n(&spins, __ATOMIC_RELAXED)) {
        }
        break;
    case LOOK:
        look();
        break;
    }
}

static struct takt_task_state state_of(takt_id task) {
    struct takt_task_state state = {.is = -1};
    CHECK_IS(takt_task_state(task, &state), TAKT_OK);
    return state;
}

/* Activates the task; returns its state when it does what it should. */
static struct takt_task_state settle(takt_id task, int what, int is) {
    habit = what;
    arrived = 0;
    spins = what == SPIN;
    CHECK_IS(takt_task_activate(task), TAKT_OK);
    wait_until_count(&arrived, 1);
    struct takt_task_state state;
    for (int i = 0; i < 1000 && (state = state_of(task)).is != is; i++) {
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    CHECK_IS(state.is, is);
    return state;
}

static void ends(takt_id task) {
    CHECK_IS(takt_task_terminate(task), TAKT_OK);
    struct takt_task_state state = state_of(task);
    CHECK_IS(state.is, TAKT_TASK_IS_DORMANT);
    CHECK_IS(state.priority, 0);
    CHECK_IS(state.waits_for, TAKT_WAIT_NONE);
}

static void waits(takt_id task, int what, int wait, takt_id object) {
    struct takt_task_state state = settle(task, what, TAKT_TASK_IS_WAITING);
    CHECK_IS(state.waits_for, wait);
    CHECK_IS(state.wait_object, object);
    if (what == SLEEP_FOR || what == DELAY) {
        CHECK(state.wait_left > 0 && state.wait_left <= TAKT_SECOND + TAKT_MILLISECOND);
    } else {
        CHECK_IS(state.wait_left, TAKT_FOR_EVER);
    }
}

static void states_of_task(takt_id task, uint32_t core) {
    struct takt_task_state state;
    CHECK_IS(state_of(task).is, TAKT_TASK_IS_DORMANT);
    CHECK_IS(takt_reader_writer_lock_write(TAKT_READER_WRITER_LOCK_table), TAKT_OK);
    const struct {
        int habit, wait;
        takt_id object;
    } cases[] = {
        {SLEEP, TAKT_WAIT_SLEEP, 0},
        {SLEEP_FOR, TAKT_WAIT_SLEEP, 0},
        {DELAY, TAKT_WAIT_DELAY, 0},
        {SEMAPHORE, TAKT_WAIT_SEMAPHORE, TAKT_SEMAPHORE_semaphore},
        {FLAG, TAKT_WAIT_FLAG, TAKT_FLAG_flag},
        {RECEIVE, TAKT_WAIT_DATA_QUEUE, TAKT_DATA_QUEUE_queue},
        {SORTED, TAKT_WAIT_PRIORITY_DATA_QUEUE, TAKT_PRIORITY_DATA_QUEUE_sorted},
        {BARRIER, TAKT_WAIT_BARRIER, TAKT_BARRIER_barrier},
        {READ, TAKT_WAIT_READ, TAKT_READER_WRITER_LOCK_table},
        {WRITE, TAKT_WAIT_WRITE, TAKT_READER_WRITER_LOCK_table},
        {MESSAGE, TAKT_WAIT_MESSAGE_BUFFER, TAKT_MESSAGE_BUFFER_messages},
        {BLOCK, TAKT_WAIT_MEMORY_POOL, TAKT_MEMORY_POOL_pool},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        waits(task, cases[i].habit, cases[i].wait, cases[i].object);
        struct takt_semaphore_state semaphore;
        struct takt_flag_state flag;
        struct takt_data_queue_state queue;
        struct takt_priority_data_queue_state sorted;
        struct takt_barrier_state barrier;
        struct takt_reader_writer_lock_state table;
        struct takt_message_buffer_state buffer;
        struct takt_memory_pool_state pool;
        CHECK_IS(takt_semaphore_state(TAKT_SEMAPHORE_semaphore, &semaphore), TAKT_OK);
        CHECK_IS(takt_flag_state(TAKT_FLAG_flag, &flag), TAKT_OK);
        CHECK_IS(takt_data_queue_state(TAKT_DATA_QUEUE_queue, &queue), TAKT_OK);
        CHECK_IS(takt_message_buffer_state(TAKT_MESSAGE_BUFFER_messages, &buffer), TAKT_OK);
        CHECK_IS(takt_memory_pool_state(TAKT_MEMORY_POOL_pool, &pool), TAKT_OK);
        CHECK_IS(semaphore.first, cases[i].habit == SEMAPHORE ? task : 0);
        CHECK_IS(flag.first, cases[i].habit == FLAG ? task : 0);
        CHECK_IS(queue.receiver, cases[i].habit == RECEIVE ? task : 0);
        CHECK_IS(queue.sender, 0);
        CHECK_IS(takt_priority_data_queue_state(TAKT_PRIORITY_DATA_QUEUE_sorted, &sorted), TAKT_OK);
        CHECK_IS(sorted.receiver, cases[i].habit == SORTED ? task : 0);
        CHECK_IS(sorted.sender, 0);
        CHECK_IS(takt_barrier_state(TAKT_BARRIER_barrier, &barrier), TAKT_OK);
        CHECK_IS(barrier.first, cases[i].habit == BARRIER ? task : 0);
        CHECK_IS(barrier.arrived, cases[i].habit == BARRIER);
        CHECK_IS(takt_reader_writer_lock_state(TAKT_READER_WRITER_LOCK_table, &table), TAKT_OK);
        CHECK_IS(table.first, cases[i].habit == READ || cases[i].habit == WRITE ? task : 0);
        CHECK_IS(buffer.receiver, cases[i].habit == MESSAGE ? task : 0);
        CHECK_IS(buffer.sender, 0);
        CHECK_IS(pool.first, cases[i].habit == BLOCK ? task : 0);
        ends(task);
    }
    CHECK_IS(takt_reader_writer_lock_unlock(TAKT_READER_WRITER_LOCK_table), TAKT_OK);
    CHECK_IS(takt_task_cancel_wakeups(TAKT_TASK_main, &(unsigned){0}), TAKT_OK);

    settle(task, SLEEP, TAKT_TASK_IS_WAITING);
    CHECK_IS(takt_task_suspend(task), TAKT_OK);
    CHECK_IS(state_of(task).is, TAKT_TASK_IS_WAITING_SUSPENDED);
    CHECK_IS(takt_task_wakeup(task), TAKT_OK);
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(state_of(task).is, TAKT_TASK_IS_SUSPENDED);
    ends(task);

    settle(task, SPIN, core == 0 ? TAKT_TASK_IS_READY : TAKT_TASK_IS_RUNNING);
    CHECK_IS(takt_task_set_priority(task, 33), TAKT_OK);
    CHECK_IS(takt_task_activate(task), TAKT_OK);
    CHECK_IS(takt_task_wakeup(task), TAKT_OK);
    CHECK_IS(takt_task_wakeup(task), TAKT_OK);
    state = state_of(task);
    CHECK_IS(state.core, core);
    CHECK_IS(state.priority, 33);
    CHECK_IS(state.activations, 1);
    CHECK_IS(state.wakeups, 2);
    CHECK(state.release > 0 && state.release < takt_time_now());
    CHECK_IS(takt_task_cancel_activations(task, &(unsigned){0}), TAKT_OK);
    ends(task);
}

static void *pool_block;

static void states_of_objects(void) {
    struct takt_semaphore_state semaphore;
    struct takt_flag_state flag;
    struct takt_data_queue_state queue;
    struct takt_priority_data_queue_state sorted;
    struct takt_barrier_state barrier;
    struct takt_reader_writer_lock_state table;
    struct takt_message_buffer_state buffer;
    struct takt_memory_pool_state pool;
    struct takt_time_event_state event;
    void *block;
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_semaphore), TAKT_OK);
    CHECK_IS(takt_semaphore_state(TAKT_SEMAPHORE_semaphore, &semaphore), TAKT_OK);
    CHECK_IS(semaphore.count, 1);
    CHECK_IS(takt_flag_set(TAKT_FLAG_flag, 6), TAKT_OK);
    CHECK_IS(takt_flag_state(TAKT_FLAG_flag, &flag), TAKT_OK);
    CHECK_IS(flag.bits, 6);
    CHECK_IS(takt_data_queue_try_send(TAKT_DATA_QUEUE_queue, 7), TAKT_OK);
    CHECK_IS(takt_data_queue_state(TAKT_DATA_QUEUE_queue, &queue), TAKT_OK);
    CHECK_IS(queue.count, 1);
    CHECK_IS(takt_priority_data_queue_try_send(TAKT_PRIORITY_DATA_QUEUE_sorted, 7, 2), TAKT_OK);
    CHECK_IS(takt_priority_data_queue_state(TAKT_PRIORITY_DATA_QUEUE_sorted, &sorted), TAKT_OK);
    CHECK_IS(sorted.count, 1);
    CHECK_IS(takt_message_buffer_try_send(TAKT_MESSAGE_BUFFER_messages, "abc", 3), TAKT_OK);
    CHECK_IS(takt_message_buffer_state(TAKT_MESSAGE_BUFFER_messages, &buffer), TAKT_OK);
    CHECK_IS(buffer.used, 16);
    CHECK_IS(buffer.free, 16);
    CHECK_IS(takt_memory_pool_release(TAKT_MEMORY_POOL_pool, pool_block), TAKT_OK);
    CHECK_IS(takt_memory_pool_state(TAKT_MEMORY_POOL_pool, &pool), TAKT_OK);
    CHECK_IS(pool.free, 1);
    CHECK_IS(takt_memory_pool_try_get(TAKT_MEMORY_POOL_pool, &block), TAKT_OK);
    CHECK_IS(takt_memory_pool_state(TAKT_MEMORY_POOL_pool, &pool), TAKT_OK);
    CHECK_IS(pool.free, 0);
    CHECK_IS(takt_alarm_state(TAKT_ALARM_alarm_1, &event), TAKT_OK);
    CHECK(!event.started && event.left == TAKT_FOR_EVER);
    CHECK_IS(takt_alarm_start(TAKT_ALARM_alarm_1, TAKT_SECOND), TAKT_OK);
    CHECK_IS(takt_alarm_state(TAKT_ALARM_alarm_1, &event), TAKT_OK);
    CHECK(event.started && event.left > 0 && event.left <= TAKT_SECOND + TAKT_MICROSECOND);
    CHECK_IS(takt_cyclic_state(TAKT_CYCLIC_cyclic, &event), TAKT_OK);
    CHECK(!event.started && event.left == TAKT_FOR_EVER);
    CHECK_IS(takt_cyclic_start(TAKT_CYCLIC_cyclic), TAKT_OK);
    CHECK_IS(takt_cyclic_state(TAKT_CYCLIC_cyclic, &event), TAKT_OK);
    CHECK(event.started && event.left <= TAKT_SECOND);
}

static void errors(void) {
    struct takt_task_state task;
    struct takt_semaphore_state semaphore;
    struct takt_flag_state flag;
    struct takt_data_queue_state queue;
    struct takt_priority_data_queue_state sorted;
    struct takt_barrier_state barrier;
    struct takt_reader_writer_lock_state table;
    struct takt_message_buffer_state buffer;
    struct takt_memory_pool_state pool;
    struct takt_time_event_state event;
    const takt_id wrong[] = {0, 100, UINT32_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_task_state(wrong[i], &task), TAKT_E_ID);
        CHECK_IS(takt_semaphore_state(wrong[i], &semaphore), TAKT_E_ID);
        CHECK_IS(takt_flag_state(wrong[i], &flag), TAKT_E_ID);
        CHECK_IS(takt_data_queue_state(wrong[i], &queue), TAKT_E_ID);
        CHECK_IS(takt_priority_data_queue_state(wrong[i], &sorted), TAKT_E_ID);
        CHECK_IS(takt_barrier_state(wrong[i], &barrier), TAKT_E_ID);
        CHECK_IS(takt_reader_writer_lock_state(wrong[i], &table), TAKT_E_ID);
        CHECK_IS(takt_message_buffer_state(wrong[i], &buffer), TAKT_E_ID);
        CHECK_IS(takt_memory_pool_state(wrong[i], &pool), TAKT_E_ID);
        CHECK_IS(takt_cyclic_state(wrong[i], &event), TAKT_E_ID);
        CHECK_IS(takt_alarm_state(wrong[i], &event), TAKT_E_ID);
    }
    CHECK_IS(takt_task_state(TAKT_TASK_main, 0), TAKT_E_PAR);
    CHECK_IS(takt_semaphore_state(TAKT_SEMAPHORE_semaphore, 0), TAKT_E_PAR);
    CHECK_IS(takt_flag_state(TAKT_FLAG_flag, 0), TAKT_E_PAR);
    CHECK_IS(takt_data_queue_state(TAKT_DATA_QUEUE_queue, 0), TAKT_E_PAR);
    CHECK_IS(takt_priority_data_queue_state(TAKT_PRIORITY_DATA_QUEUE_sorted, 0), TAKT_E_PAR);
    CHECK_IS(takt_barrier_state(TAKT_BARRIER_barrier, 0), TAKT_E_PAR);
    CHECK_IS(takt_reader_writer_lock_state(TAKT_READER_WRITER_LOCK_table, 0), TAKT_E_PAR);
    CHECK_IS(takt_message_buffer_state(TAKT_MESSAGE_BUFFER_messages, 0), TAKT_E_PAR);
    CHECK_IS(takt_memory_pool_state(TAKT_MEMORY_POOL_pool, 0), TAKT_E_PAR);
    CHECK_IS(takt_cyclic_state(TAKT_CYCLIC_cyclic, 0), TAKT_E_PAR);
    CHECK_IS(takt_alarm_state(TAKT_ALARM_alarm_0, 0), TAKT_E_PAR);
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK(takt_dispatch_pending());
    CHECK_IS(takt_task_state(TAKT_TASK_subject_1, &task), TAKT_OK); /* another core answers */
    CHECK_IS(takt_task_state(TAKT_TASK_main, &task), TAKT_OK);
    CHECK_IS(task.is, TAKT_TASK_IS_RUNNING);
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
}

static void wait_until_dormant(takt_id task) {
    while (state_of(task).is != TAKT_TASK_IS_DORMANT) {
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
}

/* The answer to a job that has been ended comes while the next job makes a call. */
static void late_answers(void) {
    habit = LOOK;
    for (unsigned i = 0; i < 20; i++) {
        spins = true;
        arrived = held = 0;
        CHECK_IS(takt_task_activate(TAKT_TASK_holder), TAKT_OK);
        wait_until_count(&held, 1);
        CHECK_IS(takt_task_activate(TAKT_TASK_subject_0), TAKT_OK);
        wait_until_count(&arrived, 1);
        takt_task_delay(100 * TAKT_MICROSECOND); /* it waits for the answer now */
        CHECK_IS(takt_task_terminate(TAKT_TASK_subject_0), TAKT_OK);
        CHECK_IS(takt_task_activate(TAKT_TASK_subject_0), TAKT_OK);
        takt_task_delay(30 * TAKT_MICROSECOND);
        __atomic_store_n(&spins, false, __ATOMIC_RELAXED);
        wait_until_dormant(TAKT_TASK_subject_0);
        wait_until_dormant(TAKT_TASK_holder);
    }
    CHECK_IS(mixed, 0);
}

/* A task has its described priority as soon as it is activated, although its core has not begun the
 * job. */
static void priorities(void) {
    unsigned priority = 99;
    takt_error result = TAKT_E_OBJ;
    habit = SLEEP;
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_subject_1), TAKT_OK);
        result = takt_task_priority(TAKT_TASK_subject_1, &priority);
        CHECK_IS(result, TAKT_OK);
        CHECK_IS(priority, 30);
        CHECK_IS(takt_task_set_priority(TAKT_TASK_subject_1, 7), TAKT_OK);
        CHECK_IS(takt_task_priority(TAKT_TASK_subject_1, &priority), TAKT_OK);
        CHECK_IS(priority, 7);
        CHECK_IS(takt_task_terminate(TAKT_TASK_subject_1), TAKT_OK);
        CHECK_IS(takt_task_priority(TAKT_TASK_subject_1, &priority), TAKT_E_OBJ);
    }
}

void main_job(intptr_t argument) {
    hooks_were_called();
    priorities();
    errors();
    locks_the_cpu();
    leaves_locked();
    idles();
    CHECK_IS(takt_memory_pool_try_get(TAKT_MEMORY_POOL_pool, &pool_block), TAKT_OK);
    states_of_task(TAKT_TASK_subject_0, 0);
    states_of_task(TAKT_TASK_subject_1, 1);
    states_of_objects();
    late_answers();
    check_end();
}
