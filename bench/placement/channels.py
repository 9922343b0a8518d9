#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What messages of channels take under each placement of the kernel, within and between the nodes of sara and of sara_soc,
in cycles of their clock, over many seeds: the latency of one message of 1 to 128 bytes, and 10 KiB in messages of 16 to
1,024 bytes. The sources are the same, and the descriptions differ in few lines. `make bench-placement`; also writes
bench/results/channels.json.

    channels.py [--quick] [--seeds N] [--bandwidth-seeds N]    quick: one seed, from a slave to the master on sara alone,
                                                               and nothing is written

The exit status is 1 if a figure is missing or 0."""

import argparse
import json

from seeds import BOARDS, PLACEMENTS, ROOT, WORK, measure

RESULTS = ROOT / "bench/results/channels.json"
SOURCE = ROOT / "bench/placement/channels.c"
# The cores of sender and receiver: core 0 is the master, on the system board.
WAYS = {"slave to master": (1, 0), "master to slave": (0, 1), "slave to slave": (1, 2), "within the master": (0, 0),
        "within a slave": (1, 1)}
LATENCIES = [1, 16, 32, 48, 64, 80, 96, 112, 128]
BANDWIDTHS = [16, 32, 64, 128, 256, 512, 1024]
KINDS = {"latency": LATENCIES, "bandwidth": BANDWIDTHS}

DESCRIPTION = """\
# SPDX-License-Identifier: Apache-2.0
format = 1

[system]
name      = "{kind}_{placement}_{sender}_{receiver}"
board     = "{board}"
cores     = 3
sources   = ["{source}"]
libraries = ["messaging"]

[kernel]
placement = "{placement}"
events    = 0

[run]
for = "60s"

[[channel]]
name       = "bytes"
receiver   = "receiver"
messages   = 8
size       = "1KiB"
priorities = 2

[[priority_data_queue]]
name       = "ends"
capacity   = 1
priorities = 1

[[task]]
name     = "sender"
entry    = "{kind}_job"
argument = 1
core     = {sender}
priority = 10
start    = true

[[task]]
name     = "receiver"
entry    = "receiver_job"
core     = {receiver}
priority = 10
start    = true
"""


def measure_way(board, placement, way, kind, seeds):
    """The figures of a placement by size, one of each seed."""
    sender, receiver = WAYS[way]
    system = WORK / f"{kind}_{board}_{placement}_{sender}_{receiver}.toml"
    system.write_text(DESCRIPTION.format(placement=placement, board=board, source=SOURCE, kind=kind, sender=sender,
                                         receiver=receiver))
    return measure(system, [f"{kind} {size}" for size in KINDS[kind]], lambda key: 1, seeds)


def show(placement, way, rows):
    for kind, sizes in KINDS.items():
        row = [f"{size}B {rows[f'{kind} {size}']['average']}" for size in sizes]
        print(f"{placement:12} {way}  {kind:9} " + ", ".join(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--bandwidth-seeds", type=int, default=16, help="each takes a second or two (default: 16)")
    arguments = parser.parse_args()
    quick = arguments.quick
    seeds = {"latency": 1, "bandwidth": 1} if quick else {"latency": arguments.seeds, "bandwidth": arguments.bandwidth_seeds}
    WORK.mkdir(parents=True, exist_ok=True)
    boards = {}
    for board in BOARDS[:1] if quick else BOARDS:
        print(f"{board}, average cycles, {'1 seed' if quick else f'{arguments.seeds} seeds'}:", flush=True)
        boards[board] = {}
        for placement in PLACEMENTS:
            for way in list(WAYS)[:1] if quick else WAYS:
                rows = {}
                for kind in KINDS:
                    rows |= measure_way(board, placement, way, kind, seeds[kind])
                show(placement, way, rows)
                boards[board].setdefault(placement, {})[way] = rows
    if not quick:
        RESULTS.write_text(json.dumps({"cores": 3, "bytes": 10240, "seeds": seeds, "boards": boards}, indent=1) + "\n")


if __name__ == "__main__":
    main()
