#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py FAULT DIRECTORY: a graph of three objects of which the second, on worker 2 or the control core, has a FAULT."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
fault, directory = sys.argv[1], Path(sys.argv[2])
core = 0 if fault == "hang_control" else 2
entry = "hang" if fault == "hang_control" else fault

# The object behind the faulty one, whose message is lost.
loses = fault == "lose"
last = "late" if loses else "faulty"
late = '    { name = "late",   entry = "pass", core = 2, wcet = "20us" },\n' if loses else ""
between = '    { from = "faulty.out", to = "late.in", size = "64B" },\n' if loses else ""

(directory / "system.toml").write_text(f"""format = 1

object = [
    {{ name = "before", entry = "pass", core = 1, wcet = "20us" }},
    {{ name = "faulty", entry = "{entry}", core = {core}, wcet = "20us" }},
{late}    {{ name = "after",  entry = "pass", core = 1, wcet = "20us" }},
]
edge = [
    {{ from = "before.out", to = "faulty.in", size = "64B" }},
{between}    {{ from = "{last}.out", to = "after.in",  size = "64B" }},
]

[system]
name      = "dataflow_{fault}"
board     = "iota9"
sources   = ["{HERE}/faults.c"]
include   = ["{HERE.parent.parent}/libraries/dataflow"]
libraries = ["dataflow"]

[dataflow]
check = "faults_check"
watch = "100us"
""")
