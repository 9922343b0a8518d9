/* SPDX-License-Identifier: Apache-2.0 */
/* Reader-writer locks: kernel/object/reader_writer_lock.c, with the queue of kernel/object/waiters.c, kernel/task/wait.c and the
 * end of a job in kernel/task/job.c.
 *
 * Modelled: TASKS tasks, each of its own core, that take one lock ROUNDS times, each time to read or to write, with
 * or without patience (TIMEOUTS waits that are over too soon, or are released: it is the same), and give it back, by
 * themselves or as their job ends; TERMINATIONS of jobs that wait, whose next job goes on with the next round.
 * Where several may hold it together, one is woken in each section (kernel/object/served.c): by who gives it back, whose job may
 * be ended meanwhile (ENDINGS), or by interrupts of that core.
 * Asserted: many that read or one that writes; who holds it is known; at the end of each section the first that waits
 * does not fit, or somebody is about to hand the lock over, and nobody has passed it; each wait ends once, and a wake-up meets only the wait that it was meant
 * for; no job leaves a hold, nor a count of one, to the next. All ends, and then the lock is free.
 * Atomic here and there: a section under the object's lock (lock.pml), with what its core alone sees. The wake-up of
 * the task that it has unlinked is another step, interrupts disabled; a core's handlers run while its task waits or holds.
 * Left out: weak ordering, the inbox and the task's lock (inbox.pml, wait.pml), tasks of the same core, the order by
 * priority, polling, several locks, and errors of who asks for what it holds, or gives back what it does not. */
#ifdef CONFIG_FOUR_TASKS
#define TASKS 4
#define ROUNDS 1
#define TERMINATIONS 0
#else
#define TASKS 3
#define ROUNDS 2
#define TERMINATIONS 1
#endif
#define TIMEOUTS 1
#define ENDINGS 1
#define NONE TASKS

byte timeouts = TIMEOUTS, terminations = TERMINATIONS, endings = ENDINGS;
bool linked_post; /* the object's post is in an inbox; guarded by the lock */
byte hand;        /* for the assertions: who is about to hand over */
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

/* reader_writer_lock_next: hands over to the first one if it fits; `more`: so does the next. */
inline next() {
    if
    :: length > 0 && FITS(queue[0]) ->
        woken = queue[0];
        remove();
        hold(woken)
    :: else
    fi;
    more = length > 0 && FITS(queue[0])
}

/* The same, behind one that was handed it: of three tasks, one of which has given it back, only readers fit then. */
inline hold_behind(task) {
#ifdef CONFIG_FOUR_TASKS
    hold(task)
#else
    assert(!writes[task] && !holds[task] && writer == NONE);
    holds[task] = true;
    readers++
#endif
}

inline remove_only() {
#ifdef CONFIG_FOUR_TASKS
    remove()
#else
    assert(length == 1);
    linked[queue[0]] = false;
    length = 0;
    queue[0] = NONE
#endif
}

inline next_behind() {
    if
    :: length > 0 && FITS(queue[0]) -> woken = queue[0]; remove_only(); hold_behind(woken)
    :: else
    fi;
    more = length > 0 && FITS(queue[0])
}

inline next_in_interrupt() {
    if
    :: length > 0 && FITS(queue[0]) -> woken = queue[0]; remove(); hold_behind(woken)
    :: else
    fi;
    more = length > 0 && FITS(queue[0])
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
    if :: gives -> next() :: else fi;
#else
    next();
#endif
#ifdef BUG_HANDS_TO_ONE
    more = false;
#endif
    if :: more && gives -> hand++ :: more && !gives -> carry_on() :: else fi;
    assert(length == 0 || !FITS(queue[0]) || hand > 0 || linked_post)
}

inline carry_on() {
#ifndef BUG_REST_FORGOTTEN
    linked_post = true;
#endif
    more = false
}

/* wait_end_one */
inline wake_one() {
    if
    :: atomic { woken != NONE -> assert(!wake[woken]); wake[woken] = true; woken = NONE }
    :: atomic { woken == NONE -> skip }
    fi
}

inline enter() {
    assert(holds[me] && writing == 0 && (!writes[me] || reading == 0));
    if :: writes[me] -> writing++ :: else -> reading++ fi
}

proctype Task(byte me) {
    byte round = 1, place, locks, woken = NONE;
    bool was, gives, ends, more;
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
    wake_one();
    do
    :: atomic { more -> next_behind(); if :: !more -> hand-- :: else fi }
       wake_one()
    :: atomic { more && endings > 0 -> endings--; hand--; carry_on() }
    :: atomic { !more -> break }
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

/* What is left, one task an interrupt. */
proctype Interrupt() {
    byte place, woken = NONE;
    bool more;
end:
    do
    :: atomic { linked_post -> next_in_interrupt(); linked_post = more; more = false }
       wake_one()
    od
}

init {
    byte task;
    atomic { run Interrupt(); for (task : 0 .. TASKS - 1) { run Task(task) } }
    done == TASKS && !linked_post;
    assert(length == 0 && writer == NONE && readers == 0)
}
