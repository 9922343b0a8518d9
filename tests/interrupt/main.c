/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of devices: each service and error, what a routine may call, nesting, migration.
 * `received` and `second` have the described priorities, and the argument of `received` says
 * whether `second` is the higher one. */
#include "../until.h"
#include "devices.h"

#define LAST ((takt_id)TAKT_INTERRUPTS)

enum plan { PLAIN, SERVICES, RAISES_OTHER, DISABLES_ITSELF, MOVES_ITSELF, OUTLASTS_BUDGET };

static volatile enum plan received_plan, second_plan;
static unsigned received_count, second_count, awake, activated, watched_jobs, overruns;
static _Thread_local char marker;
static char *volatile where; /* the core on which `received` was served */
static volatile bool second_is_higher;

static void services_in_a_routine(void) {
    intptr_t word;
    uint32_t bits;
    void *block;
    CHECK_IS(takt_task_self(), TAKT_ID_NONE);
    CHECK_IS(takt_task_sleep(), TAKT_E_CTX);
    CHECK_IS(takt_task_sleep_for(1), TAKT_E_CTX);
    CHECK_IS(takt_task_delay(1), TAKT_E_CTX);
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_go), TAKT_E_CTX);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_go, 1), TAKT_E_CTX);
    CHECK_IS(takt_semaphore_try(TAKT_SEMAPHORE_empty), TAKT_E_TMOUT);
    CHECK_IS(takt_flag_wait(TAKT_FLAG_bits, 1, TAKT_FLAG_ANY, &bits), TAKT_E_CTX);
    CHECK_IS(takt_data_queue_receive(TAKT_DATA_QUEUE_words, &word), TAKT_E_CTX);
    CHECK_IS(takt_memory_pool_get(TAKT_MEMORY_POOL_blocks, &block), TAKT_E_CTX);
    CHECK_IS(takt_dispatch_disable(), TAKT_E_CTX);
    CHECK_IS(takt_dispatch_enable(), TAKT_E_CTX);
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    takt_error refused = takt_semaphore_try(TAKT_SEMAPHORE_go);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK); /* because a failed check prints */
    CHECK_IS(refused, TAKT_E_CTX);
    CHECK(!takt_cpu_locked());
    CHECK_IS(takt_task_terminate(TAKT_TASK_waiter), TAKT_E_CTX);
    CHECK_IS(takt_task_suspend(TAKT_TASK_near), TAKT_E_CTX);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_near, 9), TAKT_E_CTX);

    CHECK_IS(takt_flag_set(TAKT_FLAG_bits, 4), TAKT_OK);
    CHECK_IS(takt_data_queue_try_send(TAKT_DATA_QUEUE_words, 5), TAKT_OK);
    CHECK_IS(takt_memory_pool_try_get(TAKT_MEMORY_POOL_blocks, &block), TAKT_OK);
    CHECK_IS(takt_memory_pool_release(TAKT_MEMORY_POOL_blocks, block), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_near), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_far), TAKT_OK);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_go), TAKT_OK);
    CHECK_IS(awake, 0); /* dispatched after the routine has ended */
}

/* Waits long enough for an interrupt to come. */
static void look_for(const volatile unsigned *counter, unsigned value) {
    takt_time begin = takt_time_now();
    while (*counter != value && takt_time_now() - begin < 200 * TAKT_MICROSECOND) {
    }
}

static const takt_time BUDGET = TAKT_MILLISECOND; /* of `watched` */

static void run_for(takt_time duration) {
    takt_time begin = takt_time_now();
    while (takt_time_now() - begin < duration) {
    }
}

void on_received(intptr_t is_lower) {
    second_is_higher = is_lower;
    where = &marker;
    if (!uart_lower()) {
        return; /* a spurious call, on machines that have them */
    }
    unsigned before = second_count;
    switch (received_plan) {
    case SERVICES:
        services_in_a_routine();
        CHECK_IS(takt_spin_lock_acquire(TAKT_SPIN_LOCK_port), TAKT_OK);
        CHECK_IS(takt_spin_lock_release(TAKT_SPIN_LOCK_port), TAKT_OK);
        CHECK_IS(takt_spin_lock_acquire(TAKT_SPIN_LOCK_port), TAKT_OK);
        count_up(&received_count);
        return; /* which releases the lock */
    case RAISES_OTHER:
        second_raise();
        look_for(&second_count, before + 1);
        CHECK_IS(second_count - before, is_lower ? 1 : 0);
        break;
    case DISABLES_ITSELF:
        CHECK_IS(takt_interrupt_disable(TAKT_INTERRUPT_received), TAKT_OK);
        break;
    case MOVES_ITSELF:
        CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 1), TAKT_OK);
        break;
    case OUTLASTS_BUDGET:
        run_for(2 * BUDGET);
        break;
    case PLAIN:
        break;
    }
    count_up(&received_count);
}

void on_second(intptr_t unused) {
    second_lower();
    unsigned before = received_count;
    if (second_plan == RAISES_OTHER) {
        uart_raise();
        look_for(&received_count, before + 1);
        CHECK_IS(received_count, before); /* never higher than this interrupt */
    }
    count_up(&second_count);
}

/* --- Tasks ----------------------------------------------------------------------------------- */

void near_job(intptr_t unused) {
    count_up(&activated);
}

void far_job(intptr_t unused) {
    count_up(&activated);
}

void overrun_handler(intptr_t task) {
    count_up(&overruns);
}

/* A task above the tests. */
void watched_job(intptr_t unused) {
    uart_raise(); /* served at once */
    run_for(BUDGET / 4);
    count_up(&watched_jobs);
}

/* A task above the tests. */
void waiter_job(intptr_t unused) {
    for (;;) {
        CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_go), TAKT_OK);
        count_up(&awake);
    }
}

static void raise_received(void) {
    unsigned before = read_count(&received_count);
    uart_raise();
    wait_until_count(&received_count, before + 1);
    CHECK_IS(received_count, before + 1);
}

static void check_errors(void) {
    bool pending;
    unsigned core;
    volatile void *registers;
    const takt_id wrong[] = {TAKT_ID_NONE, LAST + 1, UINT32_MAX};
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(takt_interrupt_enable(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_interrupt_disable(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_interrupt_pending(wrong[i], &pending), TAKT_E_ID);
        CHECK_IS(takt_interrupt_set_core(wrong[i], 0), TAKT_E_ID);
        CHECK_IS(takt_interrupt_core(wrong[i], &core), TAKT_E_ID);
        CHECK_IS(takt_interrupt_registers(wrong[i], &registers), TAKT_E_ID);
    }
    CHECK_IS(takt_interrupt_pending(LAST, 0), TAKT_E_PAR);
    CHECK_IS(takt_interrupt_core(LAST, 0), TAKT_E_PAR);
    CHECK_IS(takt_interrupt_registers(LAST, 0), TAKT_E_PAR);
    CHECK_IS(takt_interrupt_set_core(LAST, 2), TAKT_E_PAR);
    CHECK_IS(takt_interrupt_set_core(LAST, UINT32_MAX), TAKT_E_PAR);
    CHECK_IS(takt_interrupt_registers(TAKT_INTERRUPT_nobody, &registers), TAKT_E_OBJ);
    CHECK_IS(takt_interrupt_core(TAKT_INTERRUPT_nobody, &core), TAKT_OK);
    CHECK_IS(core, 1);
}

/* A holder of a spin lock is refused services that take a lock of the kernel; with the CPU locked
 * all are allowed. */
static void check_spin_lock(void) {
    unsigned core = 9;
    bool pending;
    CHECK_IS(takt_spin_lock_acquire(TAKT_SPIN_LOCK_port), TAKT_OK);
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_nobody, 0), TAKT_E_CTX);
    CHECK_IS(takt_interrupt_core(TAKT_INTERRUPT_nobody, &core), TAKT_E_CTX);
    CHECK_IS(core, 9);
    CHECK_IS(takt_interrupt_pending(TAKT_INTERRUPT_nobody, &pending), TAKT_OK);
    CHECK_IS(takt_spin_lock_release(TAKT_SPIN_LOCK_port), TAKT_OK);
    CHECK_IS(takt_spin_lock_acquire(TAKT_SPIN_LOCK_port), TAKT_OK);
    CHECK_IS(takt_spin_lock_release(TAKT_SPIN_LOCK_port), TAKT_OK);
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    CHECK_IS(takt_interrupt_core(TAKT_INTERRUPT_nobody, &core), TAKT_OK);
    CHECK_IS(core, 1);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK);
}

static void check_services(void) {
    intptr_t word = 0;
    uint32_t bits = 0;
    received_plan = SERVICES;
    raise_received();
    received_plan = PLAIN;
    CHECK_IS(takt_spin_lock_try(TAKT_SPIN_LOCK_port), TAKT_OK);
    CHECK_IS(takt_spin_lock_release(TAKT_SPIN_LOCK_port), TAKT_OK);
    wait_until_count(&activated, 2);
    wait_until_count(&awake, 1);
    CHECK_IS(takt_data_queue_try_receive(TAKT_DATA_QUEUE_words, &word), TAKT_OK);
    CHECK_IS(word, 5);
    CHECK_IS(takt_flag_try(TAKT_FLAG_bits, 4, TAKT_FLAG_ANY, &bits), TAKT_OK);
}

/* The budget of the interrupted job would be used up during a routine, which does not count as the
 * job's execution. */
static void check_budget(void) {
    unsigned before = read_count(&received_count);
    received_plan = OUTLASTS_BUDGET;
    CHECK_IS(takt_task_activate(TAKT_TASK_watched), TAKT_OK);
    wait_until_count(&watched_jobs, 1);
    received_plan = PLAIN;
    CHECK_IS(received_count, before + 1);
    CHECK_IS(overruns, 0);
}

static void check_nesting(void) {
    unsigned before = read_count(&second_count);
    received_plan = RAISES_OTHER;
    raise_received();
    wait_until_count(&second_count, before + 1);
    received_plan = PLAIN;

    before = read_count(&received_count);
    second_plan = RAISES_OTHER;
    second_raise();
    wait_until_count(&received_count, before + 1);
    second_plan = PLAIN;
}

/* A request stays pending while the interrupt is disabled, and is served once when it is enabled.
 */
static void check_comes_when_enabled(unsigned before) {
    bool pending = false;
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(received_count, before);
    CHECK_IS(takt_interrupt_pending(TAKT_INTERRUPT_received, &pending), TAKT_OK);
    CHECK(pending);
    CHECK_IS(takt_interrupt_enable(TAKT_INTERRUPT_received), TAKT_OK);
    wait_until_count(&received_count, before + 1);
}

/* A request that the core has received but not served before the interrupt is disabled. */
static void check_disable_of_one_that_came(void) {
    unsigned before = read_count(&received_count);
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    uart_raise();
    CHECK_IS(takt_interrupt_disable(TAKT_INTERRUPT_received), TAKT_OK);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK);
    check_comes_when_enabled(before);
}

static void check_disable(void) {
    bool pending = true;
    unsigned before = read_count(&received_count);
    CHECK_IS(takt_interrupt_pending(TAKT_INTERRUPT_received, &pending), TAKT_OK);
    CHECK(!pending);
    CHECK_IS(takt_interrupt_disable(TAKT_INTERRUPT_received), TAKT_OK);
    uart_raise();
    check_comes_when_enabled(before);

    received_plan = DISABLES_ITSELF;
    raise_received();
    received_plan = PLAIN;
    uart_raise();
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(received_count, before + 2);
    CHECK_IS(takt_interrupt_enable(TAKT_INTERRUPT_received), TAKT_OK);
    wait_until_count(&received_count, before + 3);
    raise_received();
}

static void wait_until_at(unsigned core) {
    unsigned at = 9;
    for (int i = 0; i < 10000 && at != core; i++) {
        CHECK_IS(takt_interrupt_core(TAKT_INTERRUPT_received, &at), TAKT_OK);
        takt_task_delay(10 * TAKT_MICROSECOND);
    }
    CHECK_IS(at, core);
}

/* A request that core 0 has received before the interrupt is moved to core 1. */
static void check_move_of_one_that_came(const char *on_1) {
    unsigned before = read_count(&received_count);
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    uart_raise();
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 1), TAKT_OK);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK);
    wait_until_count(&received_count, before + 1);
    CHECK(where == on_1);
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 0), TAKT_OK);
    wait_until_at(0);
}

static void check_moves(void) {
    raise_received();
    char *on_0 = where;
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 1), TAKT_OK);
    wait_until_at(1);
    raise_received();
    char *on_1 = where;
    CHECK(on_1 != on_0);

    /* A request that comes while the interrupt is moved, and while it is disabled. */
    unsigned before = read_count(&received_count);
    CHECK_IS(takt_interrupt_disable(TAKT_INTERRUPT_received), TAKT_OK);
    uart_raise();
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 0), TAKT_OK);
    wait_until_at(0);
    CHECK_IS(received_count, before);
    CHECK_IS(takt_interrupt_enable(TAKT_INTERRUPT_received), TAKT_OK);
    wait_until_count(&received_count, before + 1);
    CHECK(where == on_0);

    /* Moves it there and back at once, and to its own core. */
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 1), TAKT_OK);
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 0), TAKT_OK);
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 0), TAKT_OK);
    takt_task_delay(TAKT_MILLISECOND);
    raise_received();
    CHECK(where == on_0);

    check_move_of_one_that_came(on_1);

    received_plan = MOVES_ITSELF;
    raise_received();
    CHECK(where == on_0);
    received_plan = PLAIN;
    wait_until_at(1);
    raise_received();
    CHECK(where == on_1);
    CHECK_IS(takt_interrupt_set_core(TAKT_INTERRUPT_received, 0), TAKT_OK);
    wait_until_at(0);
    raise_received();
}

void tests_job(intptr_t unused) {
    uart_open();
    second_open();
    check_errors();
    check_spin_lock();
    check_services();
    check_budget();
    check_nesting();
    check_disable();
    check_disable_of_one_that_came();
    check_moves();
    CHECK_IS(takt_interrupt_disable(TAKT_INTERRUPT_received), TAKT_OK);
    check_end();
}
