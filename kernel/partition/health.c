/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/health.h"

#include <takt/system.h>

#include "core.h"
#include "partition/restart.h"
#include "record/event.h"
#include "remote/remote_call.h"
#include "sched/dispatch.h"
#include "task/job.h"

/* --- The report: a line on this core's console --------------------------------------------------
 */

struct line {
    char text[TAKT_CONSOLE_PIECE];
    uint32_t size;
};

/* Appends what fits; the last place is the line's end. */
static void line_put(struct line *line, const char *text) {
    while (*text != 0 && line->size < sizeof line->text - 1) {
        line->text[line->size++] = *text++;
    }
}

static void put_address(struct line *line, uintptr_t address) {
    char digits[17];
    uint32_t at = sizeof digits - 1;
    digits[at] = 0;
    do {
        digits[--at] = "0123456789abcdef"[address & 15];
        address >>= 4;
    } while (address != 0);
    line_put(line, "0x");
    line_put(line, &digits[at]);
}

static enum takt_reaction reaction_to(const struct task *task, enum takt_partition_error error) {
    return partition_of(partition_task(task))->reactions[error];
}

static void line_begin(struct line *line, const struct task *task,
                       enum takt_partition_error error) {
    static const char *const errors[] = {
        [TAKT_MEMORY_VIOLATION] = "memory_violation",
        [TAKT_STACK_OVERFLOW] = "stack_overflow",
        [TAKT_ILLEGAL_REQUEST] = "illegal_request",
        [TAKT_APPLICATION_ERROR] = "application_error",
    };
    static const char *const reactions[] = {
        [TAKT_RESTART_TASK] = "restart_task",     [TAKT_STOP_TASK] = "stop_task",
        [TAKT_RESTART_WARM] = "restart_warm",     [TAKT_RESTART_COLD] = "restart_cold",
        [TAKT_STOP_PARTITION] = "stop_partition", [TAKT_SHUTDOWN] = "shutdown",
    };
    line->size = 0;
    line_put(line, "takt: ");
    line_put(line, partition_of(partition_task(task))->name);
    line_put(line, ".");
    line_put(line, task->config->name);
    line_put(line, ": ");
    line_put(line, errors[error]);
    line_put(line, ", ");
    line_put(line, reactions[reaction_to(task, error)]);
    line_put(line, ": ");
}

static void line_end(struct line *line) {
    line->text[line->size++] = '\n';
    takt_console_write(line->text, line->size);
}

/* --- The reaction ------------------------------------------------------------------------------
 */

/* Notes what was seen, before anything is done about it. */
static void error_note(const struct task *task, enum takt_partition_error error,
                       enum takt_reaction reaction) {
    struct takt_record_health *record = &takt_record_health[task->id - 1];
    record->counts[error]++;
    record->latest[error] = arch_ticks();
    event_health(task->context.core, task->id, error, reaction);
}

/* Ends the running job, and what else the partition's table says. Interrupts disabled. */
static void react(struct task *task, enum takt_partition_error error) {
    enum takt_reaction reaction = reaction_to(task, error);
    error_note(task, error, reaction);
    switch (reaction) {
    case TAKT_RESTART_TASK:
        job_abort(task, TAKT_ENDED_AWAKE);
        break;
    case TAKT_STOP_TASK:
        restart_stop_task(task);
        break;
    case TAKT_SHUTDOWN:
        takt_system_shutdown(1);
    default:
        restart_request(task, reaction);
    }
}

void health_fault(struct core *core, enum takt_partition_error error, const char *text,
                  uintptr_t address, uintptr_t place) {
    struct task *task = core->running;
    struct line line;
    line_begin(&line, task, error);
    line_put(&line, text);
    line_put(&line, " at ");
    put_address(&line, address);
    line_put(&line, ", pc ");
    put_address(&line, place);
    line_end(&line);
    react(task, error);
}

static _Noreturn void end_job(enum takt_partition_error error) {
    struct task *task = task_self();
    arch_interrupts_disable();
    execution_account(task->context.core, arch_ticks());
    react(task, error);
    remote_call_close_ending(task);
    dispatch_away();
}

void health_call(enum takt_partition_error error, const char *text, uintptr_t value) {
    struct line line;
    line_begin(&line, task_self(), error);
    line_put(&line, text);
    line_put(&line, " ");
    put_address(&line, value);
    line_end(&line);
    end_job(error);
}

/* The text is read once, byte by byte, as far as it lies in the partition's memory. */
void health_panic(const char *message) {
    const struct takt_partition_task *task = partition_task(task_self());
    struct line line;
    line_begin(&line, task_self(), TAKT_APPLICATION_ERROR);
    for (; line.size < sizeof line.text - 1; message++) {
        if (!partition_can_read(task, (uintptr_t)message, 1)) {
            break;
        }
        char c = *(const volatile char *)message;
        if (c == 0) {
            break;
        }
        line.text[line.size++] = c;
    }
    arch_user_close(); /* the gate has opened it, and is left for ever */
    line_end(&line);
    end_job(TAKT_APPLICATION_ERROR);
}
