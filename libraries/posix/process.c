/* SPDX-License-Identifier: Apache-2.0 */
/* The process, which is the only one: its number, user and host, and its processor time. */
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <takt/posix_system.h>
#include <takt/takt.h>

#include "failed.h"
#include "process.h"

pid_t getpid(void) {
    return 1;
}

pid_t getppid(void) {
    return 0;
}

uid_t getuid(void) {
    return 0;
}

uid_t geteuid(void) {
    return 0;
}

gid_t getgid(void) {
    return 0;
}

gid_t getegid(void) {
    return 0;
}

int gethostname(char *name, size_t size) {
    if (size < sizeof "polytakt") {
        return failed(ENAMETOOLONG);
    }
    strcpy(name, "polytakt");
    return 0;
}

int uname(struct utsname *names) {
    *names = (struct utsname){.sysname = "Polytakt",
                              .nodename = "polytakt",
                              .release = "1",
                              .version = "1",
                              .machine = "riscv64"};
    return 0;
}

int get_nprocs(void) {
    return (int)takt_cores_used();
}

int get_nprocs_conf(void) {
    return get_nprocs();
}

/* A core begins to count its idle time a millisecond before the kernel's time 0, so for each core
 * up to a millisecond is missing in the sum. The cores are read one after the other: the latest sum
 * is kept, because a processor time does not go back. */
takt_time process_time(void) {
    static takt_time latest;
    takt_time sum = 0;
    for (uint32_t core = 0; core < takt_cores_used(); core++) {
        takt_time idle = 0, now = takt_time_now();
        takt_core_idle_time(core, &idle);
        sum += now > idle ? now - idle : 0;
    }
    takt_time before = __atomic_load_n(&latest, __ATOMIC_RELAXED);
    /* An exchange fails only if another thread has stored a larger sum. */
    while (sum > before && !__atomic_compare_exchange_n(&latest, &before, sum, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return sum > before ? sum : before;
}

int clock_getcpuclockid(pid_t process, clockid_t *clock) {
    if (process != 0 && process != getpid()) {
        return ESRCH;
    }
    *clock = CLOCK_PROCESS_CPUTIME_ID;
    return 0;
}

clock_t clock(void) {
    return (clock_t)(process_time() / (TAKT_SECOND / CLOCKS_PER_SEC));
}

clock_t times(struct tms *times) {
    *times = (struct tms){.tms_utime = (clock_t)(process_time() / (TAKT_SECOND / CLK_TCK))};
    return (clock_t)(takt_time_now() / (TAKT_SECOND / CLK_TCK));
}

int getrusage(int who, struct rusage *usage) {
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN) {
        return failed(EINVAL);
    }
    takt_time time = who == RUSAGE_SELF ? process_time() : 0;
    *usage = (struct rusage){
        .ru_utime = {.tv_sec = time / TAKT_SECOND, .tv_usec = time % TAKT_SECOND / 1000}};
    return 0;
}
