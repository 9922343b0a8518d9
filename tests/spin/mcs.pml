/* SPDX-License-Identifier: Apache-2.0 */
/* The MCS queue lock: bench/kernel/variants/spinlock_mcs.c.
 *
 * Modelled: CORES cores that each take and give back one lock ROUNDS times, each with its one place.
 * Asserted: one holder at a time; in the order in which the tail was exchanged; all get in (no invalid
 * end state); the lock is free in the end.
 * Atomic here and there: the exchange and the compare-and-swap of the tail. Other loads and stores are a
 * step each. A spin is a condition that blocks: a turn that finds the word unchanged changes nothing.
 * Left out: weak ordering, a compare-and-swap that fails for no reason (the C code asks for the strong
 * one), several locks, and the record of the wait. */
#define CORES 3
#define ROUNDS 2
#define NONE CORES

byte tail = NONE, next[CORES] = NONE;
bool waits[CORES];
byte holders, taken, entered, done; /* for the assertions alone */

active [CORES] proctype Core() {
    byte before, place, round, behind;
    for (round : 1 .. ROUNDS) {
#ifndef BUG_OLD_LINK
        next[_pid] = NONE;
#endif
        waits[_pid] = true;
#ifdef BUG_TAIL_IN_TWO_STEPS
        before = tail;
        atomic { tail = _pid; place = taken; taken++ }
#else
        atomic { before = tail; tail = _pid; place = taken; taken++ }
#endif
        if
        :: before == NONE
        :: else ->
            next[before] = _pid;
#ifdef BUG_WAITS_SET_LATE
            waits[_pid] = true;
#endif
            !waits[_pid]
        fi;
        d_step { holders++; assert(holders == 1 && entered == place); entered++ }
        holders--;

        behind = next[_pid];
        if
        :: behind == NONE ->
            if
#ifdef BUG_FREE_WITHOUT_A_LOOK
            :: true -> tail = NONE
#else
            :: atomic { tail == _pid -> tail = NONE }
            :: atomic { tail != _pid -> skip };
#ifdef BUG_LINK_NOT_AWAITED
                behind = next[_pid];
                if
                :: behind != NONE -> waits[behind] = false
                :: else
                fi
#else
                next[_pid] != NONE;
                behind = next[_pid];
                waits[behind] = false
#endif
#endif
            fi
        :: else -> waits[behind] = false
        fi
    }
    done++;
    if
    :: done == CORES -> assert(tail == NONE)
    :: else
    fi
}
