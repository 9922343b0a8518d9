/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of 4 KiB through one message buffer, from and to tasks of one core or of eight: a
 * section copies one message, word by word, and waits for one copy of each other core. */
#include "kind.h"
#include "watch.h"

enum { BYTES = 4096 };

/* On the board `virt64` a copy takes 6 us, and up to 9 us from and to lines that other cores have
 * written; a section makes one, after one of each core that came to the lock first. */
enum { QUICK = 4 * TAKT_MICROSECOND + CORES * 10 * TAKT_MICROSECOND };

static uint8_t messages[2 * CORES][BYTES] __attribute__((aligned(64)));
static unsigned sent;

void sender_job(intptr_t core) {
    while (takt_message_buffer_send(TAKT_MESSAGE_BUFFER_box, messages[core], BYTES) == TAKT_OK) {
        count_up(&sent);
    }
}

void receiver_job(intptr_t core) {
    size_t size;
    while (takt_message_buffer_receive(TAKT_MESSAGE_BUFFER_box, messages[CORES + core], &size) ==
           TAKT_OK) {
    }
}

void main_job(intptr_t argument) {
    for (unsigned i = 0; i < 2 * CORES; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_sender_0 + i), TAKT_OK);
    }
    wait_until_count(&sent, 4 * CORES);
    count_up(&watching);
    wait_until_count(&watched, 50);
    watch_check(QUICK);
    check_end();
}
