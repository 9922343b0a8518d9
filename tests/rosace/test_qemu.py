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


def takt_run(system):
    """Exit code, console and messages. Terminated, not killed, so that takt ends its QEMU."""
    command = [ROOT / "takt", "run", system, "--qemu"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        console, messages = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.terminate()
        console, messages = process.communicate()
        messages += f"\nno end within {LIMIT} s\n"
    return process.returncode, console, messages


def run(name):
    """Whether the flight ran, met its deadlines and passes its checks."""
    code, console, messages = takt_run(system_of(name))
    print(f"{'FAIL' if code else 'pass'} rosace {name}: takt run ends with {code}")
    if code:
        print(console[-3000:] + messages[-3000:], file=sys.stderr)
    try:
        return check_flight.report(name, console) and code == 0
    except NoFlight as error:
        print(f"FAIL rosace {name}: {error}")
        return False


def main(names):
    results = [run(name) for name in names or ("climb", "vz_step", "va_step")]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
