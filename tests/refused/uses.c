/* SPDX-License-Identifier: Apache-2.0 */
/* A logger that ignores all results. */
#include <takt/system_ids.h>
#include <takt/takt.h>

void writer_job(intptr_t argument) {
    if (takt_mutex_lock(TAKT_MUTEX_log) != TAKT_OK ||
        takt_mutex_unlock(TAKT_MUTEX_log) != TAKT_OK) {
        takt_system_shutdown(4);
    }
}

void logger_job(intptr_t argument) {
    takt_error nobody_looks = takt_mutex_lock(TAKT_MUTEX_log);
    (void)nobody_looks;
    takt_mutex_unlock(TAKT_MUTEX_log);
}
