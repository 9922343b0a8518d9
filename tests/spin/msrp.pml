/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes of several cores: kernel/object/mutex_msrp.c, with timeouts and orders to end who holds or spins.
 *
 * Modelled: CORES cores with a task each, that locks one mutex ROUNDS times, each time with or without
 * patience; an order to end one of them, at any moment.
 * Asserted: one holder at a time; who spins is in the queue or is handed the mutex, and leaves with it or
 * without it, as the queue says; nobody is ended while it holds or spins; the order is answered; all end
 * (no invalid end state), and then the mutex is free and nobody in its queue.
 * Atomic here and there: a section under the object's lock (lock.pml has that), together with what its core
 * does before with interrupts disabled, which only its own handler could see. The word that a task spins on
 * is written in a step of its own, as in the code. A spin is a condition that blocks.
 * Left out: weak ordering; several tasks of a core; FIFO order (the queue's functions are those of all
 * objects); the inbox, by which the order comes (orders.pml). */
#define CORES 3
#define ROUNDS 2
#define NONE 9

byte holder = NONE, queue[CORES] = NONE, waiting;
bool linked[CORES], spins[CORES], dispatch_off[CORES], ending[CORES], over[CORES];
byte holders, done; /* for the assertions alone */

inline join(who) {
    queue[waiting] = who;
    waiting++;
    linked[who] = true
}

inline unlink_first(who) {
    who = queue[0];
    queue[0] = queue[1];
    queue[1] = NONE;
    waiting--;
    linked[who] = false
}

inline unlink(who) {
    if
    :: queue[0] == who -> queue[0] = queue[1]
    :: else -> assert(queue[1] == who) /* one of the three holds */
    fi;
    queue[1] = NONE;
    waiting--;
    linked[who] = false
}

/* keep_core, take */
inline lock(me) {
#ifdef BUG_KEEP_LATE
    atomic { if :: over[me] -> goto ended :: else fi };
    atomic {
#else
    atomic {
        if :: over[me] -> goto ended :: else fi;
        dispatch_off[me] = true;
#endif
        if
        :: holder == NONE -> holder = me; holds = true
        :: else -> spins[me] = true; join(me); holds = false
        fi
    };
#ifdef BUG_KEEP_LATE
    atomic { if :: over[me] -> goto ended :: else fi; dispatch_off[me] = true };
#endif
}

/* leave_core, task_enable_dispatch */
inline leave_core(me) {
    atomic {
        dispatch_off[me] = false;
#ifndef BUG_FORGET_ORDER
        if :: ending[me] -> over[me] = true :: else fi
#endif
    }
}

active [CORES] proctype Task() {
    byte me = _pid, next, round;
    bool holds, patient;
    for (round : 1 .. ROUNDS) {
        lock(me);
        if :: patient = true :: patient = false fi;
        do
        :: holds -> break
        :: !holds && !spins[me] -> holds = true
        :: !holds && !patient && spins[me] ->
#ifdef BUG_LEAVE_BLINDLY /* does not ask whether it is still in the queue */
            atomic { if :: linked[me] -> unlink(me) :: else fi; spins[me] = false; break }
#else
            atomic { if :: linked[me] -> unlink(me); spins[me] = false; break :: else -> patient = true fi }
#endif
        od;
        if
        :: holds ->
            holders++;
            atomic { assert(holders == 1 && holder == me && dispatch_off[me]); holders-- };
            atomic {
                next = NONE;
                if :: waiting > 0 -> unlink_first(next) :: else fi;
                holder = next
            };
#ifdef BUG_HANDED_TO_NOBODY
            next = NONE;
#endif
            if :: next != NONE -> spins[next] = false :: else fi
        :: else -> assert(!linked[me] && holder != me)
        fi;
        next = 0; holds = false; patient = false; /* fewer states */
        leave_core(me)
    };
ended:
    round = 0;
    atomic {
        done++;
        if :: done == CORES -> assert(holder == NONE && waiting == 0) :: else fi
    }
}

/* terminate, on the victim's core between two of its steps; then the answer. */
active proctype Order() {
    byte victim;
    if :: victim = 0 :: victim = 1 :: victim = 2 fi;
    atomic {
        if
#ifndef BUG_END_AT_ONCE
        :: dispatch_off[victim] -> ending[victim] = true
#endif
        :: else -> over[victim] = true; assert(!linked[victim] && holder != victim)
        fi
    };
    over[victim]
}
