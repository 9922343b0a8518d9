#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py CORES [LOAD] DIRECTORY: a system with a task on each of CORES cores, loaded at the
physical address LOAD."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from board import board  # noqa: E402
cores, directory = int(sys.argv[1]), Path(sys.argv[-1])
load = sys.argv[2] if len(sys.argv) > 3 else "0x80400000"

(directory / "board.toml").write_text(board(cores, load=load))
tasks = "".join(f"""
[[task]]
name = "core{core}"
entry = "core_job"
argument = {core}
core = {core}
priority = 10
period = "100ms"
wcet = "1ms"
""" for core in range(cores))
(directory / "system.toml").write_text(f"""format = 1
[system]
name = "boot{cores}"
board = "board.toml"
sources = ["{HERE}/main.c"]
include = ["{HERE.parent}"]
[run]
for = "60s"
[kernel]
events = 16
console = "512B"
[[task]]
name = "main"
entry = "main_job"
core = 0
priority = 60
start = true
suspends = "1s"
{tasks}""")
