#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py THREADS WAIT DIRECTORY: the constructs of OpenMP in a team of THREADS threads that wait by WAIT: "spin",
"block", or "mixed", where every other core's thread blocks."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
threads, wait, directory = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
mixed = f"block = {list(range(0, threads, 2))}" if wait == "mixed" else ""

(directory / "system.toml").write_text(f"""format = 1

[system]
name      = "openmp_{threads}_{wait}"
board     = "virt64"
cores     = {threads}
sources   = [{", ".join(f'"{HERE}/{name}.c"' for name in ("constructs", "schedules", "interface", "small"))}]
include   = ["{HERE.parent}"]
libraries = ["openmp"]

[run]
for = "20s"

[[task]]
name     = "main"
entry    = "constructs"
argument = {threads}
core     = 0
priority = 10
stack    = "32KiB"
start    = true

[[cyclic]]
name     = "watch"
function = "too_late"
core     = 0
period   = "2s"
offset   = "1s"
start    = true
wcet     = "10us"

[[team]]
task    = "main"
threads = {threads}
wait    = "{wait.replace("mixed", "spin")}"
{mixed}
""")
