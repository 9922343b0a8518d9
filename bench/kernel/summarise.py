#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""summarise.py FOLDER KERNEL.json: the figures of all measurements below a folder, in one file."""

import json
import sys
from pathlib import Path


def rows(path):
    return [line.split(",") for line in path.read_text().splitlines()]


def curve(path):
    """Operations in a microsecond by number of cores."""
    return {row[1]: round(int(row[2]) / int(row[3]) * 1000, 3) for row in rows(path)}


def fraction_of_linear(rates):
    """Of the most cores, where a core's own best rate with any number of cores is what each could do: cores are
    not equally far from memory, so core 0 alone is no measure."""
    best = max(rate / int(cores) for cores, rate in rates.items())
    most = max(rates, key=int)
    return round(rates[most] / int(most) / best, 4)


def main(folder, output):
    result = {"board": "tile72", "spinlock": {}, "scaling_private": {}}
    for path in sorted(Path(folder).glob("*/result.csv")):
        program, _, granularity, spinlock, backoff = path.parent.name.split("-")
        if program == "spinlock":
            result["spinlock"][spinlock if backoff == "none" else f"{spinlock}-{backoff}"] = curve(path)
        elif program == "scaling":
            rates = curve(path)
            result["scaling_private"][granularity] = rates
            result[f"scaling_private_{granularity}_{max(rates, key=int)}"] = fraction_of_linear(rates)
        else:
            for name, least, mean, most in rows(path):
                figures = {"min": int(least), "mean": int(mean), "max": int(most)}
                result[f"{name}_cycles"] = figures
    Path(output).write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
