#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py PROGRAM BOARD CORES GRANULARITY SPINLOCK BACKOFF DIRECTORY: the description of a
measurement: one worker a core, with a semaphore of its own to start it and one to work with."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def description(program, board, cores, granularity, spinlock, backoff):
    inside = [f'"{ROOT}/kernel"', f'"{ROOT}/arch/riscv64"'] if program == "spinlock" else []
    parts = [f"""# SPDX-License-Identifier: Apache-2.0
format = 1

[system]
name    = "{program}"
board   = "{board}"
cores   = {cores}
sources = ["{HERE}/{program}.c"]
include = [{", ".join([f'"{HERE}"', *inside])}]

[run]
for = "10s"

[kernel]
events      = 0
granularity = "{granularity}"
spinlock    = "{spinlock}"
backoff     = "{backoff}"

[[task]]
name     = "main"
entry    = "main_job"
argument = {cores}
core     = 0
priority = 20
start    = true
suspends = "1s"
"""]
    for name in ("go", "own"):
        for core in range(cores):
            parts.append(f'[[semaphore]]\nname = "{name}_{core}"\ncore = {core}\n')
    for name, priority in (("worker", 10), ("partner", 9)):
        for core in range(cores):
            parts.append(f'[[task]]\nname = "{name}_{core}"\nentry = "{name}_job"\nargument = {core}\n'
                         f'core = {core}\npriority = {priority}\nstart = true\nsuspends = "1s"\n')
    if program == "services":
        parts.append('[[task]]\nname = "timed"\nentry = "timed_job"\nperiod = "1ms"\nwcet = "100us"\n'
                     'core = 0\npriority = 5\n')
    return "\n".join(parts)


if __name__ == "__main__":
    *choice, directory = sys.argv[1:]
    Path(directory).mkdir(parents=True, exist_ok=True)
    Path(directory, "system.toml").write_text(description(choice[0], choice[1], int(choice[2]), *choice[3:]))
