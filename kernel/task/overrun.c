/* SPDX-License-Identifier: Apache-2.0 */
#include "task/overrun.h"

#include "interrupt/handler.h"
#include "record/event.h"
#include "task/job.h"
#include "task/watch.h"

void overrun_stop(struct task *task) {
    record_of(task)->stopped++;
    job_abort(task, TAKT_ENDED_AWAKE);
}

void overrun_check(struct core *core) {
    struct task *task = core->running;
    if (!watch_overruns(task)) {
        return;
    }
    const struct takt_task_config *config = task->config;
    event_overrun(core, task->id, config->overrun_stops);
    if (config->overrun_handler != 0) {
        handler_call(core, config->overrun_handler, (intptr_t)task->id, TAKT_HANDLER_OVERRUN,
                     task->id, config->overrun_limit);
        MARK(overrun_answered);
    }
    if (config->overrun_stops && core->dispatch_disabled) {
        task->stopping = true; /* takt_dispatch_enable ends it */
    } else if (config->overrun_stops) {
        overrun_stop(task);
    }
    MARK(overrun_answered);
}
