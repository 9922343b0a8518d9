/* SPDX-License-Identifier: Apache-2.0 */
/* The inbox: kernel/remote/inbox.c.
 *
 * Modelled: one owner, whose interrupt may come between any two steps of others; three posters on three other
 * cores. Two post different requests to one task, ROUNDS times, each again once its last was taken; the
 * third, which gives orders, has a block of its own and pushes it again as soon as it is answered.
 * Asserted: each link into the inbox is answered once, in the order of the exchanges; a request is never
 * posted twice nor lost; the owner never walks astray; in the end all is taken and nothing is linked.
 * Atomic here and there: the exchange of the head (AMO), by posters and owner. The mark, the link and
 * the acknowledgement are a step each. A task's lock is a mutex (lock.pml), its sections are not one step.
 * The owner answers ANSWERS posts in an interrupt, and turns TURNS.
 * A poster's interrupts are disabled: it is only ever delayed. Spins are conditions that block.
 * Left out: weak ordering (the acquire and release of the code), what the owner does with a request. */
#define ROUNDS 2
#define ANSWERS 1
#define TURNS 1
#define NONE 0
#define BUSY 9
#define TASK 1  /* the blocks */
#define ORDER 2
#define REQUESTS 2

byte head = NONE;                                     /* inbox */
byte first = NONE, latest = NONE, turned = NONE;      /* inbox_first and so on: the owner's */
byte link[3];                                         /* post->next */
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

inline turn() {
#ifdef BUG_TAKES_TOO_EARLY
    emptied = true;
#else
    emptied = latest == NONE;
#endif
    if :: emptied -> atomic { latest = head; head = NONE } :: else fi;
    for (left : 1 .. TURNS) {
        if
        :: latest != NONE ->
            atomic { link[latest] != BUSY -> previous = link[latest] }
            link[latest] = turned;
            turned = latest;
            latest = previous
        :: else
        fi
    }
    if :: latest == NONE -> first = turned; turned = NONE :: else fi
}

proctype Owner() {
    byte block, previous, which, left;
    bool emptied;
end:
    do
    :: interrupt ->
#ifndef BUG_ACKNOWLEDGED_LATE
        interrupt = false;
#endif
        emptied = false;
        if :: first == NONE -> turn() :: else fi;
        for (left : 1 .. ANSWERS) {
            if
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
            :: else
            fi
        }
#ifdef BUG_REST_FORGOTTEN
        if :: !emptied && head != NONE -> interrupt = true :: else fi;
#else
#ifdef BUG_POSTED_SINCE_FORGOTTEN
        if :: first != NONE || latest != NONE -> interrupt = true :: else fi;
#else
        if :: first != NONE || latest != NONE || (!emptied && head != NONE) -> interrupt = true :: else fi;
#endif
#endif
#ifdef BUG_ACKNOWLEDGED_LATE
        interrupt = false;
#endif
        block = NONE; previous = NONE; which = 0; left = 0; emptied = false
    od
}

init {
    atomic { run Owner(); run Poster(0); run Poster(1); run Giver() }
    timeout;
    assert(taken == posted && posted == 3 * ROUNDS);
    assert(answers == exchanges && head == NONE && !linked && !open);
    assert(first == NONE && latest == NONE && turned == NONE)
}
