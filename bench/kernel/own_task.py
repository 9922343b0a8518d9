#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""own_task.py [CORES]: cycles of takt_task_self by each `own_task`, and of a task's move to the other of two idle
cores, on tile72 with so many cores (72). Prints lines `WAY,WHAT,MIN,MEDIAN,MAX`. By the way "generic" a core is
searched: core 0 is found first, so the task that asks is on the last one."""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAKT = HERE.parent.parent / "target/release/takt"


def description(way, cores):
    return f"""# SPDX-License-Identifier: Apache-2.0
format = 1

[system]
name    = "own_task"
board   = "tile72"
cores   = {cores}
sources = ["{HERE}/own_task.c"]
include = ["{HERE}"]

[run]
for = "1s"

[kernel]
events   = 0
own_task = "{way}"

[[task]]
name     = "mover"
entry    = "mover_job"
core     = {cores - 1}
cores    = {sorted({0, 1, cores - 1})}
priority = 20
start    = true
"""


def main(cores):
    with tempfile.TemporaryDirectory(prefix="takt-own-task-") as folder:
        for way in ("generic", "fast", "register"):
            file = Path(folder, f"{way}.toml")
            file.write_text(description(way, cores))
            done = subprocess.run([TAKT, "run", file], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            told = [line.split(",")[2:] for line in done.stdout.splitlines() if line.startswith("bench,")]
            if done.returncode != 0 or len(told) != 2:
                sys.exit(f"{way}: no figures\n{done.stdout}")
            for figures in told:
                print(",".join([way, *figures]), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 72)
