#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py FAULT DIRECTORY: a system in which the task 'culprit' on core 1 does what the
function FAULT of main.c does, while core 0 idles and core 2 computes."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
fault, directory = sys.argv[1], Path(sys.argv[2])
(directory / "system.toml").write_text(f"""format = 1
[system]
name = "fault"
board = "virt"
cores = 3
sources = ["{HERE}/main.c"]
include = ["{HERE.parent}"]
[run]
for = "5s"
[kernel]
console = "64KiB"
[[task]]
name = "culprit"
entry = "{fault}"
core = 1
priority = 10
start = true
suspends = "1s"
[[task]]
name = "bystander"
entry = "compute"
core = 2
priority = 10
start = true
""")
