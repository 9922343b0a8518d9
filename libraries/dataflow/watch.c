/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the states of all cores, and ends the run if one hangs or has failed. */
#include <string.h>

#include <takt/takt.h>

#include "scheduler.h"

/* What the handler saw of a core: its status, and since when. Only the handler uses it. */
static struct {
    uint64_t status;
    takt_time since;
} seen[CORES_MAX];

/* When a status has changed last. */
static takt_time moved;

/* The transfers of a firing take less, in nanoseconds: all scratchpads of iota9 together are filled
 * in 7 ms. */
#define LONGEST_TRANSFER 20000000

/* A line of the report. Longer text is cut. */
static char line[2 * TAKT_CONSOLE_PIECE];
static size_t used;

static void add(const char *text) {
    size_t length = strnlen(text, sizeof line - used);
    memcpy(&line[used], text, length);
    used += length;
}

#ifndef DATAFLOW_SHARED /* only a worker without a kernel leaves the numbers of its fault */
static void add_number(const char *text, uint64_t number) {
    char digits[] = "0x0000000000000000";
    for (int digit = 17; digit > 1; digit--, number /= 16) {
        digits[digit] = "0123456789abcdef"[number % 16];
    }
    add(text);
    add(digits);
}
#endif

/* Holds the worker, prints the line, and ends the run. */
static _Noreturn void end(uint32_t core) {
    if (core != CONTROL_CORE) {
        mesh_hold(core);
    }
    add("\n");
    takt_console_write(line, used);
    takt_system_shutdown(1);
}

static void look(uint32_t core, uint64_t status, takt_time now) {
    const struct object *object = &dataflow_objects[(status & 0xffffffff) >> 8];
    switch ((enum state)(status & 0xff)) {
    case STATE_EXECUTION:
        if (now - seen[core].since > (takt_time)object->wcet_ns) {
            add("dataflow: object ");
            add(object->name);
            add(" executes for longer than ");
            add(object->wcet);
            end(core);
        }
        break;
#ifndef DATAFLOW_SHARED
    case STATE_FAULT:
        add("dataflow: fault of object ");
        add(object->name);
        add_number(": cause ", status >> 32);
        add_number(", pc ", *mesh_word(core, WORD_TRAP_PC));
        add_number(", address ", *mesh_word(core, WORD_TRAP_VALUE));
        end(core);
#endif
    case STATE_FAILED:
        add("dataflow: object ");
        add(object->name);
        if (status >> 32 == EDGE_WITHIN) {
            add(": an input from its own core is not there");
#if DATAFLOW_RTOS1
        } else if (status >> 32 == EDGE_MESSAGE) {
            add(": the engine refuses a message");
#endif
        } else {
            add(": the engine refuses the transfer ");
            add(dataflow_edges[status >> 32]);
        }
        end(core);
    default:
        break;
    }
}

void takt_dataflow_watch(intptr_t unused) {
    takt_time now = takt_time_now();
    for (uint32_t core = 0; core < CORES_MAX; core++) {
        if (!(dataflow_cores >> core & 1)) {
            continue;
        }
        uint64_t status = *mesh_word(core, WORD_STATUS);
        if (status != seen[core].status) {
            seen[core].status = status;
            seen[core].since = moved = now;
        }
        look(core, status, now);
    }
    enum state control = (enum state)(seen[CONTROL_CORE].status & 0xff);
    if (control != STATE_SEQUENTIAL && control != STATE_CHECK &&
        now - moved > LONGEST_TRANSFER + dataflow_longest_wcet) {
        add("dataflow: no core gets on: a message was lost");
        end(CONTROL_CORE);
    }
}
