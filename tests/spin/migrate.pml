/* SPDX-License-Identifier: Apache-2.0 */
/* Migration: kernel/remote/migrate.c, with kernel/remote/{inbox,request,remote_call}.c, kernel/task/wait.c and let_go in trap.c.
 *
 * Modelled: a task with JOBS jobs that each wait once, with a timeout or for ever, and two cores that it
 * moves between, whatever its state: ordered once by a task of its core, by orders from elsewhere, or as its
 * next job is to begin there. Meanwhile a third core and core 0 signal, the timeout expires, and two tasks of
 * other cores order it to move or to end. It may leave with its block free, in the inbox of the core that it
 * leaves, or still being pushed there.
 * Asserted: only the core that has the task ends its wait or job or lets it go; its block and an order lie in
 * one inbox at most; it arrives nowhere before its registers are kept; each wait ends once, one with a timeout
 * does end; no signal is lost; each order is answered; in the end the task is somewhere, and nothing is left over.
 * Atomic here and there: what a core does with interrupts disabled excludes its handlers and the task there, not
 * other cores. A section under a lock is a step (lock.pml), with what before and behind it only its own core
 * sees. An inbox is a channel and each push interrupts (inbox.pml has the whole). Spins are conditions that block.
 * Left out: weak ordering, a second task, suspension, disabled dispatch (orders.pml), activations
 * (jobs.pml), release timers, which go along as wait timers do, idle pulling, which orders as any. */
#define JOBS 2
#ifdef CONFIG_TWO_ORDERS
#define OTHERS 0
#else
#define OTHERS 1
#endif
#define NONE 2  /* no core */
#define BLOCK 0 /* the task's; orders are 1 and 2 */

mtype = { DORMANT, READY, WAITING };

/* Of a core. */
bool interrupts_off[2], interrupt[2], departing[2];
bool in_handler[3]; /* NONE: as if, so that a task on its way does not run */
chan inbox[2] = [3] of { byte };
/* Of the core that has the task. */
mtype state = READY;
byte jobs = JOBS - 1, moves = OTHERS, signals_here = OTHERS;
bool ended; /* the job: the task's code begins anew */
byte ready_at, timer_at = NONE, destination = NONE;
bool departs, timed, begins, held[3];
/* Guarded by locks; core_of is context.core. */
byte core_of, posts_to;
bool wait_linked, linked, wake;
byte count;
/* Of orders: to move the task there; NONE: to end it. */
byte to[3];
bool open[3];
/* For the assertions alone. */
byte wait, wake_for;
bool wait_open, patient, kept = true, lies[3];
byte given, got, dropped;

inline push(owner, block) {
    assert(!lies[block]);
    lies[block] = true;
    interrupt[owner] = interrupt[owner] || len(inbox[owner]) == 0;
    inbox[owner]!block
}

/* --- A signal -------------------------------------------------------------------------------------- */

/* The object's section: who unlinks the task ends this wait. */
inline signal() {
    given++;
    if :: wait_linked -> wait_linked = false; whose = wait :: else -> count++ fi
}

/* request_post_and_release */
inline post_wake() {
    atomic {
        assert(!wake);
        wake = true;
        wake_for = whose;
        links = !linked;
        linked = true;
        owner = posts_to
    }
    atomic {
        if :: links -> push(owner, BLOCK) :: !links fi;
        whose = 0; owner = 0; links = false
    }
}

/* --- On a core that has the task, interrupts disabled ---------------------------------------------- */

inline end_wait() {
    assert(core_of == here && wait_open && state == WAITING);
    wait_open = false;
    patient = false;
    timer_at = NONE
}

inline end_here() { end_wait(); state = READY; ready_at = here }

/* migration_request: an interrupt comes at once. */
inline depart(core) {
    if :: departs :: else -> departs = true; departing[core] = true; interrupt[core] = true fi
}

/* The next job, if there is one, begins here or, as it was asked for, on the other core. */
inline begin_next(core) {
    ready_at = NONE;
    if
    :: jobs > 0 ->
        jobs--;
        if
        :: state = READY; ready_at = core
        :: state = DORMANT; begins = true; destination = 1 - core; depart(core)
        fi
    :: else -> state = DORMANT
    fi
}

inline move(where) {
    assert(core_of == here);
    destination = (where == here -> NONE : where);
    if :: destination != NONE -> depart(here) :: else fi
}

inline expire() {
    timer_at = NONE;
    assert(core_of == here && state == WAITING);
    if :: wait_linked -> wait_linked = false; end_here() :: else fi
}

/* To end: wait_drop, which spins for a wake-up on its way, and job_abort. */
inline carry_out() {
    if
    :: atomic { to[order] != NONE -> move(to[order]); open[order] = false }
    :: atomic { to[order] == NONE -> assert(core_of == here); was_linked = wait_linked; wait_linked = false }
        atomic { state != WAITING || was_linked || wake ->
            if :: state == WAITING && !was_linked -> wake = false; wake_for = 0; dropped++ :: else fi;
            if :: state == WAITING -> end_wait() :: else fi;
            if :: state != DORMANT -> ended = true; begin_next(here) :: else fi;
            open[order] = false;
            was_linked = false
        }
    fi
}

/* --- The handler ----------------------------------------------------------------------------------- */

#ifdef BUG_ORDER_WHERE_IT_WAS
#define TASK_IS_HERE true
#else
#define TASK_IS_HERE (core_of == here)
#endif
#ifdef BUG_ORDER_AS_IT_DEPARTS
#define DEPARTS false
#else
#define DEPARTS departs
#endif

/* Orders of a task that departs or is on its way are held where it will arrive. */
inline answer_order() {
    if
    :: atomic { !TASK_IS_HERE || DEPARTS -> owner = posts_to }
        atomic {
            if :: owner != here -> push(owner, order) :: else -> held[order] = true fi;
            owner = 0
        }
    :: TASK_IS_HERE && !DEPARTS -> carry_out()
    fi
}

/* One that moves it again lets the next one be held again. */
inline answer_held() {
    for (order : 1 .. 2) {
        if :: atomic { held[order] && !departs -> held[order] = false } carry_out() :: else fi
    }
    order = 0
}

inline arrive() {
    core_of = here;
    assert(kept && ready_at == NONE && timer_at == NONE);
    destination = NONE;
#ifndef BUG_TIMER_FORGOTTEN
    if :: timed -> timer_at = here :: else fi;
#endif
    timed = false;
    assert(state != WAITING || patient || !wait_linked || timer_at == here);
    if :: begins -> begins = false; state = READY :: else fi;
    if :: state == READY -> ready_at = here :: else fi
}

#ifdef BUG_NOT_PASSED_ON
#define GOES_ON false
#else
#define GOES_ON (owner != here)
#endif

inline answer_task() {
    atomic {
        owner = posts_to;
        if
        :: GOES_ON
        :: else ->
            arrives = core_of == NONE;
            woken = wake;
            wake = false;
            linked = false;
            if :: arrives -> arrive() :: else fi
        fi
    }
    if
    :: GOES_ON -> atomic { push(owner, BLOCK) }
    :: else ->
#ifdef BUG_HELD_BEFORE_WAKE /* the fault that migration had */
        if :: arrives -> answer_held() :: else fi;
#endif
        atomic { if :: woken -> assert(wake_for == wait); wake_for = 0; got++; end_here() :: else fi };
#ifndef BUG_HELD_BEFORE_WAKE
        if :: arrives -> answer_held() :: else fi;
#endif
    fi;
    atomic { owner = 0; arrives = false; woken = false }
}

inline answer_inbox() {
    interrupt[here] = false;
    do
    :: atomic { inbox[here]?BLOCK -> lies[BLOCK] = false }
        answer_task()
    :: atomic { nempty(inbox[here]) && !inbox[here]?[BLOCK] -> inbox[here]?order; lies[order] = false }
        answer_order();
        order = 0
    :: atomic { empty(inbox[here]) -> break }
    od
}

/* migration_detach_all: the end of the interrupt. */
inline leave() {
    assert(core_of == here && destination == 1 - here);
    ready_at = NONE;
#ifndef BUG_TIMER_LEFT
    timed = timer_at != NONE;
    timer_at = NONE;
#endif
    kept = false;
    core_of = NONE;
    posts_to = destination;
    departs = !linked;
#ifdef BUG_PUSHED_TWICE
    departs = true;
#endif
#ifndef BUG_NOT_LINKED
    linked = true
#endif
}

/* migration_send_all, after context_keep */
inline go() {
    atomic {
        departing[here] = false;
        links = departs;
        owner = destination;
#ifndef BUG_GOES_BEFORE_KEPT
        kept = true;
#endif
#ifndef BUG_DEPARTS_TOO_LONG
        departs = false
#endif
    }
    atomic { if :: links -> push(owner, BLOCK) :: !links fi; links = false; owner = 0 }
#ifdef BUG_DEPARTS_TOO_LONG
    departs = false;
#endif
    kept = true
}

proctype Handler(byte here) {
    byte owner, order, whose;
    bool was_linked, arrives, woken, links;
end:
    do
    :: atomic { interrupt[here] && !interrupts_off[here] -> in_handler[here] = true }
answers:
        answer_inbox();
leaves:
        if
        :: atomic { departing[here] -> leave() }
            go();
            in_handler[here] = false
        :: atomic { !departing[here] -> in_handler[here] = false }
        fi
    :: atomic { timer_at == here && !interrupts_off[here] ->
        in_handler[here] = true;
        expire();
        goto leaves }
    :: atomic { signals_here > 0 && here == 0 && !interrupts_off[here] ->
        in_handler[here] = true;
        signals_here--;
        signal();
        if
        :: whose == 0 -> goto leaves
        :: whose != 0 && core_of == here -> got++; whose = 0; end_here(); goto leaves
        :: else
        fi }
        post_wake();
        goto leaves
    :: atomic { moves > 0 && core_of == here && !interrupts_off[here] ->
        in_handler[here] = true;
        moves--;
        move(1 - here);
        if
        :: goto leaves
        :: goto answers /* by the next interrupt, or just now */
        :: timer_at == here -> expire(); goto leaves
        fi }
    od
}

/* --- Everybody else -------------------------------------------------------------------------------- */

proctype Task() provided (!in_handler[core_of]) {
    bool waits;
end:
    do
    :: atomic { state == READY -> assert(ready_at == core_of); ended = false; interrupts_off[core_of] = true }
        {
            atomic {
                if
                :: count > 0 -> count--; got++; waits = false
                :: else -> waits = true; wait_linked = true; wait++; wait_open = true
                fi
            }
            if
            :: atomic { waits ->
                    if :: patient = true :: timer_at = core_of; patient = false fi;
                    state = WAITING;
                    ready_at = NONE;
                    interrupts_off[core_of] = false }
end_or_waits:   atomic { state == READY -> assert(ready_at == core_of); interrupts_off[core_of] = true }
            :: !waits
            fi;
            atomic { begin_next(core_of); waits = false; interrupts_off[core_of] = false }
        } unless { ended }
    od
}

proctype Signaller() {
    byte whose, owner;
    bool links;
    atomic { signal() }
    if :: whose != 0 -> post_wake() :: else fi
}

/* remote_call */
proctype Giver(byte order) {
    byte owner;
    atomic {
        if :: to[order] = NONE :: order == 1 -> to[order] = 1 - posts_to fi;
        open[order] = true;
        owner = posts_to
    }
    atomic { push(owner, order) }
    !open[order]
}

init {
    atomic {
        in_handler[NONE] = true;
        run Handler(0); run Handler(1); run Task(); run Signaller(); run Giver(1);
#ifdef CONFIG_TWO_ORDERS
        run Giver(2)
#endif
    }
    timeout;
    assert(!open[1] && !open[2] && !held[1] && !held[2]);
    assert(core_of != NONE && posts_to == core_of && destination == NONE && !linked && !wake && !departs);
    assert(given == 1 + OTHERS && given == count + got + dropped && timer_at == NONE);
    assert(state == DORMANT || (state == WAITING && patient && wait_linked && count == 0))
}
