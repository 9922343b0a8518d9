#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py FAULT [MACRO] DIRECTORY: a system in which the task 'culprit' on core 1 does what the
function FAULT of main.c, compiled with MACRO, does, while core 0 idles and core 2 computes."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
fault, macros, directory = sys.argv[1], sys.argv[2:-1], Path(sys.argv[-1])
(directory / "fault.c").write_text("/* SPDX-License-Identifier: Apache-2.0 */\n"
                                   + "".join(f"#define {macro} 1\n" for macro in macros)
                                   + f'#include "{HERE}/main.c"\n')
(directory / "system.toml").write_text(f"""format = 1
[system]
name = "fault"
board = "virt"
cores = 3
sources = ["fault.c"]
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
