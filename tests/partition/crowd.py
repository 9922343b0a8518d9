#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a system in which a partition of many tasks on two cores is stopped or restarted, beside a task of another partition
on each core that is released every 20us: no release may be late by the number of tasks.

    crowd.py ACTION TASKS DIRECTORY"""

import sys
from pathlib import Path

HEAD = """format = 1

[system]
name  = "crowd"
board = "p4080"
cores = 3

[run]
for = "10ms"

[[partition]]
name    = "near"
sources = ["near.c"]

[[partition]]
name    = "crowd"
sources = ["crowd.c"]
health  = {{ memory_violation = "{action}" }}

[[task]]
name      = "fault"
partition = "crowd"
entry     = "fault_job"
core      = 2
priority  = 3
period    = "5ms"
offset    = "2ms"
wcet      = "10us"
"""

NEAR = """
[[task]]
name      = "near_{core}"
partition = "near"
entry     = "near_job"
core      = {core}
priority  = 1
period    = "20us"
wcet      = "1us"
"""

# Each begins to wait by itself, and goes on waiting.
WAITING = """
[[task]]
name      = "waits_{number}"
partition = "crowd"
entry     = "wait_job"
core      = {core}
priority  = {priority}
period    = "50ms"
offset    = "{offset}us"
wcet      = "1us"
suspends  = "40ms"
"""

SOURCES = {
    "near.c": "#include <takt/takt.h>\n\nvoid near_job(intptr_t argument) {\n}\n",
    "crowd.c": """#include <takt/takt.h>

void wait_job(intptr_t argument) {
    for (;;) {
        (void)!takt_task_sleep();
    }
}

void fault_job(intptr_t argument) {
    *(volatile int *)0 = 0;
}
""",
}


def main():
    action, tasks, directory = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    text = HEAD.format(action=action) + "".join(NEAR.format(core=core) for core in (1, 2))
    for number in range(tasks):
        text += WAITING.format(number=number, core=1 + number % 2, priority=10 + number % 40, offset=20 + 20 * number)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "system.toml").write_text(text)
    for name, source in SOURCES.items():
        (directory / name).write_text("/* Written by tests/partition/crowd.py. */\n" + source)


main()
