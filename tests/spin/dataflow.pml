/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a dataflow graph with iterations (libraries/dataflow, docs/design/dataflow.md): core 0
 * decides after each iteration, cores 1 and 2 execute it. Core 0 sends to core 1 along an edge with a
 * token, and fetches what both write in place. Each count of messages and of answers is modulo 4, and
 * has one writer. Nobody may read a buffer before it is written for its iteration, nor write it before
 * it has been read, and all must end, whether the limit ends the iterations or a decision. */

#define LIMIT 4
#define waits_for(sent, own, count) ((sent - own + 4) % 4 >= count)
#define has_room(own, answered, most) ((own - answered + 4) % 4 <= most)
#define next(count) count = (count + 1) % 4

/* Messages from a core to another and their answers, as the scoreboard shows them. */
byte sent01, answered01, sent10, answered10, sent20, answered20;
/* The word of core 0: the iterations of which it has decided, and whether the last of them ends them. */
byte decided;
bool was_last;
/* The buffers, with the iteration for which they are written, plus 1. */
byte first, rotation, part1, part2, parting;
bool decides; /* there is an object that may end the iterations */

#define follows(ended) \
    if \
    :: !decides \
    :: decides -> \
        BEHIND(ended); \
        atomic { \
            if \
            :: decided == ended && was_last -> goto after \
            :: else \
            fi \
        } \
    fi

/* Waits until core 0 has decided of as many iterations; it can be ahead. */
#ifdef BUG_PASSED
#define BEHIND(ended) decided == ended
#else
#define BEHIND(ended) decided >= ended
#endif

proctype core0() {
    byte ended = 0;
    bool last = false;
    has_room(sent01, answered01, 2);
    first = 1;
    next(sent01);
#ifndef BUG_NO_TOKEN
    has_room(sent01, answered01, 2);
    next(sent01); /* the initial token */
#endif
    do
    :: ended < LIMIT && !last ->
        waits_for(sent10, answered10, 1) && waits_for(sent20, answered20, 1);
        assert(part1 == ended + 1 && part2 == ended + 1);
        if
        :: decides -> last = true
        :: true
        fi;
        ended++;
        d_step {
            was_last = last;
            decided = ended
        }
        next(answered10);
        next(answered20);
        has_room(sent01, answered01, 0);
        rotation = ended;
        next(sent01)
    :: else -> break
    od;
    has_room(sent01, answered01, 2);
    parting = 1;
    next(sent01)
}

proctype core1() {
    byte ended = 0;
    do
    :: ended < LIMIT ->
#ifndef BUG_NO_ROOM
        has_room(sent10, answered10, 0); /* before the execution, which writes in place */
#endif
        if
        :: ended == 0 ->
            waits_for(sent01, answered01, 2);
            assert(first == 1)
        :: else ->
            waits_for(sent01, answered01, 1);
            assert(rotation == ended)
        fi;
        part1 = ended + 1;
        if
        :: ended == 0 -> answered01 = (answered01 + 2) % 4
        :: else -> next(answered01)
        fi;
        has_room(sent10, answered10, 0);
        next(sent10);
        ended++;
        if
        :: ended < LIMIT -> follows(ended)
        :: else
        fi
    :: else -> break
    od;
after:
#ifndef BUG_NO_SURPLUS
    waits_for(sent01, answered01, 1);
    next(answered01); /* what the last iteration has left */
#endif
    waits_for(sent01, answered01, 1);
    assert(parting == 1);
    next(answered01)
}

proctype core2() {
    byte ended = 0;
    do
    :: ended < LIMIT ->
#ifndef BUG_NO_ROOM
        has_room(sent20, answered20, 0);
#endif
        part2 = ended + 1;
        has_room(sent20, answered20, 0);
        next(sent20);
        ended++;
        if
        :: ended < LIMIT -> follows(ended)
        :: else
        fi
    :: else -> break
    od;
after:
    skip
}

/* It sends nobody anything, so the others can be ahead of it. */
proctype core3() {
    byte ended = 1;
    do
    :: ended < LIMIT ->
        follows(ended);
        ended++
    :: else -> break
    od;
after:
    skip
}

init {
    atomic {
        if
        :: decides = true
        :: decides = false
        fi;
        run core0();
        run core1();
        run core2();
        run core3()
    }
}
