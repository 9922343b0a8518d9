#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flies examples/rosace on QEMU through `takt run`, and checks the flights.

    test_qemu.py [FLIGHT ...]      without names: climb, vz_step and va_step

The description of the climb is the example's own; the others differ from it in the pilot's table,
and the steps are recorded at 10 Hz, so that their rise and settling can be read.
"""

import pathlib
import subprocess
import sys

import check_flight
from console import NoFlight
from variant import EXAMPLE, ROOT, variant

BUILD = ROOT / "build/rosace-flights"
LIMIT = 600  # s, for one build and run: a kernel that hangs is not waited for


def system_of(name):
    if name == "climb":
        return EXAMPLE / "system.toml"
    BUILD.mkdir(parents=True, exist_ok=True)
    system = BUILD / f"{name}.toml"
    system.write_text(variant(name, "100ms"))
    return system


def run(name):
    """Whether the flight ran, met its deadlines and passes its checks."""
    command = [ROOT / "takt", "run", system_of(name), "--qemu"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        print(f"FAIL rosace {name}: no end within {LIMIT} s")
        return False
    good = done.returncode == 0
    print(f"{'pass' if good else 'FAIL'} rosace {name}: takt run ends with {done.returncode}")
    if not good:
        print(done.stdout[-3000:] + done.stderr[-3000:], file=sys.stderr)
    try:
        return check_flight.report(name, done.stdout) and good
    except NoFlight as error:
        print(f"FAIL rosace {name}: {error}")
        return False


def main(names):
    results = [run(name) for name in names or ("climb", "vz_step", "va_step")]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
