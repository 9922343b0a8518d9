/* SPDX-License-Identifier: Apache-2.0 */
/* The way of commands and answers between a node and the RTU: registers in a page of the node's
 * own, so that there is no lock. docs/design/placements.md, "The RTU". */
#include "core.h"
#include "lock/spinlock.h"
#include "node/node.h"
#include "node/transport.h"
#include "object/raise.h"
#include "object/semaphore.h"
#include "placement.h"
#include "record/event.h"
#include "system.h"

enum { SYSTEM_CORE = 0, PAGE_WORDS = 512 };

/* Words of a node's page, and of the page for all. */
enum { PAGE_COMMAND, PAGE_ARGUMENT, PAGE_UNTIL, PAGE_ANSWER, PAGE_LOOK, PAGE_VALUE };
enum { ALL_CONTROL = 3 };
enum { CONTROL_ENABLE = 1, CONTROL_RESET = 2 };

/* The page for all, behind which those of the cores lie. Constant after transport_init. */
static volatile uint64_t *unit;

/* Expires at time 0. The system core's. */
static struct timer start;

static volatile uint64_t *page_of(const struct core *core) {
    return unit + PAGE_WORDS * (1 + core->index);
}

/* From now on nodes are told what to run. */
static void enable(struct timer *timer) {
    arch_register_submit(&unit[ALL_CONTROL], CONTROL_ENABLE);
}

void transport_init(void) {
    unit = map_device(RTU_BASE, sizeof *unit * PAGE_WORDS * (1 + takt_core_count));
    arch_register_submit(&unit[ALL_CONTROL], CONTROL_RESET);
}

/* --- Commands ----------------------------------------------------------------------------------*/

/* How long a load of the answer had better wait behind a command of so many clocks, in passes of a
 * loop of some four cycles: one that comes too early finds BUSY, and the next one costs another
 * trip. The command has arrived by then, an edge of the clock comes before it is served, and the
 * load has its own way. */
#define PASSES(clocks)                                                                             \
    (((clocks) + 1) * RTU_CLOCK > RTU_WAY ? (((clocks) + 1) * RTU_CLOCK - RTU_WAY + 3) / 4 : 0)

/* By operation, the most clocks that it takes: docs/design/placements.md, "The RTU". */
static const uint16_t passes[] = {
    [COMMAND_START] = PASSES(3 + RTU_TASK_ROWS),
    [COMMAND_WAKE] = PASSES(3 + RTU_TASK_ROWS),
    [COMMAND_END] = PASSES(4 + RTU_PLACE_ROWS + RTU_TASK_ROWS),
    [COMMAND_DELAY] = PASSES(3 + RTU_TASK_ROWS),
    [COMMAND_SLEEP] = PASSES(3 + RTU_TASK_ROWS),
    [COMMAND_YIELD] = PASSES(3 + 2 * RTU_TASK_ROWS),
    [COMMAND_SET_PRIORITY] = PASSES(3 + RTU_TASK_ROWS),
    [COMMAND_TAKE] = PASSES(3 + RTU_TASK_ROWS),
    [COMMAND_GIVE] = PASSES(3 + 2 * RTU_TASK_ROWS),
    [COMMAND_SEND] = PASSES(3 + 2 * RTU_TASK_ROWS),
    [COMMAND_SEND_LONG] = PASSES(3 + 2 * RTU_TASK_ROWS),
    [COMMAND_RECEIVE] = PASSES(5 + RTU_PLACE_ROWS + 2 * RTU_TASK_ROWS),
    [COMMAND_RELEASE] = PASSES(3 + RTU_PLACE_ROWS + RTU_TASK_ROWS),
};

uint64_t transport_call(struct core *core, const struct command *command) {
    MARK(command_given);
    node_count_call(core, command->word);
    volatile uint64_t *page = page_of(core);
    enum command_op op = command_op(command->word);
    if (command_wait(command->word) == COMMAND_WAIT_UNTIL) {
        page[PAGE_UNTIL] = command->until;
    }
    if (op == COMMAND_SEND_LONG || (op >= COMMAND_CREATE_TASK && op <= COMMAND_CREATE_QUEUE)) {
        page[PAGE_ARGUMENT] = command->argument;
    }
    arch_register_submit(&page[PAGE_COMMAND], command->word);
    for (unsigned left = passes[op]; left > 0; left--) { /* bound: of `passes` */
        arch_pause();
    }
    for (;;) { /* bound: that of a command */
        uint64_t answer = arch_register_read(&page[PAGE_ANSWER]);
        if ((answer & ANSWER_BUSY) == 0) {
            MARK(command_answered);
            return answer;
        }
        kernel_spin();
    }
}

void transport_interrupted(struct core *core) {
}

uint64_t transport_decision(struct core *core) {
    return arch_register_read(&page_of(core)[PAGE_ANSWER]);
}

intptr_t transport_value(struct core *core, takt_id next) {
    return (intptr_t)arch_register_read(&page_of(core)[PAGE_VALUE]);
}

/* --- Before time 0, on the system core ---------------------------------------------------------*/

static void create(struct core *core, enum command_op op, takt_id object, takt_id task,
                   uint64_t argument) {
    struct command command = {
        .word = command_word(op, COMMAND_WAIT_NONE, 1, object, TAKT_ID_NONE, task),
        .argument = argument};
    if (answer_error(transport_call(core, &command)) != ANSWER_DONE) {
        kernel_panic(0, "the RTU refuses a task or an object of the description");
    }
}

/* Creates all tasks and objects, and starts the tasks that begin at time 0. Bound: their number. */
static void create_all(struct core *core) {
    for (takt_id id = 1; id <= takt_task_count; id++) {
        const struct takt_task_config *task = &takt_task_configs[id - 1];
        create(core, COMMAND_CREATE_TASK, 0, id,
               task->core | (uint64_t)(task->priority - 1) << 8 |
                   (uint64_t)task->queue_limit << 16);
        if (task->start) {
            create(core, COMMAND_START, 0, id, 0);
            event_queue(core, id);
        }
    }
    for (takt_id id = 1; id <= takt_semaphore_count; id++) {
        const struct takt_semaphore_config *semaphore = &takt_semaphore_configs[id - 1];
        create(core, COMMAND_CREATE_SEMAPHORE, id, 0,
               semaphore->initial | (uint64_t)semaphore->maximum << 32 |
                   (uint64_t)semaphore->by_priority << 63);
    }
    for (takt_id id = 1; id <= takt_priority_data_queue_count; id++) {
        const struct takt_priority_data_queue_config *queue =
            &takt_priority_data_queue_configs[id - 1];
        create(core, COMMAND_CREATE_QUEUE, id, 0,
               queue->capacity | (uint64_t)queue->by_priority << 16 |
                   (uint64_t)queue_raises(queue) << 24);
    }
}

void transport_start(struct core *core) {
    if (core->index == SYSTEM_CORE) {
        create_all(core);
        start.expire = enable;
        timer_start(&core->timers, &start, 0);
    }
}
