/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for the kernel: runs a system's jobs on the host, one after another.
 *
 *     flight SEED
 *
 * A job runs as a whole at one instant somewhere between its release and its deadline: at its
 * release for seed 0, else at random. A system whose deadlines fix its data flow computes the same
 * for every seed. Buffers keep the description's rules, of size, writer and readers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <takt/takt.h>

#define TASK(...)
#define BUFFER(...)
#define ENTRY(name) void name(intptr_t argument);
#include "tables.inc"
#undef ENTRY
#define ENTRY(name)

struct task {
    const char *name;
    void (*entry)(intptr_t);
    intptr_t argument;
    takt_time period, offset, deadline;
    takt_time release, run; /* of the next job */
};

struct buffer {
    const char *name;
    size_t size;
    takt_id writer;
    uint32_t readers; /* a bit for each ID */
    unsigned char value[64];
};

#undef TASK
#define TASK(...) {__VA_ARGS__, 0, 0},
static struct task tasks[] = {
#include "tables.inc"
};
#undef TASK
#define TASK(...)

#undef BUFFER
#define BUFFER(...) {__VA_ARGS__, {0}},
static struct buffer buffers[] = {
#include "tables.inc"
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct task *running;

static bool is_running(takt_id task) {
    return running == &tasks[task - 1];
}

takt_error takt_buffer_write(takt_id buffer, const void *value) {
    struct buffer *b = &buffers[buffer - 1];

    if (buffer < 1 || buffer > COUNT(buffers)) {
        return TAKT_E_ID;
    }
    if (!is_running(b->writer)) {
        return TAKT_E_ILUSE;
    }
    memcpy(b->value, value, b->size);
    return TAKT_OK;
}

takt_error takt_buffer_read(takt_id buffer, void *value) {
    struct buffer *b = &buffers[buffer - 1];

    if (buffer < 1 || buffer > COUNT(buffers)) {
        return TAKT_E_ID;
    }
    if (!(b->readers & 1u << (running - tasks + 1))) {
        return TAKT_E_ILUSE;
    }
    memcpy(value, b->value, b->size);
    return TAKT_OK;
}

takt_time takt_task_release_time(void) {
    return running->release;
}

_Noreturn void takt_system_shutdown(int code) {
    exit(code);
}

_Noreturn void takt_panic(const char *message) {
    fprintf(stderr, "%s: %s\n", running->name, message);
    exit(3);
}

static void plan(struct task *task, takt_time release, bool at_random) {
    task->release = release;
    task->run = release + (at_random ? rand() % task->deadline : 0);
}

static struct task *next(void) {
    struct task *first = &tasks[0];

    for (size_t i = 1; i < COUNT(tasks); i++) {
        if (tasks[i].run < first->run) {
            first = &tasks[i];
        }
    }
    return first;
}

int main(int count, char **arguments) {
    unsigned seed = count > 1 ? (unsigned)atoi(arguments[1]) : 0;

    srand(seed);
    for (size_t i = 0; i < COUNT(tasks); i++) {
        plan(&tasks[i], tasks[i].offset, seed != 0);
    }
    for (;;) {
        running = next();
        running->entry(running->argument);
        plan(running, running->release + running->period, seed != 0);
    }
}
