#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a switch and a message take under each placement of the kernel, on two nodes of sara and of sara_soc, in cycles of
their clock. The sources are the same, and the descriptions differ in one line. `make bench-placement`; also writes
bench/results/placement.json.

    run.py [--quick]        quick: fewer rounds, sara alone, and nothing is written

The exit status is 1 if a figure is missing or 0."""

import argparse
import json

from generate import description
from seeds import BOARDS, PLACEMENTS, ROOT, WORK, measure

RESULTS = ROOT / "bench/results/placement.json"
KINDS = ["switch", "message", "round trip"]


def show(placement, rows):
    for kind in KINDS:
        row = rows[kind]
        print(f"{placement:12} {kind:10} {row['count']:4} times: minimum {row['minimum']:6}, "
              f"average {row['average']:6}, maximum {row['maximum']:6} cycles", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    rounds = 20 if arguments.quick else 200
    WORK.mkdir(parents=True, exist_ok=True)
    boards = {}
    for board in BOARDS[:1] if arguments.quick else BOARDS:
        print(f"{board}:", flush=True)
        boards[board] = {}
        for placement in PLACEMENTS:
            system = WORK / f"{board}_{placement}.toml"
            system.write_text(description(placement, rounds, board))
            rows = measure(system, KINDS, lambda kind: rounds, 1)
            show(placement, rows)
            boards[board][placement] = rows
    if not arguments.quick:
        RESULTS.write_text(json.dumps({"cores": 2, "boards": boards}, indent=1) + "\n")


if __name__ == "__main__":
    main()
