/* SPDX-License-Identifier: Apache-2.0 */
/* What programs for Linux call beside threads and streams: processor time, memory by pages, whole
 * lines, positions in files, names, the scheduling of the process. Each function, and its errors.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { CORES = 3, PAGE = 4096, HEAP = 1 << 20 };

#define CHECK_FAILS(call, error)                                                                   \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CHECK_IS(call, -1);                                                                        \
        CHECK_IS(errno, error);                                                                    \
    } while (0)

/* --- Macros of the description -------------------------------------------------------------------
 */

static void test_defines(void) {
    DEFINED_PAIR = DEFINED_FOUR;
    CHECK_IS(a + b, 5);
    CHECK_IS(DEFINED, 1);
    CHECK_IS(strcmp(DEFINED_TITLE, "two words, (1 + 2)"), 0);
}

/* --- Processor time ----------------------------------------------------------------------------
 */

static void *work(void *argument) {
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += 20000000;
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec);
    return 0;
}

/* Two threads on two cores work for 20 ms each, while the caller waits. */
static void test_processor_time(void) {
    struct timespec time;
    struct rusage usage;
    struct tms before, after;
    pthread_t threads[2];
    CHECK_IS(CLOCKS_PER_SEC, 1000000);
    CHECK_IS(sysconf(_SC_CLK_TCK), 1000000);
    clock_t begin = clock(), elapsed = times(&before);
    for (int number = 0; number < 2; number++) {
        CHECK_IS(pthread_create(&threads[number], 0, work, 0), 0);
    }
    for (int number = 0; number < 2; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
    }
    clock_t both = clock() - begin;
    CHECK(both >= 37000 && both < 43000);
    elapsed = times(&after) - elapsed;
    CHECK(elapsed >= 20000 && elapsed < 23000);
    CHECK(after.tms_utime - before.tms_utime >= both);
    CHECK_IS(after.tms_stime + after.tms_cutime + after.tms_cstime, 0);
    clockid_t processor;
    CHECK_IS(clock_getcpuclockid(0, &processor), 0);
    CHECK_IS(clock_getcpuclockid(7, &processor), ESRCH);
    CHECK_IS(clock_gettime(processor, &time), 0);
    CHECK(time.tv_nsec / 1000 >= (long)both);
    CHECK_IS(clock_getres(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
    CHECK_IS(time.tv_nsec, 1);
    CHECK_FAILS(clock_settime(CLOCK_PROCESS_CPUTIME_ID, &time), EINVAL);
    CHECK_IS(clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &time, 0), EINVAL);
    CHECK_IS(getrusage(RUSAGE_SELF, &usage), 0);
    CHECK(usage.ru_utime.tv_usec >= (long)both && usage.ru_stime.tv_usec == 0);
    CHECK_IS(getrusage(RUSAGE_CHILDREN, &usage), 0);
    CHECK_IS(usage.ru_utime.tv_usec, 0);
    CHECK_FAILS(getrusage(7, &usage), EINVAL);
    usleep(5000);
    CHECK(clock() - begin < 44000); /* what sleeps uses no processor time */
}

/* --- Memory by pages ---------------------------------------------------------------------------
 */

static void test_memory(void) {
    const int ours = PROT_READ | PROT_WRITE, zeros = MAP_PRIVATE | MAP_ANONYMOUS;
    char *memory = mmap(0, PAGE + 1, ours, zeros, -1, 0);
    CHECK(memory != MAP_FAILED && (uintptr_t)memory % PAGE == 0);
    CHECK(memory[0] == 0 && memory[2 * PAGE - 1] == 0);
    memset(memory, 1, 2 * PAGE);
    CHECK_FAILS(munmap(memory, PAGE), EINVAL);
    CHECK_FAILS(munmap(memory + PAGE, PAGE), EINVAL);
    CHECK_FAILS(munmap(memory, SIZE_MAX), EINVAL);
    CHECK_IS(munmap(memory, 2 * PAGE), 0);
    CHECK_FAILS(munmap(memory, 2 * PAGE), EINVAL);
    CHECK_FAILS((long)mmap(0, 0, ours, zeros, -1, 0), EINVAL);
    CHECK_FAILS((long)mmap(0, PAGE, ours, MAP_ANONYMOUS, -1, 0), EINVAL);
    CHECK_FAILS((long)mmap(0, PAGE, ours, zeros | MAP_SHARED, -1, 0), EINVAL);
    CHECK_FAILS((long)mmap(memory, PAGE, ours, zeros | MAP_FIXED, -1, 0), ENOTSUP);
    CHECK_FAILS((long)mmap(0, PAGE, ours | PROT_EXEC, zeros, -1, 0), ENOTSUP);
    CHECK_FAILS((long)mmap(0, HEAP, ours, zeros, -1, 0), ENOMEM);
    CHECK_FAILS((long)mmap(0, SIZE_MAX, ours, zeros, -1, 0), ENOMEM);
    /* A file: its bytes, and zeros behind its end. */
    int file = open("sub/numbers.txt", O_RDWR);
    CHECK_FAILS((long)mmap(0, PAGE, ours, MAP_SHARED, file, 0), ENOTSUP);
    CHECK_FAILS((long)mmap(0, PAGE, PROT_READ, MAP_PRIVATE, file, 8), EINVAL);
    CHECK_FAILS((long)mmap(0, PAGE, PROT_READ, MAP_PRIVATE, 99, 0), EBADF);
    memory = mmap(0, 9000, PROT_READ, MAP_SHARED, file, 0);
    CHECK(memory != MAP_FAILED);
    CHECK(memcmp(memory, "00000 x\n", 8) == 0 && memcmp(memory + 8992, "01124 x\n", 8) == 0);
    CHECK_IS(memory[9000], 0);
    CHECK_IS(munmap(memory, 9000), 0);
    memory = mmap(0, 8, ours, MAP_PRIVATE, file, PAGE);
    CHECK(memory != MAP_FAILED && memcmp(memory, "00512 x\n", 8) == 0);
    memory[0] = '9'; /* a copy: the file does not change */
    char byte;
    CHECK_IS(pread(file, &byte, 1, PAGE), 1);
    CHECK_IS(byte, '0');
    CHECK_IS(close(file), 0);
    CHECK_IS(munmap(memory, 8), 0);
    CHECK_IS(mlock(memory, 1) + munlock(memory, 1) + munlockall() + madvise(memory, 1, 0), 0);
    CHECK_IS(mlockall(MCL_CURRENT | MCL_FUTURE), 0);
    CHECK_FAILS(mlockall(0), EINVAL);
    CHECK_FAILS(mlockall(8), EINVAL);
}

/* --- Files and lines ---------------------------------------------------------------------------
 */

static void test_positions(void) {
    char text[12] = "";
    int file = creat("positions", 0644);
    CHECK_IS(write(file, "0123456789", 10), 10);
    CHECK_IS(pwrite(file, "ab", 2, 3), 2);
    CHECK_IS(lseek(file, 0, SEEK_CUR), 10);
    CHECK_FAILS(pread(file, text, 1, 0), EBADF);
    CHECK_IS(fsync(file) + fdatasync(file), 0);
    CHECK_FAILS(isatty(file) - 1, ENOTTY);
    CHECK_IS(close(file), 0);
    CHECK_FAILS(fsync(file), EBADF);
    CHECK_FAILS(isatty(file) - 1, EBADF);
    CHECK_IS(isatty(1), 1);
    file = open("positions", O_RDONLY);
    CHECK_IS(pread(file, text, sizeof text, 2), 8);
    CHECK(memcmp(text, "2ab56789", 8) == 0);
    CHECK_IS(pread(file, text, 1, 10), 0);
    CHECK_FAILS(pread(file, text, 1, -1), EINVAL);
    CHECK_FAILS(pread(0, text, 1, 0), ESPIPE);
    CHECK_FAILS(pread(99, text, 1, 0), EBADF);
    CHECK_FAILS(pwrite(file, text, 1, 0), EBADF);
    struct iovec places[2] = {{text, 4}, {text + 6, 4}};
    CHECK_IS(readv(file, places, 2), 8);
    CHECK(memcmp(text, "012a", 4) == 0 && memcmp(text + 6, "b567", 4) == 0);
    CHECK_IS(readv(file, places, 2), 2);
    CHECK_FAILS(readv(file, places, 0), EINVAL);
    CHECK_FAILS(readv(file, places, IOV_MAX + 1), EINVAL);
    CHECK_FAILS(writev(file, places, 2), EBADF);
    CHECK_IS(close(file), 0);
    CHECK_FAILS(creat("missing/positions", 0644), ENOENT);
    struct stat status;
    CHECK_IS(lstat("positions", &status), 0);
    CHECK_IS(status.st_size, 10);
    CHECK_FAILS(lstat("missing", &status), ENOENT);
    CHECK(strcmp(getcwd(text, sizeof text), "/") == 0);
    CHECK(!getcwd(text, 1) && errno == ERANGE);
    CHECK(!getcwd(text, 0) && errno == EINVAL);
    char *path = getcwd(0, 0);
    CHECK(strcmp(path, "/") == 0);
    free(path);
}

static void test_lines(void) {
    int file = creat("printed", 0644);
    CHECK_IS(dprintf(file, "%d lines\nlast", 2), 12);
    CHECK_IS(close(file), 0);
    CHECK_FAILS(dprintf(99, "x"), EBADF);
    FILE *stream = fopen("printed", "r");
    char *line = 0;
    size_t room = 7; /* is not read: there is no memory yet */
    CHECK_IS(getline(&line, &room, stream), 8);
    CHECK(strcmp(line, "2 lines\n") == 0 && room >= 9);
    CHECK_IS(getdelim(&line, &room, 's', stream), 3);
    CHECK(strcmp(line, "las") == 0);
    CHECK_IS(getline(&line, &room, stream), 1);
    CHECK_IS(getline(&line, &room, stream), -1);
    CHECK(feof(stream));
    CHECK_FAILS(getline(0, &room, stream), EINVAL);
    CHECK_FAILS(getline(&line, 0, stream), EINVAL);
    rewind(stream);
    CHECK_IS(getc_unlocked(stream), '2');
    CHECK_IS(fclose(stream), 0);
    free(line);
    /* A line that is longer than the memory at first. */
    stream = fopen("sub/numbers.txt", "r");
    line = 0;
    CHECK_IS(getdelim(&line, &room, 'y', stream), 9000);
    CHECK(memcmp(line + 8992, "01124 x\n", 9) == 0);
    free(line);
    CHECK_IS(fclose(stream), 0);
}

/* --- Names and scheduling ----------------------------------------------------------------------
 */

static void test_names(void) {
    char text[16];
    struct utsname names;
    CHECK(getpid() == 1 && getppid() == 0);
    CHECK(getuid() == 0 && geteuid() == 0 && getgid() == 0 && getegid() == 0);
    CHECK_IS(gethostname(text, sizeof text), 0);
    CHECK(strcmp(text, "polytakt") == 0);
    CHECK_FAILS(gethostname(text, 8), ENAMETOOLONG);
    CHECK_IS(uname(&names), 0);
    CHECK(strcmp(names.sysname, "Polytakt") == 0 && strcmp(names.machine, "riscv64") == 0);
    CHECK(get_nprocs() == CORES && get_nprocs_conf() == CORES);
    CHECK_IS(pthread_getname_np(pthread_self(), text, sizeof text), 0);
    CHECK(strcmp(text, "posix_linux") == 0);
    CHECK_IS(pthread_setname_np(pthread_self(), "fifteen letters"), 0);
    CHECK_IS(pthread_getname_np(pthread_self(), text, sizeof text), 0);
    CHECK(strcmp(text, "fifteen letters") == 0);
    CHECK_IS(pthread_getname_np(pthread_self(), text, 15), ERANGE);
    CHECK_IS(pthread_setname_np(pthread_self(), "sixteen letters!"), ERANGE);
    CHECK_IS(pthread_setname_np(99, "none"), ESRCH);
    CHECK_IS(pthread_getname_np(99, text, sizeof text), ESRCH);
}

static void test_scheduling(void) {
    struct sched_param parameter;
    CHECK_IS(sched_getscheduler(0), SCHED_OTHER);
    parameter.sched_priority = 10;
    CHECK_IS(sched_setscheduler(0, SCHED_FIFO, &parameter), SCHED_OTHER);
    CHECK_IS(sched_getscheduler(getpid()), SCHED_FIFO);
    parameter.sched_priority = 11;
    CHECK_IS(sched_setparam(0, &parameter), 0);
    CHECK_IS(sched_getparam(0, &parameter), 0);
    CHECK_IS(parameter.sched_priority, 11);
    CHECK_FAILS(sched_setscheduler(0, SCHED_RR, &parameter), EINVAL);
    CHECK_FAILS(sched_setscheduler(2, SCHED_FIFO, &parameter), ESRCH);
    parameter.sched_priority = 65;
    CHECK_FAILS(sched_setparam(0, &parameter), EINVAL);
    parameter.sched_priority = 0;
    CHECK_IS(sched_setscheduler(0, SCHED_OTHER, &parameter), SCHED_FIFO);
    pthread_attr_t attributes;
    size_t size;
    CHECK_IS(pthread_attr_init(&attributes), 0);
    CHECK_IS(pthread_attr_getguardsize(&attributes, &size), 0);
    CHECK_IS(size, PAGE);
    CHECK_IS(pthread_attr_setguardsize(&attributes, 0), 0);
    CHECK_IS(pthread_attr_getguardsize(&attributes, &size), 0);
    CHECK_IS(size, 0);
    CHECK_IS(pthread_setconcurrency(3), 0);
    CHECK_IS(pthread_getconcurrency(), 3);
    CHECK_IS(pthread_setconcurrency(-1), EINVAL);
    CHECK_IS(pthread_yield(), 0);
}

int main(void) {
    test_defines();
    test_processor_time();
    test_memory();
    test_positions();
    test_lines();
    test_names();
    test_scheduling();
    errno = ENOENT;
    warn("warned %d", 1);
    warnx("warned %d", 2);
    printf("%u checks, %u failed\n", check_count, check_failures);
    errno = ENOSPC;
    err(check_failures == 0 ? 3 : 4, 0);
}
