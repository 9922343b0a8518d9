/* SPDX-License-Identifier: Apache-2.0 */
/* What only the distributed kernel lets happen to a receiver that messages raise: it is terminated,
 * waits for a mutex, migrates, and its messages are taken away. `main` looks at its priority. */
#include <takt/channel.h>
#include <takt/mutex.h>
#include <takt/priority_data_queue.h>

#include "until.h"

enum { BASE = 20, LOWEST = 30 };

/* What the receiver does in its next job, before it sleeps. */
static enum { SLEEP, RECEIVE, READ_ALL } part;
static unsigned begun, done, holds;

static void wait_until_priority(takt_id task, unsigned expected) {
    unsigned priority = 0;
    for (int i = 0; i < 2000; i++) {
        if (takt_task_priority(task, &priority) == TAKT_OK && priority == expected) {
            break;
        }
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    CHECK_IS(priority, expected);
}

static unsigned own_priority(void) {
    unsigned priority = 0;
    CHECK_IS(takt_task_priority(takt_task_self(), &priority), TAKT_OK);
    return priority;
}

static void send(takt_id channel, unsigned priority) {
    uint64_t message = priority;
    CHECK_IS(takt_channel_try_send(channel, &message, sizeof message, priority), TAKT_OK);
}

/* Receives without waiting, and returns the message's priority, 0: there is none. */
static unsigned receive(takt_id channel, const void **message) {
    size_t size;
    unsigned priority = 0;
    any_result(takt_channel_try_receive(channel, message, &size, &priority));
    return priority;
}

/* --- The receiver ----------------------------------------------------------------------------- */

static void read_all(void) {
    const void *message;
    CHECK_IS(own_priority(), 3);
    CHECK_IS(receive(TAKT_CHANNEL_orders, &message), 3);
    CHECK_IS(own_priority(), 3);
    CHECK_IS(takt_channel_release(TAKT_CHANNEL_orders, message), TAKT_OK);
    CHECK_IS(own_priority(), 5);
    CHECK_IS(receive(TAKT_CHANNEL_orders, &message), 5);
    CHECK_IS(receive(TAKT_CHANNEL_orders, &message), 30); /* which releases the former one */
    CHECK_IS(own_priority(), BASE);
    CHECK_IS(receive(TAKT_CHANNEL_orders, &message), 0);
    CHECK_IS(own_priority(), BASE);
}

void receiver_job(intptr_t unused) {
    const void *message;
    if (part == RECEIVE) {
        receive(TAKT_CHANNEL_orders, &message);
    }
    count_up(&begun);
    any_result(takt_task_sleep());
    if (part == READ_ALL) {
        read_all();
    }
    count_up(&done);
}

static void start(int next) {
    part = next;
    unsigned before = read_count(&begun);
    CHECK_IS(takt_task_activate(TAKT_TASK_receiver), TAKT_OK);
    wait_until_count(&begun, before + 1);
}

/* --- A mutex ---------------------------------------------------------------------------------- */

void holder_job(intptr_t unused) {
    CHECK_IS(takt_mutex_lock(TAKT_MUTEX_state), TAKT_OK);
    count_up(&holds);
    any_result(takt_task_sleep());
    CHECK_IS(own_priority(), 4);
    CHECK_IS(takt_mutex_unlock(TAKT_MUTEX_state), TAKT_OK);
    CHECK_IS(own_priority(), LOWEST);
    count_up(&done);
}

void reader_job(intptr_t unused) {
    const void *message;
    CHECK_IS(receive(TAKT_CHANNEL_news, &message), 0);
    count_up(&begun);
    CHECK_IS(takt_mutex_lock(TAKT_MUTEX_state), TAKT_OK);
    CHECK_IS(own_priority(), 4);
    CHECK_IS(receive(TAKT_CHANNEL_news, &message), 4);
    CHECK_IS(takt_channel_release(TAKT_CHANNEL_news, message), TAKT_OK);
    CHECK_IS(own_priority(), BASE);
    CHECK_IS(takt_mutex_unlock(TAKT_MUTEX_state), TAKT_OK);
    count_up(&done);
}

static void raise_who_waits_for_a_mutex(void) {
    begun = done = 0;
    CHECK_IS(takt_task_activate(TAKT_TASK_holder), TAKT_OK);
    wait_until_count(&holds, 1);
    CHECK_IS(takt_task_activate(TAKT_TASK_reader), TAKT_OK);
    wait_until_priority(TAKT_TASK_holder, BASE);
    send(TAKT_CHANNEL_news, 4);
    wait_until_priority(TAKT_TASK_reader, 4);
    wait_until_priority(TAKT_TASK_holder, 4);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_holder), TAKT_OK);
    wait_until_count(&done, 2);
}

/* --- main ------------------------------------------------------------------------------------- */

static void raise_twice(void) {
    done = 0;
    start(READ_ALL);
    send(TAKT_CHANNEL_orders, 30);
    send(TAKT_CHANNEL_orders, 5);
    wait_until_priority(TAKT_TASK_receiver, 5);
    send(TAKT_CHANNEL_orders, 3);
    wait_until_priority(TAKT_TASK_receiver, 3);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_receiver), TAKT_OK);
    wait_until_count(&done, 1);
}

static void terminate_it(void) {
    send(TAKT_CHANNEL_orders, 6);
    start(RECEIVE);
    wait_until_priority(TAKT_TASK_receiver, 6);
    CHECK_IS(takt_task_terminate(TAKT_TASK_receiver), TAKT_OK);
    start(SLEEP);
    wait_until_priority(TAKT_TASK_receiver, BASE); /* the end of the job has released it */
    send(TAKT_CHANNEL_orders, 8);
    wait_until_priority(TAKT_TASK_receiver, 8);
    CHECK_IS(takt_task_terminate(TAKT_TASK_receiver), TAKT_OK);
    start(SLEEP);
    wait_until_priority(TAKT_TASK_receiver, 8); /* nobody has received it */
}

/* Goes on with a receiver that sleeps, raised to 8. */
static void let_it_migrate(void) {
    CHECK_IS(takt_task_migrate(TAKT_TASK_receiver, 0), TAKT_OK);
    send(TAKT_CHANNEL_orders, 7);
    wait_until_priority(TAKT_TASK_receiver, 7);
    CHECK_IS(takt_task_migrate(TAKT_TASK_receiver, 1), TAKT_OK);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_receiver, LOWEST), TAKT_OK);
    wait_until_priority(TAKT_TASK_receiver, 7);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_receiver, 2), TAKT_OK);
    wait_until_priority(TAKT_TASK_receiver, 2);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_receiver, BASE), TAKT_OK);
    wait_until_priority(TAKT_TASK_receiver, 7);
}

/* With the words their places are gone, so this comes last. */
static void take_its_messages(void) {
    CHECK_IS(takt_priority_data_queue_reset(TAKT_PRIORITY_DATA_QUEUE_orders_full), TAKT_OK);
    wait_until_priority(TAKT_TASK_receiver, BASE);
}

void main_job(intptr_t unused) {
    start(RECEIVE);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_receiver), TAKT_OK);
    wait_until_count(&done, 1);
    raise_twice();
    raise_who_waits_for_a_mutex();
    terminate_it();
    let_it_migrate();
    take_its_messages();
    check_end();
}
