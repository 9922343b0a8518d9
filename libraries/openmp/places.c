/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of omp.h about places and devices. Each core of the system is a place. A thread
 * stays on the core that the description gives it. */
#include <omp.h>

#include <takt/takt.h>

omp_proc_bind_t omp_get_proc_bind(void) {
    return omp_proc_bind_true;
}

int omp_get_num_places(void) {
    return (int)takt_cores_used();
}

static bool is_place(int place) {
    return place >= 0 && place < omp_get_num_places();
}

int omp_get_place_num_procs(int place) {
    return is_place(place);
}

void omp_get_place_proc_ids(int place, int *ids) {
    if (is_place(place)) {
        *ids = place;
    }
}

int omp_get_place_num(void) {
    return (int)takt_core_self();
}

int omp_get_partition_num_places(void) {
    return omp_get_num_places();
}

void omp_get_partition_place_nums(int *places) {
    for (int place = 0; place < omp_get_num_places(); place++) {
        places[place] = place;
    }
}

int omp_get_cancellation(void) {
    return 0;
}

int omp_get_max_task_priority(void) {
    return 0;
}

int omp_in_final(void) {
    return 0;
}

int omp_is_initial_device(void) {
    return 1;
}

int omp_get_num_devices(void) {
    return 0;
}

int omp_get_initial_device(void) {
    return 0;
}

int omp_get_device_num(void) {
    return 0;
}

int omp_get_num_teams(void) {
    return 1;
}

int omp_get_team_num(void) {
    return 0;
}
