#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the description of the measured system under a placement of the kernel.

    generate.py PLACEMENT ROUNDS [BOARD]"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

DESCRIPTION = """\
# SPDX-License-Identifier: Apache-2.0
format = 1

[system]
name    = "placement_{placement}"
board   = "{board}"
cores   = 2
sources = ["{source}"]

[kernel]
placement = "{placement}"
events    = 0

[run]
for = "60s"

[[task]]
name     = "left"
entry    = "switch_job"
argument = {rounds}
core     = 1
priority = 10
start    = true

[[task]]
name     = "right"
entry    = "switch_job"
argument = {rounds}
core     = 1
priority = 10
start    = true

[[task]]
name     = "sender"
entry    = "sender_job"
argument = {rounds}
core     = 1
priority = 10

[[task]]
name     = "receiver"
entry    = "receiver_job"
core     = 0
priority = 10
start    = true

[[priority_data_queue]]
name       = "times"
capacity   = 8
priorities = 4

[[priority_data_queue]]
name       = "ages"
capacity   = 8
priorities = 4
"""


def description(placement, rounds, board="sara"):
    return DESCRIPTION.format(placement=placement, rounds=rounds, board=board, source=HERE / "main.c")


if __name__ == "__main__":
    print(description(*sys.argv[1:]), end="")
