#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flies all flights of examples/rosace on the host, without the kernel, and checks them.

The mathematics is tested here, with address and undefined-behaviour sanitizers, and that nothing
but the description's offsets and deadlines fixes the data flow: jobs that run anywhere between
release and deadline print the same flight, to the last byte.
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "host"))

import check_flight  # noqa: E402
import flight  # noqa: E402
from flights import FLIGHTS  # noqa: E402
from variant import variant  # noqa: E402

SEEDS = range(1, 6)


def fly(name, directory):
    """Whether this flight passes. 5 ms: every step of the aircraft is recorded."""
    system = directory / f"{name}.toml"
    system.write_text(variant(name, "5ms"))
    program = flight.build(system, directory)
    console = flight.fly(program, seed=0)
    good = check_flight.report(name, console)
    same = all(flight.fly(program, seed) == console for seed in SEEDS)
    print(f"{'pass' if same else 'FAIL'} rosace {name}: the same with jobs at random instants")
    return good and same


def main():
    results = []
    for name in FLIGHTS:
        with tempfile.TemporaryDirectory() as directory:
            results.append(fly(name, pathlib.Path(directory)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
