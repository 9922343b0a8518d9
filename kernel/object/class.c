/* SPDX-License-Identifier: Apache-2.0 */
/* The number of a class's objects is a constant: of a class that the description does not use
 * nothing is linked. */
#include "object/class.h"

#include "object/mutex.h"
#include "object/mutex_msrp.h"
#include "object/reader_writer_lock.h"
#include "object/semaphore.h"

bool class_cancel_wait(struct task *task, bool *granted) {
    if (takt_mutex_count > 0 && task->wait_class == TAKT_OBJECT_MUTEX) {
        return mutex_cancel(task);
    }
    return waiters_cancel(task->waits_for, task, granted);
}

bool class_give_back_one(struct task *task) {
    return (takt_mutex_count > 0 && mutex_give_back_one(task)) ||
           (takt_reader_writer_lock_count > 0 && reader_writer_lock_give_back_one(task));
}

void class_give_back_all(struct task *task) {
    if (takt_mutex_count > 0) {
        mutex_msrp_give_back(task); /* first: others spin for it */
    }
    while (class_give_back_one(task)) {
    }
}

void class_note_lost(struct task *task, bool waits) {
    if (!HOLDS) {
        return;
    }
    if (!waits && task->wait_class == TAKT_OBJECT_SEMAPHORE) {
        semaphore_note_lost(task);
    }
    task->wait_id = TAKT_ID_NONE;
}

takt_id class_holder(enum takt_record_object class, takt_id id) {
    switch (class) {
    case TAKT_OBJECT_SEMAPHORE:
        return semaphore_holder(id);
    case TAKT_OBJECT_MUTEX:
        return mutex_holder(id);
    case TAKT_OBJECT_READ:
    case TAKT_OBJECT_WRITE:
        return reader_writer_lock_holder(id);
    default:
        return TAKT_ID_NONE;
    }
}
