/* SPDX-License-Identifier: Apache-2.0 */
/* The regulator of a core's memory traffic: kernel/bandwidth/regulator.c, arch/riscv64/counters.c.
 *
 * Modelled: one core with two counters, whose lines may come between any two steps; the interrupt of
 * both counters (LCOFIP), which is taken up to SKID lines later; a timer that begins PERIODS periods; a firmware whose
 * start of a counter leaves OF set, and the counter so disarmed, where LCOFIP is pending.
 * Asserted: whenever the core is in no interrupt, each counter either is spent, or wraps when or before its budget is used
 * up, or the interrupt is pending; the core is throttled exactly if a counter is spent; a period that begins ends
 * that unless a debt is as large as a budget; and in so many periods the core moves at most so many
 * budgets and one overshoot.
 * Atomic here and there: a line with the wrap that it causes; the reading of a counter; each call of the firmware, as it
 * stops the counter or writes it and OF in M-mode. Interrupts of S-mode are disabled in interrupts.
 * The model begins with both counters armed.
 * Left out: lines that the core moves while the counters are stopped, which nobody counts; idle time; tasks that have
 * disabled dispatch and go on; the order of the other interrupts, each of which moves lines as the period's does. */
#define PERIODS 2
#define BUDGET 2      /* of each counter */
#define SKID 1
#define KERNEL 1      /* lines that one interrupt moves */
#define FAR 60        /* out of reach */
#define OVERSHOOT (SKID + 2 * KERNEL)

short count[2] = -BUDGET, base[2] = -BUDGET; /* the counters, armed; bandwidth.base */
short debt[2];
bool over[2], runs[2] = true, spent[2]; /* OF; whether it counts */
bool pending, timer, throttled, handles;
byte skid = SKID, kernel;
byte begun;    /* periods, for the assertions alone, from here */
byte moved[2];

inline line(which) {
    moved[which]++;
    count[which]++;
    if
    :: count[which] == 0 && !over[which] -> over[which] = true; pending = true
    :: else
    fi
}

/* Lines of the task, and of interrupts. */
proctype Lines() {
    do
    :: atomic { !handles && !throttled && !timer && (!pending || skid > 0) && runs[0] && runs[1] ->
           if :: pending -> skid-- :: else fi;
           if :: line(0) :: line(1) fi }
    :: atomic { handles && kernel > 0 && runs[0] -> kernel--; line(0) }
    :: atomic { handles && kernel > 0 && runs[1] -> kernel--; line(1) }
    :: begun == PERIODS -> break
    od
}

proctype Timer() {
    byte period;
    for (period : 1 .. PERIODS) {
        !timer;
        timer = true
    }
}

inline start(which, value) {
    atomic {
        count[which] = value;
        runs[which] = true;
        if :: !pending -> over[which] = false :: else fi
    }
}

inline stop_counters() { atomic { runs[0] = false; runs[1] = false } }

inline arm_one(which) {
    use = count[which] - base[which];
    spent[which] = use >= BUDGET;
    if :: spent[which] -> left = FAR :: else -> left = BUDGET - use fi;
#ifdef BUG_ARMS_THE_SPENT_ONE
    if
    :: !spent[which] -> runs[which] = true
    :: else
#endif
    base[which] = -left - use;
    start(which, -left)
#ifdef BUG_ARMS_THE_SPENT_ONE
    fi
#endif
}

inline arm() {
    stop_counters();
#ifndef BUG_STARTS_BEFORE_IT_CLEARS
    pending = false;
#endif
    arm_one(0);
    arm_one(1);
#ifdef BUG_STARTS_BEFORE_IT_CLEARS
    pending = false;
#endif
    throttled = spent[0] || spent[1];
    skid = SKID
}

inline replenish(which) {
    use = count[which] - base[which];
#ifdef BUG_FORGETS_DEBT
    debt[which] = 0;
#else
    debt[which] = (use > BUDGET -> use - BUDGET : 0);
#endif
    base[which] = base[which] + use - debt[which]
}

#define USE(which) (count[which] - base[which])
#define ARMED(which) (runs[which] && !over[which] && -count[which] <= BUDGET - USE(which))
#define IN_BOUND(which, periods) (moved[which] <= (periods) * BUDGET + OVERSHOOT)
#define GUARDED(which) (spent[which] || ARMED(which) || pending)

proctype Core() {
    short use, left;
    do
    :: atomic { timer -> handles = true; kernel = KERNEL };
        replenish(0);
        replenish(1);
        begun++;
#ifdef BUG_STAYS_SPENT
        if :: false -> arm() :: else fi;
#else
        if :: spent[0] || spent[1] -> arm() :: else fi;
#endif
        atomic {
            assert(IN_BOUND(0, begun) && IN_BOUND(1, begun));
            assert(!throttled || USE(0) >= BUDGET || USE(1) >= BUDGET);
            timer = false;
            handles = false;
            assert(GUARDED(0) && GUARDED(1) && throttled == (spent[0] || spent[1]))
        }
        if :: begun == PERIODS && !pending -> break :: else fi
    :: atomic { pending && !timer -> handles = true; kernel = KERNEL };
        arm();
        atomic {
            assert(IN_BOUND(0, begun + 1) && IN_BOUND(1, begun + 1));
            handles = false;
            assert(GUARDED(0) && GUARDED(1) && throttled == (spent[0] || spent[1]))
        }
        if :: begun == PERIODS && !pending -> break :: else fi
    od
}

init {
    atomic {
        run Core();
        run Timer();
        run Lines()
    }
}
