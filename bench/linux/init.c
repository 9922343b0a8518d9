/* SPDX-License-Identifier: Apache-2.0 */
/* The first program on Linux: waits until the system has settled, reads a command from the console
 * (NAME=VALUE for the environment, then a program and its arguments, on one line), and switches
 * the machine off when it has ended.
 *
 * The machine is saved at `settled`, so each run goes on from there with a command of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { SETTLE = 2, WORDS = 32 };

__attribute__((noinline)) void settled(void) {
    __asm__ volatile("" ::: "memory");
}

static void run(char *line) {
    char *words[WORDS + 1] = {0};
    int count = 0;
    for (char *word = strtok(line, " \r\n"); word && count < WORDS; word = strtok(NULL, " \r\n")) {
        if (count == 0 && strchr(word, '=')) {
            putenv(word);
        } else {
            words[count++] = word;
        }
    }
    if (count > 0) {
        execv(words[0], words);
    }
    perror("init: cannot run the program");
    _exit(1);
}

int main(void) {
    static char line[1024];
    struct termios console;
    mkdir("/proc", 0755);
    mkdir("/sys", 0755);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    if (tcgetattr(0, &console) == 0) {
        console.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(0, TCSANOW, &console);
    }
    sleep(SETTLE);
    settled();
    if (!fgets(line, sizeof line, stdin)) {
        perror("init: no command");
    }
    int status = 0;
    if (fork() == 0) {
        run(line);
    }
    wait(&status);
    printf("\nstatus %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
    sleep(1);
    reboot(RB_POWER_OFF);
    return 0;
}
