/* SPDX-License-Identifier: Apache-2.0 */
/* Measures on one node what a task takes that is created beside 0 to 16 others, and a switch
 * between two tasks of one priority beside 0 to 14 others, all of which are ready.
 *
 * Tasks stand in the description, so what is measured of creation is the activation of a dormant
 * task: its job is registered as ready, and its context is prepared when it first runs. */
#include <stdio.h>
#include <string.h>

#include <takt/takt.h>

enum {
    OTHERS = 17,      /* tasks other_0 to other_16, of the lowest priority */
    PAIR = 10,        /* the priority of left and right */
    MOST_ACTIVE = 16, /* tasks that are ready while left and right switch */
    WARM = 4,         /* rounds that are not counted: code and data come into the caches */
    WARM_SWITCHES = 4,
    SWITCHES = 12, /* that count, in each round */
};

static const takt_time PAUSE = 400000; /* ns in which all others run and end */

/* The cycles of one kind, by the number of tasks. */
struct figure {
    unsigned count;
    uint64_t least, most, sum;
};

static struct figure creations[OTHERS];
static struct figure switches[MOST_ACTIVE + 1];

/* What left and right share: they are of one core. */
static volatile uint64_t called_at;
static unsigned switched, ended;
static struct figure *switch_figure;

static uint64_t cycles(void) {
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
    return value;
}

static void check(takt_error error) {
    if (error != TAKT_OK) {
        takt_panic("a service failed");
    }
}

static void note(struct figure *figure, uint64_t passed) {
    if (figure->count == 0 || passed < figure->least) {
        figure->least = passed;
    }
    figure->most = passed > figure->most ? passed : figure->most;
    figure->sum += passed;
    figure->count++;
}

static void print(const char *name, unsigned tasks, const struct figure *figure) {
    printf("%s %u, %u times: minimum %lu, average %lu, maximum %lu cycles\n", name, tasks,
           figure->count, (unsigned long)figure->least,
           (unsigned long)((figure->sum + figure->count / 2) / figure->count),
           (unsigned long)figure->most);
}

void other_job(intptr_t unused) {
}

/* Calls the other one of left and right in turns, each noting how long the other's switch took. */
void pair_job(intptr_t unused) {
    while (switched < WARM_SWITCHES + SWITCHES) {
        called_at = cycles();
        check(takt_task_rotate(PAIR));
        uint64_t passed = cycles() - called_at;
        if (switched >= WARM_SWITCHES && switched < WARM_SWITCHES + SWITCHES) {
            note(switch_figure, passed);
        }
        switched++;
    }
    ended++;
    if (ended == 2) {
        check(takt_task_wakeup(TAKT_TASK_control));
    }
}

static void activate_others(unsigned count, struct figure *figures) {
    for (unsigned already = 0; already < count; already++) {
        uint64_t begin = cycles();
        takt_error error = takt_task_activate(TAKT_TASK_other_0 + (takt_id)already);
        uint64_t passed = cycles() - begin;
        check(error);
        if (figures) {
            note(&figures[already], passed);
        }
    }
}

static void switch_beside(unsigned active, struct figure *figure) {
    switched = 0;
    ended = 0;
    switch_figure = figure;
    activate_others(active - 2, NULL);
    check(takt_task_activate(TAKT_TASK_left));
    check(takt_task_activate(TAKT_TASK_right));
    check(takt_task_sleep());
    check(takt_task_delay(PAUSE));
}

void control_job(intptr_t rounds) {
    for (intptr_t round = -WARM; round < rounds; round++) {
        check(takt_task_delay(PAUSE));
        if (round == 0) { /* what was noted has brought the figures into the cache */
            memset(creations, 0, sizeof creations);
        }
        activate_others(OTHERS, creations);
    }
    check(takt_task_delay(PAUSE));
    for (unsigned active = 2; active <= MOST_ACTIVE; active++) {
        switch_beside(active, &switches[active]);
        switches[active] = (struct figure){0};
        switch_beside(active, &switches[active]);
    }
    for (unsigned already = 0; already < OTHERS; already++) {
        print("create", already, &creations[already]);
    }
    for (unsigned active = 2; active <= MOST_ACTIVE; active++) {
        print("switch", active, &switches[active]);
    }
    takt_system_shutdown(0);
}
