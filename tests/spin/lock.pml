/* SPDX-License-Identifier: Apache-2.0 */
/* The ticket lock: kernel/lock/spinlock_ticket.h.
 *
 * Modelled: CORES cores that each take and give back one lock ROUNDS times. Tickets wrap around after
 * TICKETS, as the code's do after 2^32, so that the wrap is met.
 * Asserted: one holder at a time; in the order of the tickets; all get in (no invalid end state).
 * Atomic here and there: the ticket is one instruction, a pair of LR and SC or a fetch-and-add, which also
 * reads `serving`: to read it once more, as here, finds what the code does or something newer. Loads and stores of `serving` are a
 * step each. A spin is a condition that blocks: a turn that finds another's ticket changes nothing.
 * Left out: weak ordering, and the record of the wait. */
#define CORES 4
#define ROUNDS 2
#ifdef BUG_FEW_TICKETS
#define TICKETS 2
#else
#define TICKETS 5
#endif

byte next, serving;
byte holders, taken, entered; /* for the assertions alone */

active [CORES] proctype Core() {
    byte ticket, place, round, seen;
    for (round : 1 .. ROUNDS) {
#ifdef BUG_TICKET_IN_TWO_STEPS
        ticket = next;
        atomic { next = (ticket + 1) % TICKETS; place = taken; taken++ }
#else
        atomic { ticket = next; next = (next + 1) % TICKETS; place = taken; taken++ }
#endif
#ifdef BUG_FIRST_COME_FIRST_IN /* no ticket: whoever finds it free */
        atomic { holders == 0 -> holders++ }
#else
        serving == ticket;
        holders++;
#endif
        assert(holders == 1);
        assert(entered == place);
        entered++;
#ifdef BUG_RELEASE_EARLY
        serving = (serving + 1) % TICKETS;
        holders--
#else
        holders--;
        seen = serving; /* nobody else writes it */
        serving = (seen + 1) % TICKETS
#endif
    }
}
