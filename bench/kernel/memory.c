/* SPDX-License-Identifier: Apache-2.0 */
/* The size of this image is measured; the image is never run. It calls a service of each kind,
 * because services without a caller are not linked. */
#include <takt/takt.h>

void main_job(intptr_t argument) {
    size_t size;
    void *block;
    uint32_t found;
    takt_semaphore_signal(TAKT_SEMAPHORE_semaphore_0);
    const takt_error answers[] = {
        takt_flag_try(TAKT_FLAG_flag_0, 1, TAKT_FLAG_ANY, &found),
        takt_data_queue_try_receive(TAKT_DATA_QUEUE_data_queue_0, &argument),
        takt_message_buffer_try_receive(TAKT_MESSAGE_BUFFER_message_buffer_0, &argument, &size),
        takt_memory_pool_try_get(TAKT_MEMORY_POOL_memory_pool_0, &block),
        takt_mutex_try(TAKT_MUTEX_mutex_0),
    };
    (void)answers;
    takt_alarm_stop(TAKT_ALARM_alarm_0);
}

void more_job(intptr_t argument) {
    (void)argument;
}

void nothing_handler(intptr_t argument) {
    (void)argument;
}
