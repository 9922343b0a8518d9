#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py CORES ACTIVATIONS MEMORY DIRECTORY: every core activates a task of its own on every
other core, until ACTIVATIONS calls have succeeded in all."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from board import board  # noqa: E402
cores, activations, memory = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
directory = Path(sys.argv[4])

(directory / "board.toml").write_text(board(cores, memory))

parts = [f"""format = 1
[system]
name = "stress{cores}"
board = "board.toml"
sources = ["{HERE}/activate.c", "parameters.c"]
include = ["{HERE.parent}"]
[run]
for = "100000s"
[kernel]
events = 16
console = "512B"
"""]
for source in range(cores):
    for target in range(cores):
        if target != source:
            # The tasks are above and below the driver of the target's core.
            priority = 5 + (source * 7 + target) % 50
            parts.append(f'[[task]]\nname="p{source}_{target}"\nentry="pair_job"\n'
                         f'argument={source * cores + target}\ncore={target}\n'
                         f'priority={priority}\nqueue={(1, 30, 255)[(source + target) % 3]}\nstack="1KiB"\n')
for core in range(cores):
    parts.append(f'[[task]]\nname="driver{core}"\nentry="driver_job"\nargument={core}\n'
                 f'core={core}\npriority=30\nstart=true\nsuspends="1s"\n')
parts.append('[[task]]\nname="main"\nentry="main_job"\ncore=0\npriority=60\nstart=true\n'
             'suspends="1s"\n')
(directory / "system.toml").write_text("\n".join(parts))
(directory / "parameters.c").write_text(f"""/* SPDX-License-Identifier: Apache-2.0 */
#include "stress/parameters.h"
const unsigned stress_cores = {cores};
const unsigned stress_quota = {-(-activations // cores)};
const unsigned stress_burst = {max(3, min(300, activations // (4 * cores * cores)))};
struct pair pairs[{cores * cores}];
""")
