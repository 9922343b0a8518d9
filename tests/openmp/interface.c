/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of omp.h, in a team without teams inside it. */
#include <omp.h>

#include "constructs.h"

static void counts(int size) {
    HOLDS(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && omp_get_level() == 0);
    HOLDS(omp_get_max_threads() == size && omp_get_thread_limit() == size);
    HOLDS(omp_get_num_procs() == size && omp_get_active_level() == 0 && !omp_in_parallel());
    HOLDS(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
    HOLDS(omp_get_ancestor_thread_num(1) == -1 && omp_get_team_size(-1) == -1);
#pragma omp parallel
    {
        int number = omp_get_thread_num();
        HOLDS(omp_get_level() == 1 && omp_get_active_level() == (size > 1));
        HOLDS(omp_get_ancestor_thread_num(1) == number && omp_get_team_size(1) == size);
        HOLDS(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
#pragma omp parallel
        {
            HOLDS(omp_get_level() == 2 && omp_get_num_threads() == 1);
            HOLDS(omp_get_ancestor_thread_num(1) == number && omp_get_team_size(1) == size);
            HOLDS(omp_get_ancestor_thread_num(2) == 0 && omp_get_team_size(2) == 1);
        }
    }
    /* A region around that has one thread does not count as a level of the teams. */
#pragma omp parallel if (size < 0)
#pragma omp parallel
    HOLDS(omp_get_num_threads() == size && omp_get_level() == 2 &&
          omp_get_active_level() == (size > 1) && omp_get_team_size(1) == 1);
}

/* Settings belong to the thread that sets them, and regions inherit them. */
static void settings(int size) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    HOLDS(kind == omp_sched_static && chunk == 0);
    omp_set_schedule(omp_sched_guided | omp_sched_monotonic, 9);
    omp_set_dynamic(1);
    omp_set_num_threads(size + 3);
    HOLDS(omp_get_max_threads() == size);
#pragma omp parallel private(kind, chunk)
    {
        omp_get_schedule(&kind, &chunk);
        HOLDS(kind == (omp_sched_guided | omp_sched_monotonic) && chunk == 9);
        HOLDS(omp_get_dynamic() == 1);
        omp_set_dynamic(0);
        omp_set_num_threads(1);
        omp_set_schedule(omp_sched_dynamic, -1);
        omp_get_schedule(&kind, &chunk);
        HOLDS(kind == omp_sched_dynamic && chunk == 1);
    }
    omp_get_schedule(&kind, &chunk);
    HOLDS(kind == (omp_sched_guided | omp_sched_monotonic) && chunk == 9);
    HOLDS(omp_get_dynamic() == 1 && omp_get_max_threads() == size);
    omp_set_schedule((omp_sched_t)77, 1);
    omp_get_schedule(&kind, &chunk);
    HOLDS(kind == (omp_sched_guided | omp_sched_monotonic));
    omp_set_dynamic(0);
    omp_set_schedule(omp_sched_static, 0);

    HOLDS(omp_get_max_active_levels() == 1 && omp_get_supported_active_levels() == 1);
    omp_set_max_active_levels(0);
#pragma omp parallel
    HOLDS(omp_get_num_threads() == 1);
    omp_set_max_active_levels(40);
    HOLDS(omp_get_max_active_levels() == 1 && !omp_get_nested());
    omp_set_nested(1);
    HOLDS(!omp_get_nested());
#pragma omp parallel num_threads(2) proc_bind(close)
    HOLDS(omp_get_num_threads() == (size < 2 ? size : 2));
}

static void places(int size) {
    HOLDS(omp_get_proc_bind() == omp_proc_bind_true);
    HOLDS(omp_get_num_places() == size && omp_get_partition_num_places() == size);
#pragma omp parallel proc_bind(spread)
    {
        int ids[1] = {-1}, all[128];
        HOLDS(omp_get_place_num() == omp_get_thread_num());
        HOLDS(omp_get_place_num_procs(omp_get_place_num()) == 1);
        omp_get_place_proc_ids(omp_get_place_num(), ids);
        HOLDS(ids[0] == omp_get_thread_num());
        omp_get_partition_place_nums(all);
        HOLDS(all[0] == 0 && all[size - 1] == size - 1);
    }
    HOLDS(omp_get_place_num_procs(size) == 0 && omp_get_place_num_procs(-1) == 0);
}

static void environment(void) {
    HOLDS(omp_is_initial_device() && omp_get_num_devices() == 0);
    HOLDS(omp_get_initial_device() == 0 && omp_get_device_num() == 0);
    HOLDS(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    HOLDS(!omp_get_cancellation() && !omp_in_final() && omp_get_max_task_priority() == 0);
    HOLDS(omp_get_wtick() > 0 && omp_get_wtick() < 1e-3);
    double begin = omp_get_wtime(), now;
    while ((now = omp_get_wtime()) == begin) {
    }
    HOLDS(now - begin >= omp_get_wtick() * 0.99);
    omp_lock_t lock;
    omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
    HOLDS(omp_test_lock(&lock) && !omp_test_lock(&lock));
    omp_destroy_lock(&lock);
    omp_nest_lock_t nest;
    omp_init_nest_lock_with_hint(&nest, omp_lock_hint_none);
    HOLDS(omp_test_nest_lock(&nest) == 1 && omp_test_nest_lock(&nest) == 2);
#pragma omp parallel num_threads(1)
    HOLDS(omp_test_nest_lock(&nest) == 0); /* held outside of the region */
    omp_destroy_nest_lock(&nest);
}

void interface(int size) {
    counts(size);
    settings(size);
    places(size);
    environment();
    omp_display_env(0);
}
