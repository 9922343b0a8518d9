#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a flight of examples/rosace against its requirements and an integration of its own.

    check_flight.py FLIGHT [CONSOLE]      FLIGHT: climb, climb_1000, vz_step, va_step or tour

CONSOLE is what `takt run` printed (standard input without it). Prints a line a check; exits 0 when
all pass, 1 when one fails, 2 when there is no flight in the text.
"""

import functools
import pathlib
import sys

from console import NoFlight, flight_of
from flights import FLIGHTS
from integration import STEP, euler, fly, runge_kutta

# The last digit that the recorder prints: two runs that add in different orders may round to neighbouring numbers.
DIGIT = {
    "t": 1e-3,
    "h_c": 0.1,
    "va_c": 0.1,
    "vz_c": 1e-5,
    "h": 1e-5,
    "va": 1e-6,
    "vz": 1e-6,
    "q": 1e-8,
    "az": 1e-6,
    "thrust": 0.01,
    "elevator": 1e-8,
}
# Euler's method with 5 ms compared with the continuous motion: about twice the measured difference. The altitude is the
# sum of a vertical speed that is slightly wrong for as long as the climb lasts.
CONTINUOUS = {"h": 0.1, "va": 1e-3, "vz": 8e-3, "q": 1e-5, "az": 2e-3}


@functools.cache
def integrated(name, rule):
    return fly(FLIGHTS[name], rule)


def complete(samples, flight):
    """The flight has all columns, evenly spaced samples, and lasts as long as its table."""
    if set(samples[0]) != set(DIGIT):
        return False, f"columns {', '.join(samples[0])}"
    times = [sample["t"] for sample in samples]
    gaps = {round(later - earlier, 3) for earlier, later in zip(times, times[1:])}
    good = len(gaps) == 1 and times[0] == 0 and times[-1] == flight.end
    return good, f"{len(samples)} samples from {times[0]} s to {times[-1]} s, gaps {sorted(gaps)} s"


def near(samples, expected, tolerances):
    """The largest difference of each column, as a share of its tolerance, in one verdict."""
    pairs = [(sample, expected[round(sample["t"] / STEP)]) for sample in samples]

    def share(column):
        # `not <=`, because a NaN is not close to anything.
        worst = max((abs(a[column] - b[column]) for a, b in pairs), key=lambda x: (x != x, x))
        return (worst / tolerances[column], column, worst)

    shares = [share(column) for column in tolerances]
    _, column, worst = max(shares, key=lambda x: (x[0] != x[0], x[0]))
    return all(each <= 1 for each, _, _ in shares), f"worst is {column}, {worst:.3g} off"


def crossing(samples, column, value, rising):
    """The time at which the column first reaches the value, between samples by a straight line."""
    sign = 1 if rising else -1
    for before, after in zip(samples, samples[1:]):
        if sign * (after[column] - value) >= 0:
            part = (value - before[column]) / (after[column] - before[column])
            return before["t"] + part * (after["t"] - before["t"])
    return float("inf")


def measure(samples, step):
    """Settling, overshoot, rise and static error. Settled: from the sample on that stays."""
    size = step.end - step.start
    reached = [(sample[step.column] - step.start) / size for sample in samples]
    outside = [i for i, value in enumerate(reached) if not abs(value - 1) <= 0.05]
    last = outside[-1] + 1 if outside else 0
    tenth, most = (
        crossing(samples, step.column, step.start + part * size, size > 0) for part in (0.1, 0.9)
    )
    return {
        "settling": samples[last]["t"] if last < len(samples) else float("inf"),
        "overshoot": max(reached) - 1,
        "rise": most - tenth,
        "error": abs(reached[-1] - 1),
    }


def step_checks(samples, step):
    gap = samples[1]["t"] - samples[0]["t"]
    # The references are rounded to two digits, and samples that are further apart show less of the curve.
    slack = {"settling": gap + 0.005, "overshoot": 1e-3, "rise": gap + 0.006, "error": 1e-4}
    for what, value in measure(samples, step).items():
        limit, reference = getattr(step.required, what), getattr(step.reference, what)
        yield value <= limit, f"{what} {value:.4g}, required at most {limit:g}"
        good = abs(value - reference) <= slack[what]
        yield good, f"{what} {value:.4g}, reference {reference:g}"


def height_checks(samples, heights):
    for time, height in heights.items():
        found = [sample["h"] for sample in samples if sample["t"] == time]
        good = len(found) == 1 and abs(found[0] - height) <= 0.001
        yield good, f"altitude at {time} s {found}, reference {height:.3f} m"


def checks(name, samples):
    """Each check of the flight: whether it holds, and what was seen."""
    flight = FLIGHTS[name]
    good, seen = complete(samples, flight)
    yield good, seen
    if not good:
        return
    good, seen = near(samples, integrated(name, euler), DIGIT)
    yield good, f"equal to the integration in the example's order: {seen}"
    good, seen = near(samples, integrated(name, runge_kutta), CONTINUOUS)
    yield good, f"near the continuous motion: {seen}"
    yield from height_checks(samples, flight.heights)
    if flight.step:
        yield from step_checks(samples, flight.step)


def report(name, text):
    """Prints a line a check; whether all pass. Raises NoFlight."""
    results = list(checks(name, flight_of(text)))
    for good, seen in results:
        print(f"{'pass' if good else 'FAIL'} rosace {name}: {seen}")
    return all(good for good, _ in results)


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0] not in FLIGHTS:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        text = pathlib.Path(arguments[1]).read_text() if arguments[1:] else sys.stdin.read()
        return 0 if report(arguments[0], text) else 1
    except (NoFlight, OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
