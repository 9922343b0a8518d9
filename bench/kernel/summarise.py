#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""summarise.py KERNEL.json CSV...: the figures of all measurements, in one file."""

import json
import sys
from pathlib import Path

SCALING = ("private", "shared", "pairs", "turns")


def rows(path):
    return [line.split(",") for line in path.read_text().splitlines()]


def curve(path, together=1):
    """Operations in a microsecond by number of cores; so many of those that were counted make one."""
    return {row[1]: round(int(row[2]) / together / int(row[3]) * 1000, 3) for row in rows(path)}


def fraction_of_linear(rates):
    """Of the most cores, where a core's own best rate with any number of cores is what each could do: cores are
    not equally far from memory, so core 0 alone is no measure."""
    best = max(rate / int(cores) for cores, rate in rates.items())
    most = max(rates, key=int)
    return round(rates[most] / int(most) / best, 4)


def services(path):
    """By case (here, order, wake, block, across) and service."""
    result = {}
    for case, name, *figures in rows(path):
        result.setdefault(case, {})[name] = dict(zip(("min", "median", "max"), map(int, figures)))
    return result


def own_task(path):
    """By what is measured and the way that the task is found."""
    result = {}
    for way, what, *figures in rows(path):
        result.setdefault(what, {})[way] = dict(zip(("min", "median", "max"), map(int, figures)))
    return result


def profile(path):
    keys = ("instructions", "cycles", "stalls", "stalled")
    return [{"core": core, "function": function, "file": file, **dict(zip(keys, map(int, figures)))}
            for core, function, file, *figures in rows(path)]


def measured(path, result):
    program, _, granularity, spinlock, backoff = path.parent.name.split("-")
    lock = spinlock if backoff == "none" else f"{spinlock}-{backoff}"
    if program == "spinlock":
        result["spinlock"][lock] = curve(path)
    elif program.startswith("homing_"):
        result["spinlock_homing"].setdefault(lock, {})[program.removeprefix("homing_")] = curve(path)
    elif program in SCALING:
        rates = curve(path, 1 if program == "turns" else 2)
        result[f"scaling_{program}"][granularity] = rates
        if program == "private":
            result[f"scaling_private_{granularity}_{max(rates, key=int)}"] = fraction_of_linear(rates)
    elif program == "services":
        result["services"] = services(path)
    elif program == "thread_metric":
        result["thread_metric"] = {row[1]: round(int(row[2]) / int(row[3]) * 1e9) for row in rows(path)}
    else:
        for name, least, mean, most in rows(path):
            result[f"{name}_cycles"] = {"min": int(least), "mean": int(mean), "max": int(most)}


def main(output, *files):
    result = {"board": "tile72", "spinlock": {}, "spinlock_homing": {}, "memory": {}, "profile": {}}
    result |= {f"scaling_{program}": {} for program in SCALING}
    for path in map(Path, files):
        kind, _, what = path.stem.partition("-")
        if kind == "memory":
            result["memory"][what] = {name: float(size) for name, size in rows(path)}
        elif kind == "profile":
            result["profile"][what] = profile(path)
        elif kind == "own_task":
            result["own_task"] = own_task(path)
        else:
            measured(path, result)
    Path(output).write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
