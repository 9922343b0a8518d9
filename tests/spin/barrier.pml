/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, and so all objects whose waits end at once and whose tasks are woken one after the other:
 * kernel/object/barrier.c, with kernel/object/served.c, the queue of kernel/object/waiters.c, and kernel/task/wait.c.
 *
 * Modelled: TASKS tasks, each of its own core, that meet ROUNDS times at a barrier of PARTICIPANTS; waits that are
 * over before all have come (or released: it is the same), after which the task comes again or, where fewer take part
 * than there are, leaves that round out; TERMINATIONS of jobs that wait or that wake the others, each with a next job
 * that comes again, or goes on if the barrier had opened for the one that was ended. Where the job ends that wakes
 * the others, interrupts carry that on (Interrupt), whichever core each comes to.
 * Asserted: the barrier opens when all have come and never before: as many wait as are counted; rounds do not mix: who
 * goes on was let go by the first opening after it came, and is woken once; a wait that ends early ends well if the
 * barrier has opened; a wake-up meets only the wait that it was meant for. All end, so nobody is forgotten.
 * Atomic here and there: a section under the object's lock (lock.pml), with what its core alone sees. The wake-up of
 * the one task that it has unlinked is a step of its own, interrupts disabled.
 * Left out: weak ordering, the inbox and the task's lock (inbox.pml, wait.pml), the links of the queue, tasks of the
 * same core, polling, which changes nothing unless it opens. */
#define TASKS 3
#define ROUNDS 2
#define TERMINATIONS 2
#ifdef CONFIG_FEWER_TAKE_PART
#define PARTICIPANTS 2
#define TIMEOUTS 200 /* no limit */
#else
#define PARTICIPANTS TASKS
#define TIMEOUTS 2
#endif
#define NONE TASKS

byte timeouts = TIMEOUTS, terminations = TERMINATIONS;
bool wake[TASKS];
/* Guarded by the lock: those that are linked, of which the waits of the first `granted` have ended. */
byte queue[TASKS] = NONE, length, granted, waiting;
byte generation, joined[TASKS]; /* of the object, and when a task has joined; wraps after 8 */
bool linked;                    /* the object's post is in an inbox */
byte opened, came[TASKS], done; /* for the assertions alone; openings wrap after 8 */

/* The task at `place`. */
inline remove() {
    length--;
    do :: place < length -> queue[place] = queue[place + 1]; place++ :: else -> break od;
    queue[length] = NONE;
    place = 0
}

/* served_take: unlinks the first whose wait has ended. */
inline take_first() {
    if
    :: granted > 0 ->
        woken = queue[0];
        assert(!wake[woken] && (came[woken] + 1) % 8 == opened % 8 ||
               PARTICIPANTS < TASKS && came[woken] != opened);
        granted--;
        remove()
    :: else
    fi
}

/* wait_end_one: then the task has no part in the queue any more. */
inline wake_one() {
    if
    :: atomic { woken != NONE -> assert(!wake[woken]); wake[woken] = true; woken = NONE }
    :: atomic { woken == NONE -> skip }
    fi
}

/* waiters_cancel; `was`: it was linked, `well`: its wait had ended. */
inline cancel() {
    was = false;
    well = false;
    do
    :: place < length && queue[place] == me -> was = true; break
    :: place < length && queue[place] != me -> place++
    :: else -> break
    od;
    if
    :: was ->
#ifndef BUG_TIMEOUT_OF_WHO_WAS_LET_GO
        well = joined[me] != generation;
#endif
        assert((place < granted) == (joined[me] != generation));
#ifndef BUG_STILL_COUNTED
        if :: place < granted -> granted-- :: else -> waiting-- fi;
#else
        if :: place < granted -> granted-- :: else fi;
#endif
        remove();
        assert(waiting == length - granted)
    :: else -> place = 0
    fi
}

/* served_carry_on */
#ifdef BUG_REST_FORGOTTEN
#define CARRY_ON
#else
#define CARRY_ON linked = true
#endif

proctype Task(byte me) {
    byte round = 1, place, woken = NONE;
    bool is_last, was, well;
comes:
    atomic {
        is_last = waiting + 1 == PARTICIPANTS;
        if
        :: is_last ->
            assert(length - granted == PARTICIPANTS - 1);
            opened = (opened + 1) % 8;
            granted = length;
#ifndef BUG_SAME_GENERATION
            generation = (generation + 1) % 8;
#endif
            waiting = 0;
            take_first()
        :: else ->
            assert(!wake[me]);
            queue[length] = me;
            length++;
            waiting++;
            joined[me] = generation;
            came[me] = opened
        fi
    }
    if
    :: is_last ->
        wake_one();
        do
        :: atomic { granted > 0 -> take_first() }
           wake_one()
        :: atomic { granted == 0 -> break }
        :: atomic { terminations > 0 && granted > 0 -> terminations--; CARRY_ON; break }
        od
    :: !is_last ->
        do
        :: atomic { wake[me] -> wake[me] = false; break }
        :: atomic {
            timeouts > 0 && !wake[me] ->
                if :: timeouts < 100 -> timeouts-- :: else fi;
                cancel()
           }
           if
           :: was && well -> break
#if PARTICIPANTS < TASKS
           :: was && !well -> break
#else
           :: was && !well -> goto comes
#endif
           :: else /* its end is on its way */
           fi
        :: atomic { terminations > 0 -> terminations--; cancel() }
           if
           :: was && well -> break
           :: was && !well -> goto comes
           :: else ->
#ifndef BUG_DROPS_WITHOUT_WAITING
               wake[me];
#endif
               wake[me] = false;
               break
           fi
        od
    fi;
    atomic {
        was = false; well = false; is_last = false;
        if :: round < ROUNDS -> round++; goto comes :: else -> done++ fi
    }
}

/* What is left, one task an interrupt. */
proctype Interrupt() {
    byte place, woken = NONE;
end:
    do
    :: atomic { linked -> take_first(); linked = granted > 0 }
       wake_one()
    od
}

init {
    byte task;
    atomic { run Interrupt(); for (task : 0 .. TASKS - 1) { run Task(task) } }
    done == TASKS && !linked;
    assert(waiting == 0 && length == 0 && granted == 0)
}
