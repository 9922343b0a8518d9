/* SPDX-License-Identifier: Apache-2.0 */
/* The inbox: kernel/inbox.c.
 *
 * Modelled: one owner, whose interrupt may come between any two steps of others; three posters on three other
 * cores. Two post different requests to one task, ROUNDS times, each again once its last was taken; the
 * third, which gives orders, has a block of its own and pushes it again as soon as it is answered.
 * Asserted: each link into the inbox is answered once, in the order of the exchanges; a request is never
 * posted twice nor lost; the owner never walks astray; in the end all is taken and nothing is linked.
 * Atomic here and there: the exchange of the head (AMO), by posters and owner. The mark, the link and
 * the acknowledgement are a step each. A task's lock is a mutex (lock.pml), its sections are not one step.
 * A poster's interrupts are disabled: it is only ever delayed. Spins are conditions that block.
 * Left out: weak ordering (the acquire and release of the code), what the owner does with a request. */
#define ROUNDS 2
#define NONE 0
#define BUSY 9
#define TASK 1  /* the blocks */
#define ORDER 2
#define REQUESTS 2

byte head = NONE;
byte link[3]; /* post->next */
bool interrupt;
bool lock, linked, request[REQUESTS]; /* of the task */
bool open;                            /* of the order */
byte exchanges, answers, stamp[3];    /* for the assertions alone, from here */
byte posted, taken;

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }

inline push(block, previous) {
#ifndef BUG_NO_BUSY_MARK
    link[block] = BUSY;
#endif
    atomic { previous = head; head = block; stamp[block] = exchanges; exchanges++ }
    link[block] = previous;
#ifdef BUG_INTERRUPT_IF_NOT_EMPTY
    if :: previous != NONE -> interrupt = true :: else fi;
#else
    if :: previous == NONE -> interrupt = true :: else fi;
#endif
    previous = NONE
}

proctype Poster(byte which) {
    byte round, previous;
    bool links;
    for (round : 1 .. ROUNDS) {
        !request[which]; /* as `active` and `sleeping` see to */
        acquire();
        links = !linked;
#ifdef BUG_LINKS_ALWAYS
        links = true;
#endif
        assert(!request[which]);
        atomic { request[which] = true; posted++ }
        linked = true;
        release();
        if :: links -> push(TASK, previous) :: else fi
    }
}

proctype Giver() {
    byte round, previous;
    for (round : 1 .. ROUNDS) {
        atomic { open = true; posted++ }
        push(ORDER, previous);
        !open
    }
}

inline answer_task(which) {
    acquire();
    for (which : 0 .. REQUESTS - 1) {
        if :: request[which] -> atomic { request[which] = false; taken++ } :: else fi
    }
#ifdef BUG_UNLINKED_LATER
    release();
    acquire();
#endif
    linked = false;
    release()
}

proctype Owner() {
    byte latest, previous, first, block, which;
end:
    do
    :: interrupt ->
#ifndef BUG_ACKNOWLEDGED_LATE
        interrupt = false;
#endif
        atomic { latest = head; head = NONE }
        first = NONE;
        do
        :: latest != NONE ->
            atomic { link[latest] != BUSY -> previous = link[latest] }
            link[latest] = first;
            first = latest;
            latest = previous
        :: else -> break
        od;
        do
        :: first != NONE ->
            block = first;
            atomic { assert(stamp[block] == answers); answers++ }
#ifndef BUG_NEXT_AFTER_ANSWER
            first = link[block];
#endif
            if
            :: block == TASK -> answer_task(which)
            :: else -> atomic { open = false; taken++ }
            fi;
#ifdef BUG_NEXT_AFTER_ANSWER
            first = link[block];
            assert(first != BUSY)
#endif
        :: else -> break
        od;
#ifdef BUG_ACKNOWLEDGED_LATE
        interrupt = false;
#endif
        latest = NONE; previous = NONE; block = NONE; which = 0
    od
}

init {
    atomic { run Owner(); run Poster(0); run Poster(1); run Giver() }
    timeout;
    assert(taken == posted && posted == 3 * ROUNDS);
    assert(answers == exchanges && head == NONE && !linked && !open)
}
