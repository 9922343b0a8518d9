/* SPDX-License-Identifier: Apache-2.0 */
/* The inbox: kernel/inbox.c.
 *
 * Modelled: one owner, whose interrupt may come between any two steps of others; three posters on three other
 * cores. Two post different requests to one task, ROUNDS times, each again once its last was taken; the
 * third, which gives orders, has a block of its own and pushes it again as soon as it is answered.
 * Asserted: each post is answered once, in the order of the exchanges; a request is never posted twice nor lost; the
 * owner never walks astray; in the end all is taken and nothing is linked.
 * Atomic here and there: the exchange of the last post and its comparison (AMO, LR and SC), by posters and owner. Each
 * store is a step of its own, and so is the acknowledgement. A task's lock is a mutex (lock.pml), its sections are not
 * one step. The owner answers ANSWERS posts in an interrupt.
 * A poster's interrupts are disabled: it is only ever delayed. Spins are conditions that block.
 * Left out: weak ordering (the acquire and release of the code), what the owner does with a request. */
#define ROUNDS 2
#define ANSWERS 1
#define NONE 0
#define TASK 1  /* the blocks */
#define ORDER 2
#define REQUESTS 2

byte first = NONE, last = NONE; /* inbox_first, inbox_last */
byte link[3];                   /* post->next */
bool interrupt;
bool lock, linked, request[REQUESTS]; /* of the task */
bool open;                            /* of the order */
byte exchanges, answers, stamp[3];    /* for the assertions alone, from here */
byte posted, taken;

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }

inline push(block, previous) {
#ifndef BUG_OLD_LINK
    link[block] = NONE;
#endif
    atomic { previous = last; last = block; stamp[block] = exchanges; exchanges++ }
    if
    :: previous != NONE -> link[previous] = block
    :: else ->
#ifdef BUG_INTERRUPTS_FIRST
        interrupt = true;
        first = block
#else
        first = block;
        interrupt = true
#endif
    fi;
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

/* take: `block` is the first post, or none. */
inline take() {
    block = first;
    if
    :: block != NONE ->
        next = link[block];
        if
        :: next != NONE -> first = next
        :: else ->
#ifndef BUG_FIRST_CLEARED_LATE
            first = NONE;
#endif
#ifdef BUG_EMPTY_REGARDLESS
            atomic { is_last = true; last = NONE };
#else
            atomic { is_last = last == block; if :: is_last -> last = NONE :: else fi };
#endif
#ifdef BUG_FIRST_CLEARED_LATE
            first = NONE;
#endif
            if
            :: is_last
#ifdef BUG_DOES_NOT_WAIT
            :: else -> first = link[block]
#else
            :: !is_last -> link[block] != NONE; first = link[block]
#endif
            fi
        fi
    :: else
    fi
}

proctype Owner() {
    byte block, next, which, left;
    bool is_last;
end:
    do
    :: interrupt ->
#ifndef BUG_ACKNOWLEDGED_LATE
        interrupt = false;
#endif
        for (left : 1 .. ANSWERS) {
            take();
            if
            :: block != NONE ->
                atomic { assert(stamp[block] == answers); answers++ }
                if
                :: block == TASK -> answer_task(which)
                :: else -> atomic { open = false; taken++ }
                fi
            :: else
            fi
        }
#ifndef BUG_REST_FORGOTTEN
        if :: first != NONE -> interrupt = true :: else fi;
#endif
#ifdef BUG_ACKNOWLEDGED_LATE
        interrupt = false;
#endif
        block = NONE; next = NONE; which = 0; left = 0; is_last = false
    od
}

init {
    atomic { run Owner(); run Poster(0); run Poster(1); run Giver() }
    timeout;
    assert(taken == posted && posted == 3 * ROUNDS);
    assert(answers == exchanges && first == NONE && last == NONE && !linked && !open)
}
