/* SPDX-License-Identifier: Apache-2.0 */
/* What messages that raise their receiver do, call by call. `receiver` (priority 20) and `middle`
 * (10) are tasks of core 1, so who runs there says which priority the receiver has. Each writes
 * letters into a log, which `main` on core 0 compares: it sends, and activates both. */
#include <string.h>

#include <takt/channel.h>
#include <takt/priority_data_queue.h>

/* A task that is never raised is waited for within the run. */
#ifndef PATIENCE
#define PATIENCE (2 * TAKT_SECOND)
#endif
#include "until.h"

enum { ORDERS = TAKT_CHANNEL_orders, QUEUE = TAKT_PRIORITY_DATA_QUEUE_orders_full };
enum { BASE = 20, MIDDLE = 10, URGENT = 5, LOW = 25 };

/* The letters of one part; written by tasks of core 1 alone. */
static char letters[16];
static unsigned count;
static unsigned enough; /* as many as there are when the urgent message has been read */

/* What the next job of a task does, and how many have done it. */
static void (*volatile receiver_part)(void), (*volatile middle_part)(void);
static unsigned receiver_done, middle_done, other_done;

/* What tasks wait for, each without calling the kernel. */
static unsigned receiver_reads, middle_runs, sent;

void receiver_job(intptr_t unused) {
    receiver_part();
    count_up(&receiver_done);
}

void middle_job(intptr_t unused) {
    middle_part();
    count_up(&middle_done);
}

static void say(char letter) {
    if (count < sizeof letters - 1) {
        letters[count++] = letter;
    }
}

/* Runs on until another task has set the flag, or for so long that it surely will not. */
static void run_until(const unsigned *flag) {
    takt_time end = takt_time_now() + PATIENCE / 4;
    while (read_count(flag) == 0 && takt_time_now() < end) {
    }
}

static void set(unsigned *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static const void *receive(unsigned expected) {
    const void *message = 0;
    size_t size;
    unsigned priority = 0;
    CHECK_IS(takt_channel_receive_for(ORDERS, &message, &size, &priority, TAKT_SECOND), TAKT_OK);
    CHECK_IS(priority, expected);
    return message;
}

static void release(const void *message) {
    CHECK_IS(takt_channel_release(ORDERS, message), TAKT_OK);
}

static void send(unsigned priority) {
    uint64_t message = priority;
    CHECK_IS(takt_channel_try_send(ORDERS, &message, sizeof message, priority), TAKT_OK);
}

static void begin(void (*receiver)(void), void (*middle)(void), unsigned letters_before) {
    memset(letters, 0, sizeof letters);
    count = receiver_done = middle_done = other_done = receiver_reads = middle_runs = sent = 0;
    enough = letters_before;
    receiver_part = receiver;
    middle_part = middle;
}

static void activate(takt_id task) {
    CHECK_IS(takt_task_activate(task), TAKT_OK);
}

static void end(const char *expected) {
    wait_until_count(&receiver_done, 1);
    wait_until_count(&middle_done, 1);
    CHECK(strcmp(letters, expected) == 0);
    if (strcmp(letters, expected) != 0) {
        printf("    is %s, expected %s\n", letters, expected);
        check_end(); /* what follows would wait in vain */
    }
}

/* Waits for a flag without looking at who runs on the other core. */
static void await(const unsigned *flag) {
    wait_until_count(flag, 1);
}

/* --- The receiver's jobs, and those of `middle` ------------------------------------------------
 */

static void hand_out(void) {
    const void *message;
    size_t size;
    unsigned priority;
    CHECK_IS(takt_channel_try_receive(ORDERS, &message, &size, &priority), TAKT_E_TMOUT);
    /* There is no word to release, and the other queue raises nobody. */
    CHECK_IS(takt_priority_data_queue_release(QUEUE), TAKT_E_OBJ);
    CHECK_IS(takt_priority_data_queue_release(QUEUE + 1), TAKT_E_ILUSE);
}

/* Receives a second word from the queue itself while it holds the first one. */
static void receive_twice(void) {
    intptr_t word;
    unsigned priority;
    receive(URGENT);
    CHECK_IS(takt_priority_data_queue_try_receive(QUEUE, &word, &priority), TAKT_E_OBJ);
    CHECK_IS(takt_priority_data_queue_receive_for(QUEUE, &word, &priority, TAKT_SECOND),
             TAKT_E_OBJ);
    activate(TAKT_TASK_middle);
    say('u'); /* the first one still raises */
    CHECK_IS(takt_priority_data_queue_release(QUEUE), TAKT_OK);
    say('r');
    release(receive(LOW));
}

static void middle_says_once(void) {
    say('m');
}

/* Reads a message that does not raise it until an urgent one is there, and then that. */
static void read_two(void) {
    receive(LOW);
    say('r');
    set(&receiver_reads);
    run_until(&sent);
    say('R');
    const void *message = receive(URGENT); /* releases the first one */
    say('u');
    release(message);
    say('e');
}

/* Runs on until the receiver has read the urgent message. */
static void wait_for_u(void) {
    say('m');
    set(&middle_runs);
    takt_time end = takt_time_now() + PATIENCE / 4;
    while (read_count(&count) < enough && takt_time_now() < end) {
    }
    say('M');
}

/* Sends the urgent message itself. */
static void middle_sends(void) {
    say('m');
    set(&sent);
    send(URGENT);
    say('M');
}

/* Sends one that does not raise the receiver above itself. */
static void middle_sends_low(void) {
    say('m');
    set(&sent);
    send(MIDDLE + 1);
    say('M');
}

static void read_two_low(void) {
    receive(LOW);
    say('r');
    set(&receiver_reads);
    run_until(&sent);
    say('R');
    release(receive(MIDDLE + 1));
}

static void wait_for_one(void) {
    say('w');
    set(&receiver_reads);
    const void *message = receive(URGENT);
    say('u');
    release(message);
    say('e');
}

static void read_one(void) {
    const void *message = receive(URGENT);
    say('u');
    release(message);
    say('e');
}

/* The job behind one that held a message: that was released at the end. */
static void begin_anew(void) {
    say('n');
    hand_out();
}

/* Ends while it holds an urgent message, and has activated `middle`. */
static void end_with_one(void) {
    receive(URGENT);
    say('u');
    activate(TAKT_TASK_middle);
    activate(TAKT_TASK_receiver);
    receiver_part = begin_anew;
    say('e');
}

/* --- A wait for something else ---------------------------------------------------------------- */

void other_job(intptr_t unused) {
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_turns), TAKT_OK);
    say('o');
    count_up(&other_done);
}

static void wait_for_turn(void) {
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_turns), TAKT_OK);
    say('t');
    release(receive(URGENT));
}

/* --- main ------------------------------------------------------------------------------------- */

/* The receiver reads a low message, and `middle` has preempted it. */
static void preempt_reader(void) {
    send(LOW);
    activate(TAKT_TASK_receiver);
    await(&receiver_reads);
    activate(TAKT_TASK_middle);
}

static void raise_a_reader(void) {
    begin(read_two, wait_for_u, 4);
    preempt_reader();
    await(&middle_runs);
    send(URGENT);
    set(&sent);
    end("rmRuMe");
}

/* The base changes while the receiver is raised: what messages lend is kept. */
static void change_the_base(void) {
    begin(read_two, wait_for_u, 4);
    preempt_reader();
    await(&middle_runs);
    send(URGENT);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_receiver, BASE + 10), TAKT_OK);
    set(&sent);
    end("rmRuMe");
}

static void raise_on_its_core(void) {
    begin(read_two, middle_sends, 0);
    preempt_reader();
    end("rmRuMe");
    begin(read_two_low, middle_sends_low, 0);
    preempt_reader();
    end("rmMR");
}

static void raise_who_waits(void) {
    begin(wait_for_one, wait_for_u, 3);
    activate(TAKT_TASK_receiver);
    await(&receiver_reads);
    wait_a_while();
    activate(TAKT_TASK_middle);
    await(&middle_runs);
    send(URGENT);
    wait_until_count(&middle_done, 1);
    end("wmuMe");
}

/* A message lends its priority to a job that begins later. */
static void raise_a_new_job(void) {
    begin(read_one, wait_for_u, 2);
    activate(TAKT_TASK_middle);
    await(&middle_runs);
    send(URGENT);
    activate(TAKT_TASK_receiver);
    wait_until_count(&middle_done, 1);
    end("muMe");
}

static void release_at_the_end(void) {
    begin(end_with_one, middle_says_once, 0);
    send(URGENT);
    activate(TAKT_TASK_receiver);
    wait_until_count(&receiver_done, 2);
    end("uemn");
}

static void hold_one_at_most(void) {
    begin(receive_twice, middle_says_once, 0);
    send(URGENT);
    send(LOW);
    activate(TAKT_TASK_receiver);
    end("umr");
}

static void raise_who_waits_elsewhere(void) {
    begin(wait_for_turn, middle_says_once, 0);
    activate(TAKT_TASK_other);
    activate(TAKT_TASK_receiver);
    wait_a_while();
    send(URGENT);
    wait_a_while();
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_turns), TAKT_OK);
    wait_until_count(&receiver_done, 1);
    CHECK_IS(read_count(&other_done), 0);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_turns), TAKT_OK);
    wait_until_count(&other_done, 1);
    activate(TAKT_TASK_middle);
    end("tom");
}

void main_job(intptr_t unused) {
    intptr_t word;
    unsigned priority;
    CHECK_IS(takt_priority_data_queue_release(QUEUE), TAKT_E_ILUSE);
    CHECK_IS(takt_priority_data_queue_release(0), TAKT_E_ID);
    CHECK_IS(takt_priority_data_queue_try_receive(QUEUE, &word, &priority), TAKT_E_ILUSE);
    begin(hand_out, middle_says_once, 0);
    activate(TAKT_TASK_receiver);
    wait_until_count(&receiver_done, 1);
    raise_a_reader();
    change_the_base();
    raise_on_its_core();
    raise_who_waits();
    raise_a_new_job();
    release_at_the_end();
    hold_one_at_most();
    raise_who_waits_elsewhere();
    check_end();
}
