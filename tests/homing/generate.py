#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py HOMES HOMING CHECKED DIRECTORY: four cores on a line of five nodes, whose pages have homes, and whose caches keep
little. HOMES: page, split, nodes (two pages at each node in turn, in no order) or pairs (two cores a node). HOMING: of the
description. CHECKED: timed, or untimed for machines without the board's times."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from board import board  # noqa: E402

HOMES = {"page": 'homes = "page"', "split": 'homes = "split"\npages_from = "0x81000000"\ninterleave = "4KiB"', "pairs": 'homes = "page"',
         "nodes": 'homes = "nodes"\nnodes = [3, 4, 0, 2, 1]\ninterleave = "8KiB"'}
HOP = 50


def replaced(text, *changes):
    for old, new in changes:
        text, count = re.subn(old, new, text, flags=re.MULTILINE | re.DOTALL)
        assert count == 1, old
    return text


homes, homing, checked, directory = *sys.argv[1:4], Path(sys.argv[4])
per_node = 2 if homes == "pairs" else 1
(directory / "board.toml").write_text(replaced(
    board(4, load="0x80403000"),
    (r'^homes +=[^\n]*', HOMES[homes]), (r"^hop +=[^\n]*", f"hop = {HOP}"), (r"^prefetch +=[^\n]*", "prefetch = 0"),
    (r"^columns +=[^\n]*", "columns = 5"), (r"^cores_per_node +=[^\n]*", f"cores_per_node = {per_node}"),
    (r'^\[l1d\].*?ways[^\n]*', '[l1d]\nsize = "4KiB"\nways = 1'), (r"^\[l2\].*?(?=^\[)", "")))
(directory / "homing_case.h").write_text(
    f"enum {{ CORES_PER_NODE = {per_node}, HOP = {HOP}, TIMED = {int(checked == 'timed')}, HOMED = {int(homing == 'page')} }};\n")
tasks = "".join(f"""
[[task]]
name     = "prober_{core}"
entry    = "prober_job"
argument = {core}
core     = {core}
priority = 10
start    = true
suspends = "1s"

[[semaphore]]
name = "turn_{core}"
""" for core in range(4))
(directory / "system.toml").write_text(f"""format = 1

[system]
name    = "homing"
board   = "board.toml"
sources = ["{HERE}/main.c"]
include = ["{HERE.parent}", "."]

[run]
for = "10s"

[kernel]
events = 0
homing = "{homing}"
{tasks}""")
