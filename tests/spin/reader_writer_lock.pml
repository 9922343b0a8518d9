/* SPDX-License-Identifier: Apache-2.0 */
/* Reader-writer locks: kernel/reader_writer_lock.c, with the queue of kernel/waiters.c, kernel/wait.c and the
 * end of a job in kernel/job.c.
 *
 * Modelled: TASKS tasks, each of its own core, that take one lock ROUNDS times, each time to read or to write, with
 * or without patience (TIMEOUTS waits that are over too soon, or are released: it is the same), and give it back, by
 * themselves or as their job ends; TERMINATIONS of jobs that wait, whose next job goes on with the next round.
 * Asserted: many that read or one that writes; who holds it is known; at the end of each section the first that waits
 * does not fit, and nobody has passed it; each wait ends once, and a wake-up meets only the wait that it was meant
 * for; no job leaves a hold, nor a count of one, to the next. All ends, and then the lock is free.
 * Atomic here and there: a section under the object's lock (lock.pml), with what its core alone sees. Whoever
 * hands over wakes one task a step, interrupts disabled; a core's handlers run while its task waits or holds.
 * Left out: weak ordering, the inbox and the task's lock (inbox.pml, wait.pml), tasks of the same core, the order by
 * priority, polling, several locks, and errors of who asks for what it holds, or gives back what it does not. */
#ifdef CONFIG_FOUR_TASKS
#define TASKS 4
#define ROUNDS 1
#define TERMINATIONS 1
#else
#define TASKS 3
#define ROUNDS 2
#define TERMINATIONS 2
#endif
#define TIMEOUTS 1
#define NONE TASKS

byte timeouts = TIMEOUTS, terminations = TERMINATIONS;
bool wake[TASKS], writes[TASKS]; /* wait_mode */
/* Guarded by the lock. */
byte queue[TASKS] = NONE, length;
bool linked[TASKS], holds[TASKS];
byte writer = NONE, readers;
/* For the assertions alone. */
byte reading, writing, done;

#ifdef BUG_WRITES_BESIDE_READERS
#define FITS(task) (writer == NONE)
#else
#define FITS(task) (writer == NONE && (!writes[task] || readers == 0))
#endif

inline hold(task) {
    assert(!holds[task] && writer == NONE && (!writes[task] || readers == 0));
    holds[task] = true;
    if :: writes[task] -> writer = task :: else -> readers++ fi
}

/* The task at `place`. */
inline remove() {
    linked[queue[place]] = false;
    length--;
    do :: place < length -> queue[place] = queue[place + 1]; place++ :: else -> break od;
    queue[length] = NONE;
    place = 0
}

/* reader_writer_lock_shrunk: hands over to the first ones as long as they fit. */
inline shrunk() {
    do
    :: length > 0 && FITS(queue[0]) ->
        task = queue[0];
        remove();
        hold(task);
        woken[task] = true;
#ifdef BUG_HANDS_TO_ONE
        break
#endif
    :: else -> break
    od;
    task = 0
}

inline take_or_join() {
    assert(!wake[me] && !linked[me] && !holds[me]);
    if
#ifdef BUG_READERS_PASS
    :: FITS(me) ->
#else
    :: FITS(me) && length == 0 ->
#endif
        assert(length == 0);
        hold(me)
    :: else ->
        queue[length] = me;
        length++;
        linked[me] = true
    fi
}

/* give_back, if the job is `inside` or has ended, else waiters_cancel; `was`: it was linked. */
inline section() {
    was = linked[me];
    if
    :: was -> do :: queue[place] != me -> place++ :: else -> break od; remove()
    :: !was && gives && holds[me] ->
        holds[me] = false;
        if :: writer == me -> writer = NONE :: else -> readers-- fi
    :: else
    fi;
#ifdef BUG_LEAVES_WITHOUT_A_LOOK
    if :: gives -> shrunk() :: else fi;
#else
    shrunk();
#endif
    assert(length == 0 || !FITS(queue[0]))
}

/* One step of wait_end_each. */
inline wake_next() {
    if :: woken[task] -> assert(!wake[task]); wake[task] = true; woken[task] = false :: else fi;
    do :: task < TASKS && !woken[task] -> task++ :: else -> break od
}

inline enter() {
    assert(holds[me] && writing == 0 && (!writes[me] || reading == 0));
    if :: writes[me] -> writing++ :: else -> reading++ fi
}

proctype Task(byte me) {
    byte round = 1, task, place, locks;
    bool was, gives, ends, woken[TASKS];
takes:
    atomic {
        if :: writes[me] = true :: writes[me] = false fi;
        take_or_join();
        locks = 1;
        if :: holds[me] -> goto inside :: else fi
#ifdef BUG_COUNTED_LATE
        locks = 0
#endif
    }
waits:
    if
    :: atomic { wake[me] -> wake[me] = false; locks = 1 }
    :: atomic { timeouts > 0 -> timeouts--; goto leaves }
    :: atomic { terminations > 0 -> terminations--; ends = true; goto leaves }
    fi;
inside:
    atomic { enter() }
    atomic {
        if :: writes[me] -> writing-- :: else -> reading-- fi;
        gives = true
    }
leaves:
    atomic { section() }
    do
    :: atomic { task < TASKS -> wake_next() }
    :: atomic { task == TASKS -> task = 0; break }
    od;
    if
    :: gives || was
    :: !gives && !was && !ends -> goto waits /* its end is on its way */
    :: !gives && !was && ends ->
#ifndef BUG_DROPS_WITHOUT_WAITING
        wake[me]; /* wait_drop */
#endif
        atomic { wake[me] = false; if :: locks != 0 -> gives = true; goto leaves :: else fi }
    fi;
    atomic {
        locks = 0; gives = false; ends = false; was = false;
        assert(!holds[me] && !linked[me] && !wake[me]);
        if :: round < ROUNDS -> round++; goto takes :: else -> done++ fi
    }
}

init {
    byte task;
    atomic { for (task : 0 .. TASKS - 1) { run Task(task) } }
    done == TASKS;
    assert(length == 0 && writer == NONE && readers == 0)
}
