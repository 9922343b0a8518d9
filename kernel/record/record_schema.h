/* SPDX-License-Identifier: Apache-2.0 */
/* The record: what the kernel leaves in memory for the host to read.
 *
 * Made from the tables in host/record/src by `cargo run -p takt-record --example generate`: change
 * these, not this file. No structure has padding, the byte order is little endian. */
#ifndef TAKT_RECORD_SCHEMA_H
#define TAKT_RECORD_SCHEMA_H

/* clang-format off */
#include <stdint.h>

#define TAKT_RECORD_MAGIC UINT64_C(0x00434552544b4154)
#define TAKT_RECORD_VERSION 13u
#define TAKT_RECORD_REFUSALS 8u
/* The places of a job that is not finished: the next instruction, then the calls that led there, from the inside:
 * offsets from takt_text_start, of a call that of its last byte; ended by 0. */
#define TAKT_RECORD_PLACES 7u

enum takt_record_outcome {
    TAKT_RECORD_RUNNING = 0, /* has not ended */
    TAKT_RECORD_SHUTDOWN = 1, /* takt_system_shutdown was called, or the run's time was over */
    TAKT_RECORD_PANIC = 2, /* the kernel stopped itself; see the message */
};

enum takt_record_state {
    TAKT_STATE_UNKNOWN = 0, /* the machine ended with a panic */
    TAKT_STATE_DORMANT = 1, /* there is no job */
    TAKT_STATE_HELD_BACK = 2, /* the job begins when the separation is over */
    TAKT_STATE_READY = 3, /* another task runs, or the wake-up or activation is on its way */
    TAKT_STATE_RUNNING = 4,
    TAKT_STATE_WAITING = 5,
    TAKT_STATE_SUSPENDED = 6, /* another task has suspended it, and it waits for nothing else */
    TAKT_STATE_SPINNING = 7, /* for a mutex of several cores */
    TAKT_STATE_ENDING = 8, /* it called takt_system_shutdown */
};

enum takt_record_object {
    TAKT_OBJECT_NONE = 0, /* a sleep or a delay */
    TAKT_OBJECT_SEMAPHORE = 1,
    TAKT_OBJECT_FLAG = 2,
    TAKT_OBJECT_DATA_QUEUE = 3,
    TAKT_OBJECT_MESSAGE_BUFFER = 4,
    TAKT_OBJECT_MEMORY_POOL = 5,
    TAKT_OBJECT_MUTEX = 6,
    TAKT_OBJECT_PRIORITY_DATA_QUEUE = 7,
    TAKT_OBJECT_BARRIER = 8,
    TAKT_OBJECT_READ = 9, /* a reader-writer lock, to read */
    TAKT_OBJECT_WRITE = 10, /* a reader-writer lock, to write */
    TAKT_OBJECT_SPIN_LOCK = 11, /* nobody waits, but a core spins */
};
/* Applies a macro to the name of each class. */
#define TAKT_OBJECT_CLASSES(use) use(SEMAPHORE) use(FLAG) use(DATA_QUEUE) use(MESSAGE_BUFFER) use(MEMORY_POOL) use(MUTEX) use(PRIORITY_DATA_QUEUE) use(BARRIER) use(READ) use(WRITE) use(SPIN_LOCK)

enum takt_record_handler {
    TAKT_HANDLER_CYCLIC = 0,
    TAKT_HANDLER_ALARM = 1,
    TAKT_HANDLER_OVERRUN = 2, /* the ID is the task's */
    TAKT_HANDLER_DEADLINE = 3, /* the ID is the task's */
};

enum takt_record_ended {
    TAKT_ENDED_AWAKE = 0, /* it did not wait */
    TAKT_ENDED_WAITING = 1, /* it waited, and left the queue by that */
    TAKT_ENDED_WOKEN = 2, /* it waited, and its wake-up was on the way: that is dropped */
};

enum takt_record_event_kind {
    TAKT_EVENT_NONE = 0, /* an entry never written */
    TAKT_EVENT_RELEASE = 1, /* a job is ready; value: low half of the nominal release in ns */
    TAKT_EVENT_DISPATCH = 2, /* the task runs from here; none: the core idles */
    TAKT_EVENT_PREEMPT = 3, /* the task is ready but another runs */
    TAKT_EVENT_WAIT = 4, /* the task waits; value: class << 24 | turn << 16 | id; class: takt_record_object; turn: in which it joined the queue; id: of the object */
    TAKT_EVENT_WAKE = 5, /* the task is ready again; value: turn << 16 | result; turn: in which it left the object's queue; result: of the wait, without its sign */
    TAKT_EVENT_COMPLETE = 6, /* the job is done; value: response in ns, at most 2^32 - 1 */
    TAKT_EVENT_MISS = 7, /* the job ended after its deadline */
    TAKT_EVENT_LOSS = 8, /* a release found the queue full */
    TAKT_EVENT_HOLD_BACK = 9, /* a sporadic activation came too early; value: by how many ns, at most 2^32 - 1 */
    TAKT_EVENT_TIMER = 10, /* timer interrupt */
    TAKT_EVENT_IPI = 11, /* inter-processor interrupt */
    TAKT_EVENT_RESUME = 12, /* the interrupt is over, and the interrupted task (0: the idle loop) goes on; value: ID of the interrupt whose service routine goes on, 0: none */
    TAKT_EVENT_POST = 13, /* another core is requested to start the task or to wake it; value: 1 to start, 2 to wake */
    TAKT_EVENT_LOCK_WAIT = 14, /* the core waits for a lock of the kernel; value: ticks, at least 1; 0: it still waits */
    TAKT_EVENT_SUSPEND = 15, /* the task is suspended, whatever its state */
    TAKT_EVENT_UNSUSPEND = 16, /* the task is no longer suspended */
    TAKT_EVENT_PRIORITY = 17, /* the task's priority, or its place among tasks of its priority, has changed; value: turn << 16 | first << 9 | moved << 8 | priority; turn: if it moved: in which it joined the queue again; it left in the turn before; first: whether it is now the first of its priority; moved: whether it moved in an object's queue; priority: the new priority */
    TAKT_EVENT_TERMINATE = 18, /* the task's job was ended before it completed; value: turn << 16 | ended; turn: in which it left the object's queue; ended: takt_record_ended */
    TAKT_EVENT_HANDLER = 19, /* a handler of the application begins; value: kind << 24 | id; kind: takt_record_handler; id: of the handler, or of the task that it belongs to */
    TAKT_EVENT_HANDLER_END = 20, /* a handler of the application has returned; value: kind << 24 | id; kind: takt_record_handler; id: of the handler, or of the task that it belongs to */
    TAKT_EVENT_OVERRUN = 21, /* the job has executed longer than its budget; value: whether the job is ended because of it */
    TAKT_EVENT_DEADLINE = 22, /* the deadline has passed, the job has not ended, and its handler is called */
    TAKT_EVENT_MUTEX_LOCK = 23, /* the task has locked a mutex; value: ID of the mutex */
    TAKT_EVENT_MUTEX_UNLOCK = 24, /* the task has unlocked a mutex; value: ID of the mutex */
    TAKT_EVENT_DISPATCH_DISABLE = 25, /* the task has disabled dispatch: it runs on, whatever becomes ready */
    TAKT_EVENT_DISPATCH_ENABLE = 26, /* the task has enabled dispatch */
    TAKT_EVENT_TAKE = 27, /* the task (0: a handler) has taken from an object without waiting; value: class << 24 | turn << 16 | id; class: takt_record_object; turn: of the change; id: of the object */
    TAKT_EVENT_GIVE = 28, /* the task (0: a handler) has given to an object for which no task waited; value: class << 24 | turn << 16 | id; class: takt_record_object; turn: of the change; id: of the object */
    TAKT_EVENT_QUEUE = 29, /* an activation of the task is queued until its job ends */
    TAKT_EVENT_UNQUEUE = 30, /* activations of the task have left its queue; value: the number of activations */
    TAKT_EVENT_INTERRUPT = 31, /* the service routine of a device's interrupt begins; value: ID of the interrupt */
    TAKT_EVENT_INTERRUPT_END = 32, /* the service routine of a device's interrupt has returned; value: ID of the interrupt */
    TAKT_EVENT_MIGRATE = 33, /* the task departs for another core; value: number of the other core */
    TAKT_EVENT_ARRIVE = 34, /* the task has arrived at this core, in the state in which it left the other */
    TAKT_EVENT_THROTTLE = 35, /* the core has used up a budget of memory traffic while the task ran, and idles from here unless the task has disabled dispatch; value: whether the budget of lines written is spent, and not that of lines read */
    TAKT_EVENT_REPLENISH = 36, /* a regulation period begins, and the core runs tasks again */
    TAKT_EVENT_WINDOW = 37, /* the core runs the tasks of another partition from here on; value: 1 + index of the partition whose window opens, 0: none is open */
    TAKT_EVENT_HEALTH = 38, /* the health monitor has seen an error of a partition's task, and acts; value: error << 8 | action; error: 0 memory_violation, 1 stack_overflow, 2 illegal_request, 3 application_error; action: 0 restart_task, 1 stop_task, 2 restart_warm, 3 restart_cold, 4 stop_partition, 5 shutdown */
    TAKT_EVENT_RESTART = 39, /* the partition of the task has been stopped and starts again: none of its tasks has a job, and its objects are as at first; value: whether its variables have their initial values again */
};

/* What the record is, and how the run ended. */
struct takt_record_header {
    uint64_t magic; /* TAKT_RECORD_MAGIC */
    uint32_t version; /* TAKT_RECORD_VERSION */
    uint32_t header_size; /* bytes of this structure */
    uint8_t build_id[20]; /* the image's GNU build ID (SHA-1) */
    uint32_t outcome; /* takt_record_outcome */
    uint32_t code; /* of the shutdown: what the run's exit status becomes */
    uint32_t core_count;
    uint32_t task_count;
    uint32_t task_size; /* bytes of one takt_record_task */
    uint32_t event_size; /* bytes of one takt_record_event */
    uint32_t event_capacity; /* events in each core's ring */
    uint32_t tasks_offset; /* from the record's start, as are all offsets */
    uint32_t cores_offset;
    uint32_t core_stride; /* bytes from one core's block to the next */
    uint32_t interrupt_count;
    uint64_t total_size; /* bytes of the whole record */
    uint64_t clock_hz; /* ticks a second of every time in ticks */
    uint64_t epoch; /* ticks: time 0 of the system */
    uint64_t now; /* ticks: a sign of life, written by the console core */
    uint64_t end; /* ticks at which the machine stopped */
    uint8_t message[160]; /* of a panic, zero-terminated */
    uint32_t interrupt_size; /* bytes of one takt_record_interrupt */
    uint32_t interrupts_offset;
    uint32_t limit_count; /* assumptions that are measured */
    uint32_t limit_size; /* bytes of one takt_record_limit */
    uint32_t limits_offset;
    uint32_t refusal_size; /* bytes of one takt_record_refusal */
};
_Static_assert(sizeof(struct takt_record_header) == 304, "padding in the record");

/* Figures of one task, written by its core only. Times in nanoseconds. */
struct takt_record_task {
    uint64_t jobs; /* completed */
    uint64_t misses; /* jobs that ended, or stood at the end, past their deadline */
    uint64_t losses; /* releases of a periodic task that found its queue full */
    uint64_t refused; /* activations answered with TAKT_E_QOVR */
    uint64_t held_back; /* activations of a sporadic task that came too early */
    uint64_t undeclared_waits; /* waits that the description does not name */
    uint64_t response_min; /* from nominal release to completion */
    uint64_t response_max;
    uint64_t response_sum; /* divided by jobs: the mean */
    uint64_t execution_max; /* longest execution of a job that has ended, or stands at the end; preemptions and spins for mutexes excluded */
    uint64_t execution_sum;
    uint64_t overruns; /* jobs that executed longer than their budget */
    uint64_t stopped; /* jobs that were ended for that */
    uint64_t stack_used; /* bytes, deepest seen at the end of the run */
    uint64_t held_back_max; /* ns: the longest that one of held_back waited */
    uint64_t execution_surely; /* the longest execution without what may be the kernel's: ways into interrupts and out of them; 0 where no task has a deadline */
    uint64_t release; /* ns: nominal release of the last job; all ones: there was none */
    uint64_t until; /* ns: when the job's wait ends at the latest; 0: never */
    uint64_t execution; /* ns: of the job that is not finished */
    uint32_t state; /* takt_record_state at the end; not after a panic, as all from here */
    uint32_t wait; /* what the job waits for, as the value of a wait event, without turn */
    uint32_t holder; /* ID of a task that holds that; 0: nobody, or not known */
    uint32_t places[7]; /* see TAKT_RECORD_PLACES */
};
_Static_assert(sizeof(struct takt_record_task) == 192, "padding in the record");

/* Figures of one interrupt of a device, written by the core that it is delivered to: a line of its cache. */
struct takt_record_interrupt {
    uint64_t count; /* calls of its service routine */
    uint64_t distance_min; /* ns from the begin of one call to that of the next; 0: no two */
    uint64_t execution_max; /* ns: longest call, without what interrupted it */
    uint64_t execution_surely; /* ns: the longest without what may be the kernel's: ways into interrupts and out of them */
    uint32_t unused[8];
};
_Static_assert(sizeof(struct takt_record_interrupt) == 64, "padding in the record");

/* A measured assumption of the description, in the configurator's order; written by the core of whom it is assumed: a line of its cache. */
struct takt_record_limit {
    uint64_t worst; /* ticks, ns or a count: the greatest, of a separation the least; 0: none yet */
    uint32_t unused[14];
};
_Static_assert(sizeof(struct takt_record_limit) == 64, "padding in the record");

/* Figures of one core, written by that core only. */
struct takt_record_core {
    uint64_t hart; /* number of the hart that is this core */
    uint64_t events; /* written since the start; the ring holds the last ones */
    uint64_t events_dropped; /* overwritten in the ring */
    uint64_t console_dropped; /* bytes that found the console's ring full */
    uint64_t idle; /* ticks spent without a task to run */
    uint64_t interrupts; /* interrupts taken */
    uint64_t refusals_dropped; /* refused calls that found no free entry */
};
_Static_assert(sizeof(struct takt_record_core) == 56, "padding in the record");

/* Calls of one service that were refused to one task with one error; behind the core's figures, TAKT_RECORD_REFUSALS of them. */
struct takt_record_refusal {
    uint64_t count; /* 0: an entry never written */
    uint32_t task; /* ID of the task, 0: a handler or hook */
    uint32_t error; /* the error without its sign */
    uint64_t function; /* where the kernel has the next field: what it compares */
    uint8_t service[40]; /* the service's C function, zero-terminated */
};
_Static_assert(sizeof(struct takt_record_refusal) == 64, "padding in the record");

/* One entry of a core's ring. */
struct takt_record_event {
    uint64_t time; /* ticks */
    uint16_t kind; /* takt_record_event_kind */
    uint16_t task; /* ID of the task, 0: none */
    uint32_t value; /* see the kind */
};
_Static_assert(sizeof(struct takt_record_event) == 16, "padding in the record");

#endif
