/* SPDX-License-Identifier: Apache-2.0 */
/* Orders to end tasks of other cores: kernel/remote/remote_call.c, kernel/task/control.c, and takt_task_exit.
 *
 * Modelled: three cores with a task each, of 2, 2 and 1 jobs. Each job may disable dispatch, may enable it
 * again, and may order one of the other two tasks to be ended: all at the same time, each other, in
 * circles, two the same one; and so that a giver is ended while its order is under way and its next job
 * gives another. With dispatch disabled (CONFIG_PROMPT, two cores) it may give an order whose answer is prompt (suspend, resume, another
 * priority, ...), unless an order of a former job is still open.
 * Asserted: no deadlock: all jobs end (no invalid end state); a block is pushed only if it is nowhere
 * linked; each giver that goes on has the answer to this order; in the end no order is open.
 * Atomic here and there: push and take are a step each (inbox.pml has theirs). What a core does with
 * interrupts disabled excludes its own handler; other cores see of it only pushes and `open`. Spins are
 * conditions that block, with interrupts enabled as in the code.
 * Left out: weak ordering; several tasks of a core; the wait that an ended task is taken out of (wait.pml). */
#ifdef CONFIG_PROMPT /* two cores; and orders whose answer is prompt, with dispatch disabled */
#define CORES 2
#else
#define CORES 3
#endif
#define NONE 9

byte inbox[CORES] = NONE; /* the block of the task with that number; the latest first */
byte link[CORES];
bool interrupt[CORES], interrupts_off[CORES], in_handler[CORES];
bool dormant[CORES], dispatch_off[CORES], ended[CORES];
byte jobs[CORES], ending[CORES] = NONE;
bool open[CORES], prompt[CORES]; /* an order that is answered whatever the task does */
/* For the assertions alone. */
bool linked[CORES];
byte given[CORES], answered[CORES];

inline push(owner, post) {
    atomic {
        assert(!linked[post]);
        linked[post] = true;
        link[post] = inbox[owner];
        inbox[owner] = post;
        if :: link[post] == NONE -> interrupt[owner] = true :: else fi
    }
}

/* Takes all, the first posted first. */
inline take(core, first, latest, previous) {
    atomic {
        first = NONE;
        latest = inbox[core];
        inbox[core] = NONE;
        do
        :: latest != NONE -> previous = link[latest]; link[latest] = first; first = latest; latest = previous
        :: else -> break
        od;
        latest = 0; previous = 0
    }
}

inline close(block) {
    atomic { linked[block] = false; answered[block] = given[block]; open[block] = false }
}

inline begin_next(core) {
    atomic { if :: jobs[core] > 0 -> jobs[core]-- :: else -> dormant[core] = true fi }
}

/* remote_call_close_ending */
inline close_ending(core, block, next) {
    block = ending[core];
    do
    :: atomic { block != NONE -> next = link[block]; close(block); block = next }
    :: atomic { else -> ending[core] = NONE; block = 0; next = 0; break }
    od
}

/* remote_call, to another core's task */
inline give(core, target) {
#ifndef BUG_NEXT_ORDER_AT_ONCE
    !open[core];
#endif
    atomic { interrupts_off[core] = true; given[core]++; open[core] = true; prompt[core] = false }
    push(target, core);
#ifndef BUG_SPINS_WITH_INTERRUPTS_OFF
    interrupts_off[core] = false;
#endif
    !open[core];
    assert(answered[core] == given[core]);
#ifdef BUG_SPINS_WITH_INTERRUPTS_OFF
    interrupts_off[core] = false
#endif
}

/* remote_call with dispatch disabled: an order whose answer is prompt, unless one is open */
inline give_prompt(core, target) {
    if
    :: open[core] -> skip /* TAKT_E_CTX */
    :: else ->
        atomic { interrupts_off[core] = true; given[core]++; open[core] = true; prompt[core] = true }
        push(target, core);
        interrupts_off[core] = false;
        !open[core];
        assert(answered[core] == given[core])
    fi
}

proctype Task(byte core) provided (!in_handler[core]) {
    byte block, next;
end:
    do
    :: atomic { !dormant[core] -> ended[core] = false; if :: dispatch_off[core] = true :: skip fi }
        {
            if
            :: atomic { dispatch_off[core] -> /* takt_dispatch_enable */
                interrupts_off[core] = true;
                dispatch_off[core] = false }
                if
                :: ending[core] != NONE ->
                    begin_next(core);
#ifndef BUG_ENABLE_FORGETS
                    close_ending(core, block, next);
#endif
                    interrupts_off[core] = false;
                    goto over
                :: else -> interrupts_off[core] = false
                fi
            :: skip
            fi;
            if
#ifdef BUG_ORDERS_WITH_DISPATCH_OFF
            :: give(core, (core + 1) % CORES)
            :: give(core, (core + 2) % CORES)
#else
            :: !dispatch_off[core] -> give(core, (core + 1) % CORES)
#ifndef CONFIG_PROMPT
            :: !dispatch_off[core] -> give(core, (core + 2) % CORES)
#endif
#endif
#ifdef CONFIG_PROMPT
            :: dispatch_off[core] -> give_prompt(core, (core + 1) % CORES)
#endif
            :: skip
            fi;
            atomic { interrupts_off[core] = true; dispatch_off[core] = false } /* takt_task_exit */
#ifndef BUG_EXIT_FORGETS
            close_ending(core, block, next);
#endif
            atomic { begin_next(core); interrupts_off[core] = false }
        } unless { ended[core] };
over:   skip
    od
}

proctype Handler(byte core) {
    byte first, block, latest;
end:
    do
    :: atomic { interrupt[core] && !interrupts_off[core] -> in_handler[core] = true; interrupt[core] = false }
        take(core, first, latest, block);
        do
        :: atomic { first != NONE ->
            block = first;
            first = link[block];
            if
            :: dormant[core] || prompt[block] -> close(block) /* TAKT_E_OBJ, or another answer */
            :: !dormant[core] && !prompt[block] && dispatch_off[core] -> /* REMOTE_CALL_LATER */
#ifdef BUG_ONE_ENDING
                link[block] = NONE;
#else
                link[block] = ending[core];
#endif
                ending[core] = block
            :: else ->
                ended[core] = true;
                begin_next(core);
                close(block)
            fi }
        :: atomic { else -> first = 0; block = 0; break }
        od;
        in_handler[core] = false
    od
}

init {
    byte core;
    atomic {
        jobs[0] = 1;
        jobs[1] = 1;
        for (core : 0 .. CORES - 1) { run Handler(core); run Task(core) }
    }
    timeout;
    for (core : 0 .. CORES - 1) {
        assert(dormant[core] && !open[core] && !linked[core] && ending[core] == NONE);
        assert(inbox[core] == NONE && !interrupts_off[core])
    }
}
