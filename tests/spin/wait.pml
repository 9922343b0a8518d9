/* SPDX-License-Identifier: Apache-2.0 */
/* How a wait ends: kernel/task/{wait,task,control}.c, kernel/object/{waiters,semaphore}.c.
 *
 * Modelled: a task with JOBS jobs that each wait once, for a semaphore or (CONFIG_SLEEP) asleep, with
 * a timeout or for ever; two cores that signal, one of them twice; on the owner's core, at any
 * moment with interrupts enabled: the timeout, the inbox, an order to release, orders to terminate.
 * Asserted: each wait ends once; a wake-up and a timer reach only the wait they were meant for,
 * never that of the next job; no signal is lost: each is still counted, has ended a wait, or was for
 * a job that was ended; who waits in the end is linked, and nothing is there to be had.
 * Atomic here and there: what the owner's core does with interrupts disabled excludes its
 * handlers, but not other cores: their steps come between. Sections under a lock exclude only that lock.
 * A section of which others see nothing until its lock is given back is one step, if that is free.
 * The inbox has this one block, so its exchange is a flag (inbox.pml has the whole). The spin
 * of wait_drop is a condition: a turn that finds no request changes nothing. Locks are mutexes (lock.pml).
 * Left out: weak ordering, several waiting tasks, suspension, change of priority. */
#define JOBS 3
#define TERMINATIONS 2

mtype = { DORMANT, READY, WAITING };

bool object_lock, task_lock;
#ifdef CONFIG_SLEEP /* `sleeping` and `wakeups`, guarded by the task's own lock */
#define QUEUE_LOCK task_lock
#else
#define QUEUE_LOCK object_lock
#endif

/* Of the owner's core. */
bool interrupts_off, in_handler, interrupt, inbox;
mtype state = READY;
byte jobs = JOBS - 1;
bool ended; /* the job: the task's code begins anew */
bool timer;
/* Guarded by locks. */
bool wait_linked, linked, wake;
byte count;
/* For the assertions alone. */
byte wait, wake_for, timer_for;
bool wait_open;
byte given, got, dropped;

inline acquire(lock) { atomic { !lock -> lock = true } }
inline release(lock) { lock = false }

inline end_wait() { atomic { assert(wait_open && state == WAITING); wait_open = false } }

inline begin_next() {
#ifdef CONFIG_SLEEP
    atomic { !task_lock -> dropped = dropped + count; count = 0 }
#endif
    atomic { if :: jobs > 0 -> jobs--; state = READY :: else -> state = DORMANT fi }
}

proctype Task() provided (!in_handler) {
    bool waits;
end:
    do
    :: atomic { state == READY -> ended = false; interrupts_off = true }
        {
            atomic { !QUEUE_LOCK ->
                if :: count > 0 -> count--; got++; waits = false :: else -> waits = true fi
#ifdef BUG_LOST_WAKE
            }
            atomic { !QUEUE_LOCK ->
#endif
                if :: waits -> wait_linked = true; wait++; wait_open = true :: else fi
            }
            if
            :: waits ->
                atomic {
                    if :: timer = true; timer_for = wait :: skip fi;
                    state = WAITING;
                    interrupts_off = false /* dispatches another */
                }
end_or_waits:   atomic { state == READY -> interrupts_off = true }
            :: else
            fi;
            begin_next();
            atomic { waits = false; interrupts_off = false }
        } unless { ended }
    od
}

proctype Signaller(byte signals) {
    byte round, whose;
    bool links;
    for (round : 1 .. signals) {
        acquire(QUEUE_LOCK);
        given++;
        if
        :: wait_linked ->
#ifndef BUG_UNLINKS_OUTSIDE
            wait_linked = false;
#endif
            whose = wait
        :: else -> count++
        fi;
        release(QUEUE_LOCK);
        if
        :: whose != 0 ->
#ifdef BUG_UNLINKS_OUTSIDE
            wait_linked = false;
#endif
            acquire(task_lock);
            atomic { assert(!wake); wake = true; wake_for = whose }
            links = !linked;
            linked = true;
            release(task_lock);
            if :: links -> atomic { inbox = true; interrupt = true } :: else fi
        :: else
        fi;
        atomic { whose = 0; links = false }
    }
}

/* wait_cancel */
inline cancel(was) {
    atomic { !QUEUE_LOCK -> was = wait_linked; wait_linked = false }
}

inline end_here() {
    end_wait();
#ifndef BUG_TIMER_RUNS_ON
    timer = false;
#endif
    state = READY
}

inline answer(was) {
    interrupt = false;
    atomic { was = inbox; inbox = false }
    if
    :: was ->
        atomic { !task_lock -> was = wake; wake = false; linked = false }
        if
        :: was -> atomic { assert(wake_for == wait); got++ } end_here()
        :: else
        fi
    :: else
    fi
}

inline expire(was) {
    timer = false;
    assert(state == WAITING && timer_for == wait);
    cancel(was);
#ifdef BUG_TIMEOUT_REGARDLESS
    was = true;
#endif
    if :: was -> end_here() :: else fi
}

inline release_wait(was) {
    if
    :: state == WAITING ->
        cancel(was);
        if :: was -> end_here() :: else fi
    :: else
    fi
}

inline drop(was) {
    timer = false;
    cancel(was);
#ifndef BUG_NOTHING_DROPPED
    if
    :: !was ->
#ifndef BUG_DROPS_WITHOUT_WAITING
        wake;
#endif
        atomic { !task_lock -> if :: wake -> wake = false; dropped++ :: else fi }
    :: else
    fi;
#endif
    end_wait()
}

inline terminate(was) {
    if
    :: state != DORMANT ->
        if :: state == WAITING -> drop(was) :: else fi;
        ended = true;
        begin_next()
    :: else
    fi
}

inline leave(was) { atomic { was = false; in_handler = false } }

proctype Handlers() {
    bool was;
    byte terminations = TERMINATIONS, releases = 1;
end:
    do
    :: atomic { interrupt && !interrupts_off -> in_handler = true }
        answer(was);
        leave(was)
    :: atomic { timer && !interrupts_off -> in_handler = true }
        expire(was);
        leave(was)
    :: atomic { releases > 0 && !interrupts_off -> in_handler = true; releases-- }
        release_wait(was);
        leave(was)
    :: atomic { terminations > 0 && !interrupts_off -> in_handler = true; terminations-- }
        terminate(was);
        leave(was)
    od
}

init {
    atomic { run Handlers(); run Task(); run Signaller(2); run Signaller(1) }
    timeout;
    assert(given == 3 && given == count + got + dropped);
    assert(!wake && !linked && !interrupts_off);
    assert(state == DORMANT || (state == WAITING && wait_linked && count == 0 && !timer))
}
