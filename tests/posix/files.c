/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory: those of the initrd, new ones, their errors, and what the run leaves for the
 * host. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heap.h>

#include "check.h"

enum { WORKERS = 3 };

#define CHECK_FAILS(call, error)                                                                   \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CHECK_IS(call, -1);                                                                        \
        CHECK_IS(errno, error);                                                                    \
    } while (0)

static void test_initrd(void) {
    FILE *lines = fopen("lines.txt", "r");
    char line[40];
    CHECK(lines != 0);
    CHECK(fgets(line, sizeof line, lines) != 0 && strcmp(line, "first line\n") == 0);
    CHECK(fgets(line, sizeof line, lines) != 0 && strcmp(line, "second line\n") == 0);
    CHECK(fgets(line, sizeof line, lines) == 0 && feof(lines));
    CHECK_IS(fclose(lines), 0);

    struct stat status;
    CHECK_IS(stat("/sub/numbers.txt", &status), 0);
    CHECK_IS(status.st_size, 9000);
    CHECK(S_ISREG(status.st_mode));
    CHECK_IS(stat("sub/../sub/.", &status), 0);
    CHECK(S_ISDIR(status.st_mode));
}

/* One block of an initrd file is written; the others keep their contents. */
static void test_write_to_initrd(void) {
    int file = open("sub/numbers.txt", O_RDWR);
    static char text[9001];
    CHECK_IS(lseek(file, 4094, SEEK_SET), 4094);
    CHECK_IS(write(file, "HELLO", 5), 5);
    CHECK_IS(lseek(file, 0, SEEK_SET), 0);
    CHECK_IS(read(file, text, sizeof text), 9000);
    CHECK(memcmp(text + 4094, "HELLO", 5) == 0);
    CHECK(memcmp(text, "00000 x\n00001 x\n", 16) == 0);
    CHECK(memcmp(text + 8992, "01124 x\n", 8) == 0);
    CHECK_IS(ftruncate(file, 4095), 0);
    CHECK_IS(lseek(file, 0, SEEK_END), 4095);
    CHECK_IS(ftruncate(file, 6000), 0);
    CHECK_IS(lseek(file, 4090, SEEK_SET), 4090);
    CHECK_IS(read(file, text, sizeof text), 1910);
    CHECK(memcmp(text + 4, "H\0\0\0", 4) == 0); /* the part that was cut off does not return */
    CHECK_IS(ftruncate(file, 4098), 0);
    CHECK_IS(close(file), 0);
}

static void test_sparse(void) {
    int file = open("sparse", O_RDWR | O_CREAT | O_EXCL, 0644);
    size_t before = heap_used();
    char text[16];
    CHECK_IS(lseek(file, 50000000, SEEK_SET), 50000000);
    CHECK_IS(write(file, "end", 3), 3);
    CHECK(heap_used() - before < 20000);
    CHECK_IS(lseek(file, 20000000, SEEK_SET), 20000000);
    memset(text, 1, sizeof text);
    CHECK_IS(read(file, text, sizeof text), sizeof text);
    CHECK(text[0] == 0 && text[15] == 0);
    CHECK_IS(lseek(file, -3, SEEK_END), 50000000);
    CHECK_IS(read(file, text, sizeof text), 3);
    CHECK(memcmp(text, "end", 3) == 0);
    CHECK_IS(read(file, text, sizeof text), 0);
    CHECK_IS(ftruncate(file, 10000), 0);
    CHECK_IS(lseek(file, 1 << 30, SEEK_SET), 1 << 30);
    CHECK_FAILS(write(file, "x", 1), EFBIG);
    CHECK_FAILS(lseek(file, -1, SEEK_SET), EINVAL);
    CHECK_FAILS(lseek(file, 0, 9), EINVAL);
    CHECK_IS(close(file), 0);
}

static void test_unlink(void) {
    size_t before = heap_used();
    int file = open("gone", O_RDWR | O_CREAT, 0644), other;
    char text[8];
    struct stat status;
    CHECK_IS(write(file, "content", 7), 7);
    CHECK_IS(unlink("gone"), 0);
    CHECK_FAILS(unlink("gone"), ENOENT);
    CHECK_FAILS(open("gone", O_RDONLY), ENOENT);
    other = open("gone", O_RDWR | O_CREAT, 0644); /* another file */
    CHECK_IS(read(other, text, 8), 0);
    CHECK_IS(lseek(file, 0, SEEK_SET), 0);
    CHECK_IS(read(file, text, 8), 7);
    CHECK_IS(fstat(file, &status), 0);
    CHECK_IS(status.st_nlink, 0);
    CHECK_IS(close(file), 0);
    CHECK_IS(close(other), 0);
    CHECK_IS(unlink("gone"), 0);
    CHECK_IS(heap_used(), before);
}

static void test_errors(void) {
    char path[1200], text[4];
    memset(path, 'a', sizeof path);
    path[1199] = 0;
    CHECK_FAILS(open(path, O_RDONLY), ENAMETOOLONG);
    path[300] = 0;
    CHECK_FAILS(open(path, O_RDWR | O_CREAT, 0644), ENAMETOOLONG);
    CHECK_FAILS(open("", O_RDONLY), ENOENT);
    CHECK_FAILS(open("none/file", O_WRONLY | O_CREAT, 0644), ENOENT);
    CHECK_FAILS(open("lines.txt/file", O_RDONLY), ENOTDIR);
    CHECK_FAILS(open("lines.txt/", O_RDONLY), ENOTDIR);
    CHECK_FAILS(open("lines.txt", O_RDWR | O_CREAT | O_EXCL, 0644), EEXIST);
    CHECK_FAILS(open("sub", O_RDWR), EISDIR);
    CHECK_FAILS(mkdir("sub", 0755), EEXIST);
    CHECK_FAILS(unlink("sub"), EISDIR);
    CHECK_FAILS(read(-1, text, 4), EBADF);
    CHECK_FAILS(write(100000, text, 4), EBADF);
    CHECK_FAILS(lseek(77, 0, SEEK_SET), EBADF);
    CHECK_FAILS(lseek(1, 0, SEEK_SET), ESPIPE);
    int file = open("lines.txt", O_RDONLY);
    CHECK_IS(file, 3); /* the lowest free descriptor */
    CHECK_FAILS(write(file, "x", 1), EBADF);
    CHECK_IS(close(file), 0);
    CHECK_FAILS(close(file), EBADF);
    file = open("sub", O_RDONLY);
    CHECK_FAILS(read(file, text, 4), EISDIR);
    CHECK_IS(close(file), 0);
    int last = 0, count = 0;
    while ((file = open("lines.txt", O_RDONLY)) >= 0) {
        last = file;
        count++;
    }
    CHECK_IS(errno, EMFILE);
    CHECK_IS(count, 253);
    for (; last >= 3; last--) {
        CHECK_IS(close(last), 0);
    }
    CHECK(fopen("none", "r") == 0);
    CHECK_IS(write(1, "said by write\n", 14), 14);
}

static void test_full(void) {
    static char block[5000];
    size_t before = heap_used();
    int file = open("full", O_RDWR | O_CREAT, 0644), early = open("early", O_RDWR | O_CREAT, 0644);
    void *volatile room =
        malloc(4096); /* enough for the table of a first write, but not for its block */
    ssize_t done;
    off_t size = 0;
    struct stat status;
    memset(block, 'f', sizeof block);
    errno = 0;
    while ((done = write(file, block, sizeof block)) > 0) {
        size += done;
    }
    CHECK_IS(done, -1);
    CHECK_IS(errno, ENOSPC);
    CHECK_IS(fstat(file, &status), 0);
    CHECK_IS(status.st_size, size);
    char last = 0;
    CHECK_IS(lseek(file, size - 1, SEEK_SET), size - 1);
    CHECK_IS(read(file, &last, 1), 1);
    CHECK_IS(last, 'f');
    void **rest = 0, **block_of_rest;
    while ((block_of_rest = malloc(16)) != 0) {
        *block_of_rest = rest;
        rest = block_of_rest;
    }
    CHECK_FAILS(mkdir("directory", 0755), ENOSPC);
    free(room);
    CHECK_FAILS(write(early, "x", 1), ENOSPC);
    CHECK_FAILS(mkdir("directory", 0755), ENOSPC); /* the table has taken the memory */
    CHECK_FAILS(open("file", O_WRONLY | O_CREAT, 0644), ENOSPC);
    CHECK_FAILS(stat("directory", &status), ENOENT);
    while (rest) {
        void **next = *rest;
        free(rest);
        rest = next;
    }
    CHECK_IS(close(file), 0);
    CHECK_IS(unlink("full"), 0);
    CHECK_IS(close(early), 0);
    CHECK_IS(unlink("early"), 0);
    CHECK_IS(heap_used(), before);
}

/* Returns the names of a directory without `.` and `..`, each with the first letter of its type. */
static void list(const char *path, char *names, size_t size) {
    DIR *directory = opendir(path);
    CHECK(directory != 0);
    struct dirent *entry;
    int steps = 0;
    names[0] = 0;
    while (directory && (entry = readdir(directory)) != 0) {
        if (entry->d_name[0] == '.') {
            CHECK_IS(entry->d_type, DT_DIR);
            steps++;
            continue;
        }
        size_t used = strlen(names);
        char type = entry->d_type == DT_DIR ? 'd' : entry->d_type == DT_REG ? 'f' : 'c';
        snprintf(names + used, size - used, "%c:%s ", type, entry->d_name);
    }
    CHECK_IS(steps, 2);
    CHECK_IS(closedir(directory), 0);
}

#define CHECK_LIST(path, expected)                                                                 \
    do {                                                                                           \
        char names[200];                                                                           \
        list(path, names, sizeof names);                                                           \
        CHECK(strcmp(names, expected) == 0);                                                       \
    } while (0)

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK_IS(write(file, text, strlen(text)), (ssize_t)strlen(text));
    CHECK_IS(close(file), 0);
}

static bool file_holds(const char *path, const char *text) {
    char content[40] = {0};
    int file = open(path, O_RDONLY);
    ssize_t done = read(file, content, sizeof content - 1);
    CHECK_IS(close(file), 0);
    return done == (ssize_t)strlen(text) && strcmp(content, text) == 0;
}

static void test_directories(void) {
    size_t before = heap_used();
    struct stat status;
    CHECK_IS(mkdir("d", 0755), 0);
    CHECK_IS(mkdir("d/e", 0755), 0);
    write_file("d/one", "1");
    write_file("d/two", "22");
    CHECK_LIST("d", "f:two f:one d:e ");
    CHECK_LIST("/dev", "c:console ");
    CHECK(opendir("d/one") == 0);
    CHECK_IS(errno, ENOTDIR);
    CHECK(opendir("nowhere") == 0);
    CHECK_IS(errno, ENOENT);

    /* A member that is removed before it is read is not read; what is created then may be missed.
     */
    DIR *directory = opendir("d/");
    CHECK(readdir(directory) && readdir(directory));
    CHECK_IS(unlink("d/two"), 0);
    write_file("d/three", "3");
    struct dirent *entry = readdir(directory);
    CHECK(entry && strcmp(entry->d_name, "one") == 0);
    rewinddir(directory);
    CHECK(readdir(directory) && readdir(directory));
    entry = readdir(directory);
    CHECK(entry && strcmp(entry->d_name, "three") == 0);
    CHECK_IS(closedir(directory), 0);

    CHECK_IS(rename("d/one", "d/a name that is longer"), 0);
    CHECK_IS(rename("d/a name that is longer", "d/a name that is even longer"), 0);
    CHECK_LIST("d", "f:a name that is even longer f:three d:e ");
    CHECK_IS(rename("d/a name that is even longer", "one"), 0);
    CHECK(file_holds("one", "1"));
    CHECK_FAILS(stat("d/one", &status), ENOENT);
    /* A file that is open is replaced, and stays readable. */
    int open_file = open("d/three", O_RDONLY);
    char content = 0;
    CHECK_IS(rename("one", "d/three"), 0);
    CHECK_IS(read(open_file, &content, 1), 1);
    CHECK_IS(content, '3');
    CHECK_IS(close(open_file), 0);
    CHECK(file_holds("d/three", "1"));
    CHECK_IS(rename("d/three", "d/../d/three"), 0);
    CHECK_FAILS(rename("d", "d/e/f"), EINVAL);
    CHECK_FAILS(rename("d/three", "d/e"), EISDIR);
    CHECK_FAILS(rename("d/e", "d/three"), ENOTDIR);
    CHECK_FAILS(rename("d/three", "d/new/"), ENOTDIR);
    CHECK_FAILS(rename("d/none", "d/new"), ENOENT);
    CHECK_FAILS(rename("d/three", "none/new"), ENOENT);
    CHECK_FAILS(rename("/", "d/new"), EBUSY);
    CHECK_FAILS(rename("/dev/console", "d/new"), EBUSY);
    CHECK_FAILS(rename("d/three", "/dev/console"), EBUSY);
    CHECK_IS(mkdir("f", 0755), 0);
    write_file("f/inside", "in");
    CHECK_FAILS(rename("d", "f"), ENOTEMPTY);
    CHECK_IS(rename("f", "d/e"), 0);
    CHECK(file_holds("d/e/../e/inside", "in"));

    CHECK_IS(truncate("d/three", 5), 0);
    CHECK_IS(stat("d/three", &status), 0);
    CHECK_IS(status.st_size, 5);
    CHECK_IS(truncate("d/three", 0), 0);
    CHECK_FAILS(truncate("d/three", -1), EINVAL);
    CHECK_FAILS(truncate("d/three", (off_t)1 << 40), EFBIG);
    CHECK_FAILS(truncate("d", 0), EISDIR);
    CHECK_FAILS(truncate("none", 0), ENOENT);
    CHECK_IS(access("d", R_OK | W_OK | X_OK), 0);
    CHECK_IS(access("d/three", F_OK), 0);
    CHECK_FAILS(access("d/three", X_OK), EACCES);
    CHECK_FAILS(access("none", F_OK), ENOENT);
    CHECK_FAILS(access("d", 64), EINVAL);

    CHECK_FAILS(rmdir("d"), ENOTEMPTY);
    CHECK_FAILS(rmdir("d/three"), ENOTDIR);
    CHECK_FAILS(rmdir("none"), ENOENT);
    CHECK_FAILS(rmdir("/"), EBUSY);
    CHECK_FAILS(rmdir("d/e/."), EINVAL);
    CHECK_IS(unlink("d/e/inside"), 0);
    directory = opendir("d/e");
    CHECK_IS(rmdir("d/e"), 0);
    CHECK(readdir(directory) && readdir(directory) && !readdir(directory));
    CHECK_IS(closedir(directory), 0);
    CHECK_IS(unlink("d/three"), 0);
    CHECK_IS(rmdir("d/"), 0);
    CHECK_IS(heap_used(), before);
}

/* Each thread uses a file of its own through the C library's streams. */
static void *use_own_file(void *number) {
    char path[40];
    snprintf(path, sizeof path, "out/file_%lu.txt", (unsigned long)(uintptr_t)number);
    FILE *file = fopen(path, "w+");
    CHECK(file != 0);
    for (int line = 0; line < 300; line++) {
        CHECK(fprintf(file, "%lu %d %.3f\n", (unsigned long)(uintptr_t)number, line, line / 8.0) >
              0);
    }
    CHECK_IS(fseek(file, 0, SEEK_SET), 0);
    unsigned long own;
    int line = 0, read;
    double eighth;
    for (; fscanf(file, "%lu %d %lf", &own, &read, &eighth) == 3; line++) {
        CHECK(own == (uintptr_t)number && read == line && eighth * 8 - line < 0.01);
    }
    CHECK_IS(line, 300);
    CHECK_IS(fclose(file), 0);
    return 0;
}

/* All threads append to one file, each through its own descriptor; no line is lost or torn. */
static void *append(void *number) {
    int log_file = open("out/log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    char line[12];
    for (int index = 0; index < 100; index++) {
        int size =
            snprintf(line, sizeof line, "%lu %04d\n", (unsigned long)(uintptr_t)number, index);
        CHECK_IS(write(log_file, line, (size_t)size), size);
    }
    CHECK_IS(close(log_file), 0);
    return 0;
}

static void run_all(void *(*start)(void *)) {
    pthread_t threads[WORKERS];
    for (uintptr_t number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_create(&threads[number], 0, start, (void *)number), 0);
    }
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
    }
}

static void test_threads(void) {
    CHECK_IS(mkdir("out", 0755), 0);
    CHECK_IS(mkdir("/out/empty/", 0755), 0);
    run_all(use_own_file);
    run_all(append);
    int log_file = open("out/log", O_RDONLY);
    char line[8] = {0};
    int next[WORKERS] = {0};
    while (read(log_file, line, 7) == 7) {
        int number = line[0] - '0';
        CHECK(number >= 0 && number < WORKERS && line[6] == '\n');
        CHECK_IS(atoi(line + 2), next[number]++);
    }
    CHECK_IS(next[0] + next[1] + next[2], 100 * WORKERS);
    CHECK_IS(close(log_file), 0);
}

int main(void) {
    test_initrd();
    test_write_to_initrd();
    test_sparse();
    test_unlink();
    test_errors();
    test_directories();
    test_full();
    test_threads();
    check_end();
}
