/* SPDX-License-Identifier: Apache-2.0 */
/* Activation and completion: kernel/task/job.c.
 *
 * Modelled: a task with room for PLACES waiting activations; two other cores and its own core activate it
 * CALLS times each; jobs run at any pace, and TERMINATIONS of them are ended.
 * Asserted: each activation that succeeds is exactly one job, in the order of the successes, with its
 * own release time (its number here); START is never posted twice, nor met by a task that has a job;
 * in the end the task is dormant and inactive and nothing waits;
 * whoever has activated the task and then ends it finds its job, if START is on its way as well.
 * Atomic here and there: the owner's core with interrupts disabled excludes its own handlers, not other
 * cores. Sections under the task's lock exclude that lock alone; those of which others see nothing
 * until it is given back are one step, if it is free. The inbox has this one block
 * (inbox.pml has the whole). Locks are mutexes (lock.pml).
 * Left out: weak ordering, releases held back for their separation, cancelled activations. */
#define PLACES 2
#define CALLS 2
#define TERMINATIONS 1

mtype = { DORMANT, READY };

/* Of the owner's core. */
bool interrupts_off, in_handler, interrupt, inbox;
mtype state = DORMANT;
bool ended;
/* Guarded by the lock; `has_job` is the code's `active`. */
bool lock, has_job, start, linked;
byte start_release, ring[PLACES], ring_first, ring_count;
/* For the assertions alone. */
byte accepted, refused, begun, own;

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }

inline begin(number) {
    atomic { assert(state == DORMANT && number == begun); begun++; state = READY }
}

/* job_request, in parts; with the lock held: */
inline claim(number) {
#ifndef BUG_ACTIVE_AFTER_RELEASE
    has_job = true;
#endif
    atomic { number = accepted; accepted++ }
}

inline post_start_and_release(number, links) {
#ifndef BUG_RELEASE_TIME_AFTER_POST
    start_release = number;
#endif
    links = !linked;
    atomic { assert(!start); start = true }
    linked = true;
    release();
    if :: links -> atomic { inbox = true; interrupt = true } :: else fi;
#ifdef BUG_RELEASE_TIME_AFTER_POST
    start_release = number;
#endif
}

inline queue_and_release(place, success) {
    if
    :: ring_count < PLACES ->
        atomic {
            place = ring_first + ring_count;
            ring_count++;
#ifdef BUG_RING
            place = ring_count - 1;
#endif
            ring[(place < PLACES -> place : place - PLACES)] = accepted;
            accepted++;
            success = true
        }
    :: else -> refused++; success = false
    fi;
    release()
}

/* take_queued, then job_begin */
inline begin_next(number, found) {
    state = DORMANT;
    atomic { !lock -> found = ring_count > 0;
#ifdef BUG_CLEARED_LATER
    }
    atomic { !lock ->
#endif
        if
        :: found ->
            number = ring[ring_first];
            ring_first = (ring_first + 1 < PLACES -> ring_first + 1 : 0);
            ring_count--
        :: else -> has_job = false
        fi
    }
    if :: found -> begin(number) :: else fi
}

proctype Task() provided (!in_handler) {
    byte number;
    bool found;
end:
    do
    :: atomic { state == READY -> ended = false }
        {
            interrupts_off = true; /* the job ends */
            begin_next(number, found);
            atomic { number = 0; found = false; interrupts_off = false }
        } unless { ended }
    od
}

proctype Remote() {
    byte call, number, place;
    bool links;
    for (call : 1 .. CALLS) {
        acquire();
        if
        :: !has_job ->
            claim(number);
            post_start_and_release(number, links);
#ifdef BUG_ACTIVE_AFTER_RELEASE
            has_job = true;
#endif
        :: else -> queue_and_release(place, links)
        fi;
        atomic { number = 0; place = 0; links = false }
    }
}

inline answer(number, found) {
    interrupt = false;
    atomic { found = inbox; inbox = false }
    if
    :: found ->
        atomic { !lock -> found = start; number = start_release; start = false; linked = false }
        if :: found -> begin(number) :: else fi
    :: else
    fi
}

inline terminate(number, found) {
#ifndef BUG_START_LEFT
    /* remote_call_stays_here */
    if
    :: state == READY
    :: else ->
        atomic { !lock -> found = start; number = start_release; start = false }
        if :: found -> begin(number) :: else fi
    fi;
#endif
    if
    :: state == READY ->
        ended = true;
        begin_next(number, found)
    :: else -> assert(begun >= own)
    fi
}

inline leave() { atomic { number = 0; place = 0; found = false; in_handler = false } }

/* Of the owner's core: the inbox, and another task or a timer that activates and ends. */
proctype Handlers() {
    byte number, place, calls = CALLS, terminations = TERMINATIONS;
    bool found;
end:
    do
    :: atomic { interrupt && !interrupts_off -> in_handler = true }
        answer(number, found);
        leave()
    :: atomic { calls > 0 && !interrupts_off -> in_handler = true; calls-- }
        acquire();
        if
        :: !has_job ->
            claim(number);
            own = accepted;
            release();
            begin(number)
        :: else ->
            own = (ring_count < PLACES -> accepted + 1 : own);
            queue_and_release(place, found)
        fi;
        leave()
    :: atomic { terminations > 0 && !interrupts_off -> in_handler = true; terminations-- }
        terminate(number, found);
        leave()
    od
}

init {
    atomic { run Handlers(); run Task(); run Remote(); run Remote() }
    timeout;
    assert(accepted == begun && accepted + refused <= 3 * CALLS);
    assert(state == DORMANT && !has_job && !start && !linked && ring_count == 0)
}
