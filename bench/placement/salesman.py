#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long examples/salesman searches on eight nodes under each placement of the kernel, on sara and sara_soc, in
microseconds, over many seeds: with 90 jobs, and with 720 that are smaller. `make bench-placement`; also writes
bench/results/salesman.json.

    salesman.py [--quick] [--seeds N]    quick: one seed, 90 jobs, sara alone, and nothing is written

The exit status is 1 if a figure is missing or the tour is not the shortest. The program itself stops with an error if the
nodes together have not found a tour as short as one node alone."""

import argparse
import json
import re
import sys

from seeds import BOARDS, PLACEMENTS, ROOT, WORK, consoles

RESULTS = ROOT / "bench/results/salesman.json"
EXAMPLE = ROOT / "examples/salesman"
CITIES = {"90 jobs": 3, "720 jobs": 4}
# Of the cities in the example, as found by dynamic programming over all subsets of them.
SHORTEST = 438
SAID = re.compile(rf"^the shortest tour is {SHORTEST} long: .*\n"
                  r"8 nodes: (\d+) us with (\d+) messages; one alone: (\d+) us$", re.MULTILINE)


def measure(board, placement, jobs, seeds):
    text = (EXAMPLE / "system.toml").read_text()
    for old, new in (('"salesman.c"', f'"{EXAMPLE / "salesman.c"}"'), ('"sara"', f'"{board}"'),
                     ('"distributed"', f'"{placement}"'), ("argument = 3 ", f"argument = {CITIES[jobs]} ")):
        assert text.count(old) == 1
        text = text.replace(old, new)
    system = WORK / f"salesman_{board}_{placement}_{CITIES[jobs]}.toml"
    system.write_text(text)

    runs = []
    for seed, text in enumerate(consoles(system, seeds)):
        said = SAID.search(text)
        if not said:
            sys.exit(f"{system}, seed {seed}: no figure:\n{text}")
        runs.append([int(figure) for figure in said.groups()])
    times, messages, alone = zip(*runs)
    return {"count": seeds, "minimum": min(times), "average": round(sum(times) / seeds), "maximum": max(times),
            "messages": max(messages), "alone": round(sum(alone) / seeds)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=100)
    arguments = parser.parse_args()
    seeds = 1 if arguments.quick else arguments.seeds
    WORK.mkdir(parents=True, exist_ok=True)
    boards = {}
    for board in BOARDS[:1] if arguments.quick else BOARDS:
        boards[board] = {}
        for jobs in list(CITIES)[:1] if arguments.quick else CITIES:
            for placement in PLACEMENTS:
                row = measure(board, placement, jobs, seeds)
                print(f"{board:9} {placement:12} {jobs:8} {row['count']} times: minimum {row['minimum']}, average "
                      f"{row['average']}, maximum {row['maximum']} us, one alone {row['alone']} us", flush=True)
                boards[board].setdefault(placement, {})[jobs] = row
    if not arguments.quick:
        RESULTS.write_text(json.dumps({"cores": 8, "seeds": seeds, "boards": boards}, indent=1) + "\n")


if __name__ == "__main__":
    main()
