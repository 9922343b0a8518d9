#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What it takes to create a task beside 0 to 16 others and to switch between two beside 0 to 14 others, on the master
(node 0) and on a slave (node 1), under each placement of the kernel, on sara and sara_soc, in cycles of their clock, over
many seeds. `make bench-placement`; also writes bench/results/tasks.json.

    tasks.py [--quick] [--seeds N]    quick: one seed, the slave of sara alone, and nothing is written

The exit status is 1 if a figure is missing or 0."""

import argparse
import json

from seeds import BOARDS, PLACEMENTS, ROOT, WORK, measure

RESULTS = ROOT / "bench/results/tasks.json"
SOURCE = ROOT / "bench/placement/tasks.c"
NODES = {"slave": 1, "master": 0}
ROUNDS = 10
SWITCHES = 12
KEYS = [f"create {already}" for already in range(17)] + [f"switch {active}" for active in range(2, 17)]

DESCRIPTION = """\
# SPDX-License-Identifier: Apache-2.0
format = 1

[system]
name    = "tasks_{placement}_{node}"
board   = "{board}"
cores   = 2
sources = ["{source}"]

[kernel]
placement = "{placement}"
events    = 0

[run]
for = "60s"

[[task]]
name     = "control"
entry    = "control_job"
argument = {rounds}
core     = {node}
priority = 5
start    = true
"""

TASK = """
[[task]]
name     = "{name}"
entry    = "{entry}"
core     = {node}
priority = {priority}
"""


def description(board, placement, node):
    tasks = [("left", "pair_job", 10), ("right", "pair_job", 10)] + [(f"other_{i}", "other_job", 20) for i in range(17)]
    return DESCRIPTION.format(board=board, placement=placement, node=node, source=SOURCE, rounds=ROUNDS) + "".join(
        TASK.format(name=name, entry=entry, node=node, priority=priority) for name, entry, priority in tasks)


def show(placement, node, rows):
    for kind, numbers in (("create", (0, 1, 4, 8, 16)), ("switch", (2, 4, 8, 16))):
        row = [f"{number}: {rows[f'{kind} {number}']['average']}" for number in numbers]
        print(f"{placement:12} {node:7} {kind}  " + ", ".join(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=1000)
    arguments = parser.parse_args()
    seeds = 1 if arguments.quick else arguments.seeds
    WORK.mkdir(parents=True, exist_ok=True)
    boards = {}
    for board in BOARDS[:1] if arguments.quick else BOARDS:
        print(f"{board}, average cycles by the number of tasks, {seeds} {'seed' if seeds == 1 else 'seeds'}:", flush=True)
        boards[board] = {}
        for placement in PLACEMENTS:
            for node in list(NODES)[:1] if arguments.quick else NODES:
                system = WORK / f"tasks_{board}_{placement}_{node}.toml"
                system.write_text(description(board, placement, NODES[node]))
                rows = measure(system, KEYS, lambda key: ROUNDS if key.startswith("create") else SWITCHES, seeds)
                show(placement, node, rows)
                boards[board].setdefault(placement, {})[node] = rows
    if not arguments.quick:
        RESULTS.write_text(json.dumps({"seeds": seeds, "boards": boards}, indent=1) + "\n")


if __name__ == "__main__":
    main()
