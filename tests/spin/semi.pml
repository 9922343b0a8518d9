/* SPDX-License-Identifier: Apache-2.0 */
/* Commands, answers and the rings of woken tasks under `semi`: docs/design/placements.md, "Semi".
 *
 * Modelled: the system core's server, and two nodes with a lower task each, one also with an upper one. The upper task takes
 * a count of a semaphore, with a timeout, and ends; a lower one asks something of the other node's tasks, which that node
 * carries out in its interrupt, gives a count, and ends. Ready tasks, the begin of jobs and their end are the node's; so
 * a task waits, is woken by its own node, by the other one and by time, and preempts between two calls.
 * Asserted: each call is carried out once, with its own argument; its result comes once, to a task that waits for it, and
 * is its own; a ring never overflows; in the end each task has made its calls, each question has been answered, no count is
 * lost, no interrupt and no entry is left.
 * Atomic: each load and store, and what the server does with a command: one core, one section.
 * Left out: weak ordering (each BUG_ of the order of two accesses stands for a missing fence), the system core's own
 * tasks, jobs that begin anew, priorities among nodes and of waiters, a change of priority. */
#define TASKS 3
#define NONE  9
#define OTHER(n) (1 - (n))
#define NODE(t) ((t) / 2)
#define UPPER 1
#define FIRST(n) ((n) == 0 && ready[UPPER] -> UPPER : (ready[2 * (n)] -> 2 * (n) : NONE))
#define CALLS(t) ((t) == UPPER -> 1 : 2)
#ifdef BUG_RING_SHORT
#define PLACES 2
#else
#define PLACES 3 /* the tasks of all nodes: each is in at most one ring, once */
#endif

/* At the system core: a line for each node. */
bit command_turn[2], is_report[2];
byte caller[2], argument[2];
bool server_interrupt;
/* At each node, by the server. */
bit answer_turn[2];
bool answer_waits[2];
byte answer_value[2];
byte ring[2 * PLACES], tail[2], value[TASKS];
bool interrupt[2];
/* The server's. */
byte count;          /* of the semaphore */
bool waits, expired; /* the upper task, for the semaphore; its timeout */
byte served[TASKS], result[TASKS];      /* calls that were carried out; the call whose result this is */
bit served_turn[2];
byte serving = NONE;
/* The nodes'. */
bool ready[TASKS], waiting[TASKS];
bool begun; /* the upper task's job, at any time; the lower one's has */
byte head[2], calls[TASKS], asked[2], ended;

/* Hands over a command of `task` and waits for the answer. */
inline submit(n, task, report) {
#ifndef BUG_ARGUMENT_LATE
    argument[n] = calls[task];
#endif
#ifdef BUG_INTERRUPT_EARLY
    server_interrupt = true;
#endif
    atomic { caller[n] = task; is_report[n] = report; command_turn[n] = 1 - command_turn[n] }
#ifdef BUG_ARGUMENT_LATE
    argument[n] = calls[task];
#endif
#ifndef BUG_INTERRUPT_EARLY
    server_interrupt = true;
#endif
#ifndef BUG_NO_TURN
    answer_turn[n] == command_turn[n];
#endif
}

/* Takes all that is in the ring: own tasks go on, questions of others are carried out. */
inline drain(n, entry) {
    do
    :: atomic { head[n] != tail[n] ->
            entry = ring[n * PLACES + head[n] % PLACES];
            head[n]++;
            if
            :: NODE(entry) == n ->
                assert(waiting[entry] && value[entry] == calls[entry]);
                waiting[entry] = false;
                ready[entry] = true
            :: else -> asked[n]++
            fi }
        if :: NODE(entry) != n -> submit(n, entry, 1) :: else fi
    :: atomic { head[n] == tail[n] -> entry = NONE; break }
    od
}

inline call(n, task, entry) {
    submit(n, task, 0);
#ifdef BUG_BLOCKED_LATE
    drain(n, entry);
#endif
    if
    :: atomic { answer_waits[n] -> ready[task] = false; waiting[task] = true }
    :: atomic { !answer_waits[n] -> assert(answer_value[n] == calls[task]) }
    fi;
#ifndef BUG_BLOCKED_LATE
#ifndef BUG_NOT_DRAINED
    drain(n, entry)
#endif
#endif
}

proctype Node(byte n) {
    byte task, entry;
end:
    do
    :: interrupt[n] ->
#ifdef BUG_CLEARED_LATE
        drain(n, entry);
        interrupt[n] = false
#else
        interrupt[n] = false;
        drain(n, entry)
#endif
    :: atomic { n == 0 && !begun -> begun = true; ready[UPPER] = true }
    :: atomic { FIRST(n) != NONE -> task = FIRST(n) }
        if
        :: atomic { calls[task] < CALLS(task) -> calls[task]++ } call(n, task, entry)
        :: else -> atomic { ready[task] = false; ended++ }
        fi;
        task = NONE
    od
}

/* A task's result, its place in the ring, the index, the interrupt. A node that waits for an answer looks by itself. */
inline put(task) {
#ifndef BUG_VALUE_LATE
    value[task] = result[task];
#endif
    assert(tail[to] - head[to] < PLACES);
#ifdef BUG_ENTRY_LATE
    tail[to]++;
    ring[to * PLACES + (tail[to] - 1) % PLACES] = task;
#else
    ring[to * PLACES + tail[to] % PLACES] = task;
#ifdef BUG_TOLD_EARLY
    if :: to != serving -> interrupt[to] = true :: else fi;
#endif
    tail[to]++;
#endif
#ifdef BUG_VALUE_LATE
    value[task] = result[task];
#endif
#ifndef BUG_TOLD_EARLY
    if :: to != serving -> interrupt[to] = true :: else fi;
#endif
    to = NONE
}

inline carry_out(n) {
    atomic {
        serving = n;
        task = caller[n];
        if
        :: is_report[n] -> woken = task; to = NODE(task)
        :: else ->
            served[task]++;
            assert(argument[n] == served[task]);
            result[task] = served[task];
            if
            :: task == UPPER && count > 0 -> count--
            :: task == UPPER && count == 0 -> waits = true; blocks = true
            :: task != UPPER && served[task] == 1 -> woken = task; to = OTHER(n); blocks = true
            :: served[task] == 2 && waits -> waits = false; woken = UPPER; to = NODE(UPPER)
            :: served[task] == 2 && !waits -> count++
            fi
        fi
    }
}

inline answer(n) {
#ifdef BUG_SERVED_LATE
    atomic { answer_waits[n] = blocks; answer_value[n] = result[task]; answer_turn[n] = command_turn[n] }
    served_turn[n] = command_turn[n]
#else
#ifdef BUG_ANSWER_VALUE_LATE
    atomic { served_turn[n] = command_turn[n]; answer_waits[n] = blocks; answer_turn[n] = served_turn[n] }
    answer_value[n] = result[task]
#else
    answer_value[n] = result[task];
    atomic { served_turn[n] = command_turn[n]; answer_waits[n] = blocks; answer_turn[n] = served_turn[n] }
#endif
#endif
}

inline serve(n) {
    carry_out(n);
#ifdef BUG_RING_BEHIND_ANSWER
    answer(n);
    if :: woken != NONE -> put(woken) :: else fi;
#else
    if :: woken != NONE -> put(woken) :: else fi;
    answer(n);
#endif
    atomic { serving = NONE; woken = NONE; task = NONE; blocks = false }
}

proctype Server() {
    byte n, task = NONE, woken = NONE, to = NONE;
    bool blocks;
end:
    do
    :: server_interrupt ->
#ifndef BUG_SERVER_CLEARS_LATE
        server_interrupt = false;
#endif
        for (n : 0 .. 1) {
            if :: command_turn[n] != served_turn[n] -> serve(n) :: else fi
        }
        n = 0;
#ifdef BUG_SERVER_CLEARS_LATE
        server_interrupt = false;
#endif
    :: atomic { waits && !expired ->
            expired = true;
#ifndef BUG_STILL_WAITS
            waits = false;
#endif
            woken = UPPER;
            to = NODE(UPPER) }
        put(woken);
        woken = NONE
    od
}

init {
    byte i;
    atomic { ready[0] = true; ready[2] = true; run Server(); run Node(0); run Node(1) }
    timeout;
    for (i : 0 .. TASKS - 1) { assert(served[i] == calls[i] && calls[i] == CALLS(i) && !ready[i] && !waiting[i]) }
    for (i : 0 .. 1) { assert(!interrupt[i] && head[i] == tail[i] && asked[i] == 1) }
    assert(!server_interrupt && ended == TASKS && count == (expired -> 2 : 1))
}
