/* SPDX-License-Identifier: Apache-2.0 */
/* The relay lock: bench/kernel/variants/spinlock_relay.c.
 *
 * Modelled: CORES cores that each take and give back one lock ROUNDS times, with a table of PLACES and
 * tickets that wrap around after TICKETS. REACH is 1, 2 in the code: so few cores are far already.
 * Asserted: one holder at a time; in the order of the tickets; all get in (no invalid end state: no poke is
 * missed).
 * Atomic here and there: one fetch-and-add takes the ticket and reads `serving`. Other loads and stores are
 * a step each, so a poke may come late. A spin is a condition that blocks. Left out: weak ordering (the fence that
 * BUG_LOOK_BEFORE_PLACE stands for); a poke so late that its core waits far away again, which takes a fourth core
 * (it then looks at the lock too early, no more); several locks; and the record of the wait. */
#define CORES 3
#define ROUNDS 2
#define TICKETS 8 /* a multiple of PLACES, more than twice CORES */
#ifdef BUG_FEW_PLACES
#define PLACES 2
#else
#define PLACES 4
#endif
#define REACH 1
#define NONE 99
#define FAR(serving) ((ticket + TICKETS - serving) % TICKETS > REACH)

byte next, serving, far[PLACES] = NONE;
bool poked[CORES];
byte holders, taken, entered; /* for the assertions alone */

active [CORES] proctype Core() {
    byte ticket, round, seen, place;
    for (round : 1 .. ROUNDS) {
        d_step { ticket = next; next = (next + 1) % TICKETS; seen = serving; place = taken; taken++ }
        if
        :: FAR(seen) ->
            poked[_pid] = false;
#ifdef BUG_LOOK_BEFORE_PLACE
            seen = serving;
            far[ticket % PLACES] = _pid;
#else
            far[ticket % PLACES] = _pid;
            seen = serving;
#endif
#ifndef BUG_NO_SECOND_LOOK
            if
            :: FAR(seen) ->
#ifdef BUG_POKED_CLEARED_LATE
                poked[_pid] = false;
#endif
                poked[_pid]
            :: else
            fi;
#else
            poked[_pid];
#endif
            far[ticket % PLACES] = NONE
        :: else
        fi;
        serving == ticket;
        d_step { holders++; assert(holders == 1 && entered == place); entered++ }
        holders--;
        serving = (ticket + 1) % TICKETS;
        seen = far[((ticket + REACH) % TICKETS) % PLACES];
        if
        :: seen != NONE -> poked[seen] = true
        :: else
        fi
    }
}
