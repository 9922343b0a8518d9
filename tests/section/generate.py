#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py KIND DIRECTORY: a system of two cores in which one call concerns hundreds of tasks, and an
empty job above it whose response shows how long that call keeps interrupts disabled.

KIND: barrier, flag, readers, senders, queue, locks, ended; raised: the first of the crowd is of the caller's core, and
above the empty job, which does not wait until the caller has woken the others."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CROWD = {"barrier": 240, "flag": 240, "readers": 240, "senders": 200, "queue": 600, "locks": 1, "ended": 600, "raised": 240}
LOCKS = 400
kind, directory = sys.argv[1], Path(sys.argv[2])
crowd = CROWD[kind]

locks = LOCKS if kind == "locks" else 1
objects = "".join(f'[[reader_writer_lock]]\nname = "lock_{i}"\n' for i in range(locks))


def first(i):
    return kind == "raised" and i == 0


# The waiting tasks are on core 1; each has its own priority as far as there are enough.
crowds = "".join(f"""
[[task]]
name     = "crowd_{i}"
entry    = "crowd_job"
argument = {i}
core     = {0 if first(i) else 1}
priority = {1 if first(i) else 10 + i * 50 // crowd}
stack    = "1KiB"
start    = true
suspends = "1s"
""" for i in range(crowd))
(directory / "system.toml").write_text(f"""format = 1
[system]
name = "section_{kind}"
board = "virt"
cores = 2
sources = ["{HERE}/main.c"]
include = ["{HERE.parent}", "."]
[run]
for = "60s"
[[barrier]]
name = "all"
participants = {crowd + 1}
[[flag]]
name = "go"
shared = true
[[semaphore]]
name = "queue"
order = "priority"
[[message_buffer]]
name = "box"
message = "1KiB"
size = "2KiB"
{objects}
[[task]]
name     = "main"
entry    = "main_job"
core     = 0
priority = 62
start    = true
suspends = "1s"
[[task]]
name     = "caller"
entry    = "caller_job"
core     = 0
priority = 5
suspends = "1s"
[[task]]
name     = "watch"
entry    = "watch_job"
core     = 0
priority = 2
period   = "50us"
wcet     = "5us"
suspends = "1s"
controls = [{{ task = "caller", action = "terminate", separation = "1us" }}]
{crowds}
""")
(directory / "kind.h").write_text(f"#define CROWD {crowd}\n#define KIND_{kind}\n")
