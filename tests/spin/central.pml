/* SPDX-License-Identifier: Apache-2.0 */
/* Commands and decisions under `central`: kernel/central/exchange.c, kernel/node.
 *
 * Modelled: the system core's server, and two nodes with two tasks each. The upper task of a node takes a count of one
 * semaphore and ends, the lower one gives a count and ends; time begins their jobs. So tasks wait, are woken by their own node and by the other, and are
 * preempted while they call. Interrupts of a node come between its calls.
 * Asserted: each call is carried out once, with its own argument; its result comes once, to its task, and is its own; in
 * the end each task has made its calls, no interrupt is left, and each node runs what the server has decided.
 * Atomic: each load and store, and what the server does with a command: one core, one section.
 * Left out: weak ordering (each BUG_ of the order of two accesses stands for a missing fence), the system core's own
 * tasks, jobs that begin anew, times, priorities among nodes. */
#define TASKS 4
#define NONE  9
#define OTHER(n) (1 - (n))
#define FIRST(n) (ready[2 * (n) + 1] -> 2 * (n) + 1 : (ready[2 * (n)] -> 2 * (n) : NONE))
#define IS_UPPER(t) ((t) % 2)

/* At the system core: a line for each node. */
bit command_turn[2];
byte caller[2], argument[2];
bool server_interrupt;
/* At each node. */
bit answer_turn[2];
byte answer_next[2], value[TASKS];
bool interrupt[2];
/* The server's. */
bool ready[TASKS];
byte line[2], waiters, count;         /* of the semaphore: who waits, in this order */
byte served[TASKS], result[TASKS];    /* calls that were carried out; the call whose result this is */
bit served_turn[2];
byte told[2] = NONE;
byte begun[2]; /* jobs of a node that time has begun, the lower task's first */
/* The nodes'. */
byte running[2] = NONE;
byte calls[TASKS];
bool calling[TASKS];

/* The node runs what a decision names; its call, if there is one, returns. */
inline accept(n, next) {
    running[n] = next;
    if
    :: next != NONE && calling[next] ->
        atomic { assert(value[next] == calls[next]); calling[next] = false }
    :: else
    fi
}

inline call(n, next) {
    atomic { calls[running[n]]++; calling[running[n]] = true }
#ifndef BUG_ARGUMENT_LATE
    argument[n] = calls[running[n]];
#endif
#ifdef BUG_INTERRUPT_EARLY
    server_interrupt = true;
#endif
    atomic { caller[n] = running[n]; command_turn[n] = 1 - command_turn[n] }
#ifdef BUG_ARGUMENT_LATE
    argument[n] = calls[running[n]];
#endif
#ifndef BUG_INTERRUPT_EARLY
    server_interrupt = true;
#endif
#ifdef BUG_NO_TURN
    next = answer_next[n];
#else
    atomic { answer_turn[n] == command_turn[n] -> next = answer_next[n] }
#endif
    accept(n, next)
}

proctype Node(byte n) {
    byte next;
end:
    do
    :: interrupt[n] ->
#ifdef BUG_CLEARED_LATE
        next = answer_next[n];
        interrupt[n] = false;
#else
        interrupt[n] = false;
        next = answer_next[n];
#endif
        accept(n, next)
    :: running[n] != NONE && calls[running[n]] < 2 -> call(n, next)
    od
}

/* What the node is to run: the value before the answer, the interrupt behind it. */
inline decide(n, turn) {
#ifndef BUG_VALUE_LATE
    if :: told[n] != NONE -> value[told[n]] = result[told[n]] :: else fi;
#endif
    atomic { answer_turn[n] = turn; answer_next[n] = told[n] }
#ifdef BUG_VALUE_LATE
    if :: told[n] != NONE -> value[told[n]] = result[told[n]] :: else fi;
#endif
}

inline wake() {
    ready[line[0]] = true;
    result[line[0]] = served[line[0]];
    line[0] = line[1];
    waiters--
}

inline carry_out(n, task) {
    atomic {
        task = caller[n];
        served[task]++;
        assert(argument[n] == served[task]);
        result[task] = served[task];
        if
        :: served[task] == 2 -> ready[task] = false
        :: served[task] == 1 && IS_UPPER(task) && count > 0 -> count--
        :: served[task] == 1 && IS_UPPER(task) && count == 0 ->
            line[waiters] = task;
            waiters++;
            ready[task] = false
        :: served[task] == 1 && !IS_UPPER(task) && waiters > 0 -> wake()
        :: served[task] == 1 && !IS_UPPER(task) && waiters == 0 -> count++
        fi;
        task = NONE
    }
}

inline tell(n) {
    if
    :: told[n] != FIRST(n) ->
        told[n] = FIRST(n);
#ifdef BUG_DECISION_LATE
        interrupt[n] = true;
        decide(n, served_turn[n])
#else
        decide(n, served_turn[n]);
#ifndef BUG_NOT_TOLD
        interrupt[n] = true
#endif
#endif
    :: else
    fi
}

inline serve(n, task) {
    carry_out(n, task);
    tell(OTHER(n));
    told[n] = FIRST(n);
#ifdef BUG_SERVED_LATE
    decide(n, command_turn[n]);
    served_turn[n] = command_turn[n]
#else
    served_turn[n] = command_turn[n];
    decide(n, served_turn[n])
#endif
}

proctype Server() {
    byte n, task;
end:
    do
    :: server_interrupt ->
#ifndef BUG_SERVER_CLEARS_LATE
        server_interrupt = false;
#endif
        for (n : 0 .. 1) {
            if :: command_turn[n] != served_turn[n] -> serve(n, task) :: else fi
        }
        n = 0;
#ifdef BUG_SERVER_CLEARS_LATE
        server_interrupt = false;
#endif
    :: atomic { begun[0] < 2 -> ready[begun[0]] = true; begun[0]++ }
        tell(0)
    :: atomic { begun[1] < 2 -> ready[2 + begun[1]] = true; begun[1]++ }
        tell(1)
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. 1) { answer_next[i] = NONE }
        run Server(); run Node(0); run Node(1)
    }
    timeout;
    for (i : 0 .. TASKS - 1) { assert(served[i] == 2 && calls[i] == 2) }
    for (i : 0 .. 1) { assert(!interrupt[i] && running[i] == NONE) }
    assert(!server_interrupt)
}
