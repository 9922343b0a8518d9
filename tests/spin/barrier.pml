/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers: kernel/barrier.c, with the queue of kernel/waiters.c and kernel/wait.c.
 *
 * Modelled: TASKS tasks, each of its own core, that meet ROUNDS times; TIMEOUTS waits that are over before all have
 * come (or released: it is the same), after which the task comes again; TERMINATIONS of jobs that wait, each with a
 * next job that comes again, or goes on if the barrier had opened for the one that was ended.
 * Asserted: the barrier opens when all have come and never before: as many wait as are counted; rounds do not mix: who
 * goes on was let go by the first opening after it came, and is woken once; a wake-up meets only the wait that it was
 * meant for; the list of those that are woken is followed to its end, though they come again meanwhile. All ends.
 * Atomic here and there: a section under the object's lock (lock.pml), with what its core alone sees. Whoever
 * opens wakes one task a step, interrupts disabled; a core's handlers run while its task waits.
 * Left out: weak ordering, the inbox and the task's lock (inbox.pml, wait.pml), tasks of the same core, polling,
 * which changes nothing unless it opens, jobs that are ended elsewhere than in the wait. */
#define TASKS 3
#define ROUNDS 3
#define TIMEOUTS 3
#define TERMINATIONS 2
#define NONE TASKS

byte timeouts = TIMEOUTS, terminations = TERMINATIONS;
bool wake[TASKS];
/* Guarded by the lock; the links of tasks that are being woken: of who wakes them. */
byte first = NONE, last = NONE, arrived;
byte next[TASKS] = NONE, previous[TASKS] = NONE;
bool linked[TASKS];
/* For the assertions alone; openings wrap after 4. */
byte opened, came[TASKS], let_go[TASKS], waiting, done;

inline join() {
    assert(!wake[me] && !linked[me]);
    previous[me] = last;
    if :: last == NONE -> first = me :: else -> next[last] = me fi;
    last = me;
    linked[me] = true;
    waiting++;
    came[me] = opened
}

inline remove() {
    if :: previous[me] == NONE -> first = next[me] :: else -> next[previous[me]] = next[me] fi;
    if :: next[me] == NONE -> last = previous[me] :: else -> previous[next[me]] = previous[me] fi;
    next[me] = NONE;
    previous[me] = NONE;
    linked[me] = false;
    waiting--
}

/* waiters_take_all */
inline take_all() {
    assert(waiting == TASKS - 1);
    opened = (opened + 1) % 4;
    list = first;
    task = first;
    do
    :: task != NONE ->
        linked[task] = false;
        previous[task] = NONE;
        let_go[task] = opened;
        waiting--;
        task = next[task]
    :: else -> break
    od;
    first = NONE;
    last = NONE;
    task = 0
}

/* wait_end_each */
inline wake_all() {
    do
    :: list != NONE ->
        task = list;
#ifndef BUG_NEXT_READ_LATE
        atomic { list = next[task]; next[task] = NONE };
#endif
        atomic { assert(!wake[task] && !linked[task]); wake[task] = true }
#ifdef BUG_NEXT_READ_LATE
        atomic { list = next[task]; next[task] = NONE };
#endif
    :: atomic { else -> task = 0; break }
    od
}

/* waiters_cancel and barrier_shrunk; `was`: it was linked. */
inline cancel() {
    was = linked[me];
#ifdef BUG_TIMEOUT_REGARDLESS
    was = true;
#endif
    if
    :: linked[me] ->
        remove();
#ifndef BUG_STILL_COUNTED
        arrived--;
#endif
        assert(arrived == waiting)
    :: else
    fi
}

proctype Task(byte me) {
    byte round = 1, list = NONE, task;
    bool is_last, was;
comes:
    atomic {
        is_last = arrived + 1 == TASKS;
        if
        :: is_last -> take_all()
        :: else ->
            join();
#ifndef BUG_COUNTED_LATE
            arrived++
#endif
        fi;
#ifndef BUG_CLEARED_LATE
        if :: is_last -> arrived = 0 :: else fi;
#endif
#if !defined(BUG_COUNTED_LATE) && !defined(BUG_CLEARED_LATE)
        assert(arrived == waiting)
#endif
    }
#ifdef BUG_COUNTED_LATE
    if :: !is_last -> arrived++ :: else fi;
#endif
    if
    :: is_last ->
        wake_all();
#ifdef BUG_CLEARED_LATE
        arrived = 0
#endif
    :: !is_last ->
        do
        :: atomic { wake[me] -> wake[me] = false; assert(let_go[me] == (came[me] + 1) % 4); break }
        :: atomic { timeouts > 0 -> timeouts--; cancel() }
            if :: was -> goto comes :: else fi /* its end is on its way */
        :: atomic { terminations > 0 -> terminations--; cancel() }
            if
            :: was -> goto comes
            :: else ->
#ifndef BUG_DROPS_WITHOUT_WAITING
                wake[me];
#endif
                atomic { wake[me] = false; assert(let_go[me] == (came[me] + 1) % 4); break }
            fi
        od
    fi;
    atomic {
        was = false;
        is_last = false;
        came[me] = 0;
        let_go[me] = 0;
        if :: round < ROUNDS -> round++; goto comes :: else -> done++ fi
    }
}

init {
    byte task;
    atomic { for (task : 0 .. TASKS - 1) { run Task(task) } }
    done == TASKS;
    assert(arrived == 0 && first == NONE && last == NONE && opened == ROUNDS % 4)
}
