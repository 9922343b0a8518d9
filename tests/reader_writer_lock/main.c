/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of reader-writer locks: errors, which tasks hold one together, which one waits
 * behind which, and the ends of holds and waits. */
#include "settled.h"

static const takt_id fifo = TAKT_READER_WRITER_LOCK_fifo,
                     by_priority = TAKT_READER_WRITER_LOCK_by_priority;

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_READER_WRITER_LOCKS + 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_reader_writer_lock_read(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_reader_writer_lock_write(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_reader_writer_lock_try_read(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_reader_writer_lock_try_write(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_reader_writer_lock_unlock(wrong[i]), TAKT_E_ID);
    }
    CHECK_IS(takt_reader_writer_lock_read_for(fifo, -1), TAKT_E_PAR);
    CHECK_IS(takt_reader_writer_lock_write_for(fifo, -1), TAKT_E_PAR);
    CHECK_IS(takt_reader_writer_lock_unlock(fifo), TAKT_E_ILUSE);
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_reader_writer_lock_read(fifo), TAKT_E_CTX);
    CHECK_IS(takt_reader_writer_lock_write_for(fifo, 1), TAKT_E_CTX);
    CHECK_IS(takt_reader_writer_lock_try_write(fifo), TAKT_OK);
    CHECK_IS(takt_reader_writer_lock_unlock(fifo), TAKT_OK);
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    for (int writes = 0; writes < 2; writes++) { /* a holder must not request it again */
        CHECK_IS(writes ? takt_reader_writer_lock_write(fifo) : takt_reader_writer_lock_read(fifo),
                 TAKT_OK);
        CHECK_IS(takt_reader_writer_lock_read(fifo), TAKT_E_ILUSE);
        CHECK_IS(takt_reader_writer_lock_write(fifo), TAKT_E_ILUSE);
        CHECK_IS(takt_reader_writer_lock_try_read(fifo), TAKT_E_ILUSE);
        CHECK_IS(takt_reader_writer_lock_unlock(by_priority), TAKT_E_ILUSE);
        CHECK_IS(takt_reader_writer_lock_unlock(fifo), TAKT_OK);
        CHECK_IS(takt_reader_writer_lock_unlock(fifo), TAKT_E_ILUSE);
    }
}

static unsigned handler_calls;
static takt_error handler_results[3];

void handler_job(intptr_t argument) {
    handler_results[0] = takt_reader_writer_lock_try_read(fifo);
    handler_results[1] = takt_reader_writer_lock_try_write(fifo);
    handler_results[2] = takt_reader_writer_lock_unlock(fifo);
    count_up(&handler_calls);
}

static void not_in_handlers(void) {
    CHECK_IS(takt_alarm_start(TAKT_ALARM_handler, 1), TAKT_OK);
    wait_until_count(&handler_calls, 1);
    for (int i = 0; i < 3; i++) {
        CHECK_IS(handler_results[i], TAKT_E_CTX);
    }
}

/* --- Tasks that take and hold a lock ---------------------------------------------------------- */

enum { FIRST, SECOND, THIRD, ABOVE, TASKS };
enum { NONE = TASKS };
enum { READ, WRITE };

static const takt_id tasks[TASKS + 1] = {TAKT_TASK_first, TAKT_TASK_second, TAKT_TASK_third,
                                         TAKT_TASK_above, TAKT_ID_NONE};
static struct {
    takt_id lock;
    bool writes;
    takt_time timeout;
    takt_error result;
    bool keeps;    /* whether it ends its job with the lock held */
    unsigned held; /* how often it has got the lock */
} parts[TASKS];
static unsigned done;

void part_job(intptr_t who) {
    takt_id lock = parts[who].lock;
    parts[who].result = parts[who].writes
                            ? takt_reader_writer_lock_write_for(lock, parts[who].timeout)
                            : takt_reader_writer_lock_read_for(lock, parts[who].timeout);
    if (parts[who].result == TAKT_OK) {
        count_up(&parts[who].held);
        CHECK_IS(takt_task_sleep(), TAKT_OK);
        if (!parts[who].keeps) {
            CHECK_IS(takt_reader_writer_lock_unlock(lock), TAKT_OK);
        }
    }
    count_up(&done);
}

/* Lets a task request the lock; returns when it waits or holds it. */
static void asks(int who, takt_id lock, bool writes, takt_time timeout) {
    parts[who].lock = lock, parts[who].writes = writes, parts[who].timeout = timeout;
    parts[who].held = 0, parts[who].keeps = false;
    run_until_it_waits(tasks[who]);
}

static void gives(int who) {
    unsigned before = read_count(&done);
    CHECK_IS(takt_task_wakeup(tasks[who]), TAKT_OK);
    wait_until_count(&done, before + 1);
}

/* Checks which tasks hold the lock, and which one waits first. */
static void has(takt_id lock, int writer, unsigned readers, int first) {
    struct takt_reader_writer_lock_state state;
    CHECK_IS(takt_reader_writer_lock_state(lock, &state), TAKT_OK);
    CHECK_IS(state.writer, tasks[writer]);
    CHECK_IS(state.readers, readers);
    CHECK_IS(state.first, tasks[first]);
}

static void together(void) {
    asks(FIRST, fifo, READ, TAKT_FOR_EVER);
    asks(ABOVE, fifo, READ, TAKT_FOR_EVER);
    CHECK_IS(takt_reader_writer_lock_try_write(fifo), TAKT_E_TMOUT);
    CHECK_IS(takt_reader_writer_lock_write_for(fifo, TAKT_MILLISECOND), TAKT_E_TMOUT);
    CHECK_IS(takt_reader_writer_lock_read(fifo), TAKT_OK);
    has(fifo, NONE, 3, NONE);
    CHECK_IS(takt_reader_writer_lock_unlock(fifo), TAKT_OK);
    gives(ABOVE);
    gives(FIRST);
    has(fifo, NONE, 0, NONE);
}

static void alone(void) {
    asks(FIRST, fifo, WRITE, TAKT_FOR_EVER);
    has(fifo, FIRST, 0, NONE);
    CHECK_IS(takt_reader_writer_lock_try_read(fifo), TAKT_E_TMOUT);
    CHECK_IS(takt_reader_writer_lock_try_write(fifo), TAKT_E_TMOUT);
    CHECK_IS(takt_reader_writer_lock_read_for(fifo, TAKT_MILLISECOND), TAKT_E_TMOUT);
    CHECK_IS(takt_reader_writer_lock_unlock(fifo), TAKT_E_ILUSE);
    gives(FIRST);
}

/* In FIFO order: no task overtakes, and only neighbouring readers get the lock together. */
static void in_turn(void) {
    asks(FIRST, fifo, READ, TAKT_FOR_EVER);
    asks(SECOND, fifo, WRITE, TAKT_FOR_EVER);
    CHECK_IS(takt_reader_writer_lock_try_read(fifo), TAKT_E_TMOUT);
    asks(THIRD, fifo, READ, TAKT_FOR_EVER);
    asks(ABOVE, fifo, READ, TAKT_FOR_EVER);
    has(fifo, NONE, 1, SECOND);
    gives(FIRST);
    wait_until_count(&parts[SECOND].held, 1);
    has(fifo, SECOND, 0, THIRD);
    asks(FIRST, fifo, WRITE, TAKT_FOR_EVER);
    gives(SECOND);
    wait_until_count(&parts[THIRD].held, 1);
    wait_until_count(&parts[ABOVE].held, 1);
    has(fifo, NONE, 2, FIRST);
    gives(THIRD);
    has(fifo, NONE, 1, FIRST);
    gives(ABOVE);
    wait_until_count(&parts[FIRST].held, 1);
    gives(FIRST);
    has(fifo, NONE, 0, NONE);
}

/* In priority order: THIRD and ABOVE are the highest, FIRST is the lowest. */
static void by_their_priority(void) {
    asks(SECOND, by_priority, WRITE, TAKT_FOR_EVER);
    asks(FIRST, by_priority, READ, TAKT_FOR_EVER);
    asks(THIRD, by_priority, WRITE, TAKT_FOR_EVER);
    asks(ABOVE, by_priority, READ, TAKT_FOR_EVER);
    gives(SECOND);
    wait_until_count(&parts[THIRD].held, 1);
    has(by_priority, THIRD, 0, ABOVE);
    gives(THIRD);
    wait_until_count(&parts[FIRST].held, 1);
    has(by_priority, NONE, 2, NONE);
    gives(ABOVE);
    asks(SECOND, by_priority, WRITE, TAKT_FOR_EVER);
    asks(ABOVE, by_priority, READ, TAKT_FOR_EVER); /* is higher than the waiting writer */
    CHECK_IS(parts[ABOVE].held, 1);
    CHECK_IS(takt_reader_writer_lock_try_read(by_priority), TAKT_E_TMOUT); /* is not */
    gives(ABOVE);
    gives(FIRST);
    wait_until_count(&parts[SECOND].held, 1);
    gives(SECOND);
}

/* A reader that is raised above the waiting writer gets the lock, and so does one when the writer
 * is lowered. */
static void priority_changes(void) {
    for (int falls = 0; falls < 2; falls++) {
        asks(ABOVE, by_priority, READ, TAKT_FOR_EVER);
        asks(SECOND, by_priority, WRITE, TAKT_FOR_EVER);
        asks(FIRST, by_priority, READ, TAKT_FOR_EVER);
        has(by_priority, NONE, 1, SECOND);
        CHECK_IS(takt_task_set_priority(tasks[falls ? SECOND : FIRST], falls ? 50 : 5), TAKT_OK);
        wait_until_count(&parts[FIRST].held, 1);
        has(by_priority, NONE, 2, SECOND);
        gives(ABOVE);
        gives(FIRST);
        wait_until_count(&parts[SECOND].held, 1);
        gives(SECOND);
    }
}

enum { TIMEOUT, RELEASE, TERMINATION };

/* The waiting writer leaves: the readers behind it need not wait any more. */
static void writer_leaves(int how) {
    asks(FIRST, fifo, READ, TAKT_FOR_EVER);
    unsigned before = read_count(&done);
    asks(SECOND, fifo, WRITE, how == TIMEOUT ? 100 * TAKT_MILLISECOND : TAKT_FOR_EVER);
    asks(THIRD, fifo, READ, TAKT_FOR_EVER);
    asks(ABOVE, fifo, READ, TAKT_FOR_EVER);
    if (how == RELEASE) {
        CHECK_IS(takt_task_release_wait(tasks[SECOND]), TAKT_OK);
    } else if (how == TERMINATION) {
        CHECK_IS(takt_task_terminate(tasks[SECOND]), TAKT_OK);
    }
    wait_until_count(&parts[THIRD].held, 1);
    wait_until_count(&parts[ABOVE].held, 1);
    has(fifo, NONE, 3, NONE);
    if (how != TERMINATION) {
        wait_until_count(&done, before + 1);
        CHECK_IS(parts[SECOND].result, how == TIMEOUT ? TAKT_E_TMOUT : TAKT_E_RLWAI);
    }
    gives(FIRST);
    gives(THIRD);
    gives(ABOVE);
    CHECK_IS(takt_reader_writer_lock_write(fifo), TAKT_OK);
    CHECK_IS(takt_reader_writer_lock_unlock(fifo), TAKT_OK);
}

/* The locks that a job holds are released when it returns or is terminated, including another lock.
 */
static void holder_ends(bool writes, bool terminated) {
    asks(FIRST, fifo, writes, TAKT_FOR_EVER);
    parts[FIRST].keeps = true;
    asks(SECOND, fifo, WRITE, TAKT_FOR_EVER);
    CHECK_IS(parts[SECOND].held, 0);
    if (terminated) {
        CHECK_IS(takt_task_terminate(tasks[FIRST]), TAKT_OK);
    } else {
        gives(FIRST);
    }
    wait_until_count(&parts[SECOND].held, 1);
    has(fifo, SECOND, 0, NONE);
    gives(SECOND);
}

void holder_of_two_job(intptr_t argument) {
    CHECK_IS(takt_reader_writer_lock_read(fifo), TAKT_OK);
    CHECK_IS(takt_reader_writer_lock_write(by_priority), TAKT_OK);
    count_up(&done);
}

static void holder_of_two_ends(void) {
    done = 0;
    for (unsigned i = 1; i <= 3; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_holder_of_two), TAKT_OK);
        wait_until_count(&done, i);
        CHECK_IS(takt_reader_writer_lock_write_for(fifo, PATIENCE), TAKT_OK);
        CHECK_IS(takt_reader_writer_lock_write_for(by_priority, PATIENCE), TAKT_OK);
        CHECK_IS(takt_reader_writer_lock_unlock(fifo), TAKT_OK);
        CHECK_IS(takt_reader_writer_lock_unlock(by_priority), TAKT_OK);
    }
}

void main_job(intptr_t argument) {
    errors();
    not_in_handlers();
    together();
    alone();
    in_turn();
    by_their_priority();
    priority_changes();
    for (int how = TIMEOUT; how <= TERMINATION; how++) {
        writer_leaves(how);
    }
    for (int i = 0; i < 4; i++) {
        holder_ends(i & 1, i & 2);
    }
    holder_of_two_ends();
    check_end();
}
