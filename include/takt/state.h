/* SPDX-License-Identifier: Apache-2.0 */
/* The states of tasks and objects. Each call gives a consistent state of one moment (ref_tsk,
 * ref_sem, ...), which may have changed when the caller reads it. */
#ifndef INCLUDE_TAKT_STATE_H
#define INCLUDE_TAKT_STATE_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of a task (tskstat). */
enum {
    TAKT_TASK_IS_DORMANT, /* also while its activation is held back */
    TAKT_TASK_IS_RUNNING,
    TAKT_TASK_IS_READY,
    TAKT_TASK_IS_WAITING,
    TAKT_TASK_IS_SUSPENDED,
    TAKT_TASK_IS_WAITING_SUSPENDED,
};

/* What a waiting task waits for (tskwait); each class of objects that follows has the next number.
 */
enum {
    TAKT_WAIT_NONE,
    TAKT_WAIT_SLEEP,
    TAKT_WAIT_DELAY,
    TAKT_WAIT_SEMAPHORE,
    TAKT_WAIT_FLAG,
    TAKT_WAIT_DATA_QUEUE,
    TAKT_WAIT_MESSAGE_BUFFER,
    TAKT_WAIT_MEMORY_POOL,
    TAKT_WAIT_MUTEX,
    TAKT_WAIT_PRIORITY_DATA_QUEUE,
    TAKT_WAIT_BARRIER,
    TAKT_WAIT_READ, /* for a reader-writer lock */
    TAKT_WAIT_WRITE,
};

struct takt_task_state {
    int is;              /* TAKT_TASK_IS_... */
    int waits_for;       /* TAKT_WAIT_... */
    takt_id wait_object; /* the object; TAKT_ID_NONE: none */
    bool sends; /* whether it waits to send to a queue or message buffer; also false while the end
                   of the wait is on its way */
    takt_time wait_left; /* in ns until the wait ends by itself; TAKT_FOR_EVER: never, or no wait */
    uint32_t core;       /* the owner */
    unsigned priority;   /* the present one; 0: dormant */
    unsigned base_priority; /* without inherited priorities and ceilings; 0: dormant */
    unsigned activations;   /* queued until the job ends */
    unsigned wakeups;       /* that are counted */
    takt_time release;      /* the job's nominal release in ns; 0: dormant */
    takt_time execution;    /* the job's, in ns, up to its last interruption; 0: dormant */
};

/* Gives the state of a task, which may be the caller. For a task of another core the task's owner
 * answers, as in takt/task.h, "Governing tasks".
 * Context: task; owner. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null. */
takt_error takt_task_state(takt_id task, struct takt_task_state *state);

/* The state of each class of objects: the first waiting task, or TAKT_ID_NONE, and the contents.
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null. */

struct takt_semaphore_state {
    takt_id first;
    uint32_t count;
};
takt_error takt_semaphore_state(takt_id semaphore, struct takt_semaphore_state *state);

struct takt_flag_state {
    takt_id first;
    uint32_t bits;
};
takt_error takt_flag_state(takt_id flag, struct takt_flag_state *state);

struct takt_data_queue_state {
    takt_id sender, receiver; /* the first waiting ones */
    uint32_t count;           /* the number of words */
};
takt_error takt_data_queue_state(takt_id queue, struct takt_data_queue_state *state);

struct takt_priority_data_queue_state {
    takt_id sender, receiver;
    uint32_t count; /* the number of words */
};
takt_error takt_priority_data_queue_state(takt_id queue,
                                          struct takt_priority_data_queue_state *state);

struct takt_barrier_state {
    takt_id first;
    uint32_t arrived; /* the number of waiting tasks */
};
takt_error takt_barrier_state(takt_id barrier, struct takt_barrier_state *state);

struct takt_reader_writer_lock_state {
    takt_id first, writer; /* the first waiting task; the task that holds the lock for writing */
    uint32_t readers;      /* the number of tasks that hold the lock for reading */
};
takt_error takt_reader_writer_lock_state(takt_id lock, struct takt_reader_writer_lock_state *state);

struct takt_spin_lock_state {
    bool held; /* whether a core holds it */
};
takt_error takt_spin_lock_state(takt_id lock, struct takt_spin_lock_state *state);

struct takt_message_buffer_state {
    takt_id sender, receiver;
    uint32_t count;    /* the number of messages */
    size_t used, free; /* in bytes, including 8 for each message */
};
takt_error takt_message_buffer_state(takt_id buffer, struct takt_message_buffer_state *state);

struct takt_memory_pool_state {
    takt_id first;
    uint32_t free; /* the number of free blocks */
};
takt_error takt_memory_pool_state(takt_id pool, struct takt_memory_pool_state *state);

struct takt_mutex_state {
    takt_id holder, first;
};
takt_error takt_mutex_state(takt_id mutex, struct takt_mutex_state *state);

struct takt_time_event_state {
    bool started;
    takt_time left; /* in ns until the next call; TAKT_FOR_EVER: none */
    uint32_t core;  /* the core that calls it */
};
takt_error takt_cyclic_state(takt_id cyclic, struct takt_time_event_state *state);
takt_error takt_alarm_state(takt_id alarm, struct takt_time_event_state *state);

#ifdef __cplusplus
}
#endif

#endif
