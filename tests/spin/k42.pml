/* SPDX-License-Identifier: Apache-2.0 */
/* K42's queue lock, entered by an exchange: bench/kernel/variants/spinlock_k42.c.
 *
 * Modelled: CORES cores that each take and give back one lock ROUNDS times. Place CORES is the holder's, in
 * the lock. Asserted: one holder at a time; in the order in which the tail was changed; a core has its own
 * place back when it has the lock (it spoils it there); all get in; the lock is free in the end.
 * Atomic, left out: as in mcs.pml. */
#define CORES 3
#define ROUNDS 2
#define HOLDER CORES
#define NONE 99

byte tail = NONE, next[CORES + 1] = NONE;
bool waits[CORES];
byte holders, taken, entered, done; /* for the assertions alone */

active [CORES] proctype Core() {
    byte before, place, round, behind;
    for (round : 1 .. ROUNDS) {
        if
        :: tail == NONE ->
            if
            :: atomic { tail == NONE -> tail = HOLDER; place = taken; taken++ }; goto has_it
            :: atomic { tail != NONE -> skip }
            fi
        :: else
        fi;
        next[_pid] = NONE;
        waits[_pid] = true;
        atomic { before = tail; tail = _pid; place = taken; taken++ };
        if
        :: before == NONE
        :: else -> next[before] = _pid; !waits[_pid]
        fi;
        behind = next[_pid];
#ifndef BUG_OLD_HOLDER_LINK
        next[HOLDER] = NONE;
#endif
        if
        :: behind == NONE ->
            if
            :: atomic { tail == _pid -> tail = HOLDER }
            :: atomic { tail != _pid -> skip };
#ifndef BUG_LINK_NOT_AWAITED
                next[_pid] != NONE;
#endif
                behind = next[_pid];
                next[HOLDER] = behind
            fi
#ifdef BUG_HOLDER_CLEARED_LATE
            ; next[HOLDER] = NONE
#endif
        :: else -> next[HOLDER] = behind
        fi;
has_it:
        next[_pid] = NONE; /* its own again: nobody may need it now */
        waits[_pid] = false;
        d_step { holders++; assert(holders == 1 && entered == place); entered++ }
        holders--;

        behind = next[HOLDER];
        if
        :: behind == NONE ->
            if
            :: atomic { tail == HOLDER -> tail = NONE }
            :: atomic { tail != HOLDER -> skip };
                next[HOLDER] != NONE;
                behind = next[HOLDER];
                waits[behind] = false
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
