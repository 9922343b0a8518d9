#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a switch and a message take under each placement of the kernel, on two nodes of sara and of sara_soc, in cycles of
their clock. The sources are the same, and the descriptions differ in one line. `make bench-placement`; also writes
bench/results/placement.json.

    run.py [--quick]        quick: fewer rounds, sara alone, and nothing is written

The exit status is 1 if a figure is missing or 0."""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from generate import description

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build/bench-placement"
RESULTS = ROOT / "bench/results/placement.json"
BOARDS = ["sara", "sara_soc"]
PLACEMENTS = ["distributed", "central", "semi", "rtu"]
KINDS = ["switch", "message", "round trip"]
FIGURES = re.compile(r"^(.+), (\d+) times: minimum (\d+), average (\d+), maximum (\d+) cycles$", re.MULTILINE)


def takt(*arguments):
    return subprocess.run([ROOT / "takt", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def measure(board, placement, rounds):
    """The figures of a placement by kind."""
    system = WORK / f"{board}_{placement}.toml"
    system.write_text(description(placement, rounds, board))
    ended = takt("run", system)
    rows = {}
    for name, count, least, average, most in FIGURES.findall(ended.stdout):
        rows[name] = {"count": int(count), "minimum": int(least), "average": int(average), "maximum": int(most)}
    gaps = [kind for kind in KINDS if rows.get(kind, {}).get("count") != rounds or 0 in rows[kind].values()]
    if ended.returncode != 0 or gaps:
        sys.exit(f"{placement}: no figures of {', '.join(gaps)}; takt run ended with {ended.returncode}:\n"
                 f"{ended.stdout}{ended.stderr}")
    return rows


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
            rows = measure(board, placement, rounds)
            show(placement, rows)
            boards[board][placement] = rows
    if not arguments.quick:
        RESULTS.write_text(json.dumps({"cores": 2, "boards": boards}, indent=1) + "\n")


if __name__ == "__main__":
    main()
