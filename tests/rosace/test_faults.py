#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in examples/rosace, one at a time, and expects the checks of a flight to fail.

So each check is known to be able to fail: a wrong sign, a digit of a coefficient, a late row of the
pilot's table, a broken order of the tasks.
"""

import contextlib
import io
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "host"))

import check_flight  # noqa: E402
import flight  # noqa: E402
from variant import EXAMPLE, variant  # noqa: E402

# Each fault: the file, the original text, the faulty text, and the flight that must show it.
FAULTS = [
    ("aircraft.c", "state.q * state.w + (air.x", "state.q * state.w - (air.x", "climb"),
    ("aircraft.c", "0.83 * alpha", "0.831 * alpha", "climb"),
    ("aircraft.c", "lapse = -0.0065", "lapse = -0.00651", "climb"),
    ("actuators.c", "xi = 0.85", "xi = 0.86", "vz_step"),
    ("filters.c", "0.000486212556348925", "0.000486222556348925", "va_step"),
    ("filters.c", "filter->trim * (1.0", "filter->trim * (1.001", "climb"),
    ("controllers.c", "- 0.001566907423747 * az", "+ 0.001566907423747 * az", "vz_step"),
    ("controllers.c", "error > 50.0", "error > 51.0", "tour"),
    ("controllers.c", "integral = -532.27", "integral = -532.28", "tour"),
    ("controllers.c", ": pilot.vertical_speed)", ": -pilot.vertical_speed)", "vz_step"),
    ("commands.c", ".at <= now", ".at < now", "tour"),
    ("flights/va_step.c", "{50,", "{49,", "va_step"),
    ("recorder.c", "5 * TAKT_MILLISECOND", "1 * TAKT_MILLISECOND", "climb"),
    # The filters' slot before the aircraft's; the aircraft too late for the filters.
    ("system.toml", '0\nperiod   = "10ms"\noffset   = "2ms"', '0\nperiod   = "10ms"', "climb"),
    ("system.toml", '"1ms"\ndeadline = "1ms"', '"1ms"\ndeadline = "5ms"', "climb"),
]


def plant(example, file, old, new):
    text = (example / file).read_text()
    if text.count(old) != 1:
        raise ValueError(f"{file}: `{old}` stands there {text.count(old)} times, not once")
    (example / file).write_text(text.replace(old, new))


def passes(name, system, directory):
    system.write_text(variant(name, "100ms", directory / "rosace"))
    program = flight.build(system, directory, flags=[])
    consoles = {flight.fly(program, seed) for seed in (0, 1)}
    with contextlib.redirect_stdout(io.StringIO()):
        return all([check_flight.report(name, console) for console in consoles])


def is_seen(fault, directory):
    *change, name = fault
    shutil.copytree(EXAMPLE, directory / "rosace")
    if not passes(name, directory / "system.toml", directory):
        raise ValueError(f"{name} fails without the fault")
    plant(directory / "rosace", *change)
    return not passes(name, directory / "system.toml", directory)


def main():
    seen = []
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as directory:
            seen.append(is_seen(fault, pathlib.Path(directory)))
        file, old, new, name = fault
        verdict = "pass" if seen[-1] else "FAIL"
        print(f"{verdict} rosace: {name} shows {old!r} -> {new!r} in {file}")
    return 0 if all(seen) else 1


if __name__ == "__main__":
    sys.exit(main())
