#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plot.py KERNEL.json FOLDER: the curves of make bench-kernel."""

import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "polytakt", "svg.fonttype": "none", "axes.grid": True,
                            "grid.alpha": 0.3, "legend.frameon": False})
from matplotlib import pyplot  # noqa: E402


def draw(curves, path, title, unit, dashed=()):
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for number, (name, curve) in enumerate(sorted(curves.items())):
        points = sorted((int(cores), rate) for cores, rate in curve.items())
        axes.plot(*zip(*points), "--" if name in dashed else "-", marker="os^vDx+*<>"[number % 10], ms=4, lw=1, label=name)
    axes.set(title=title, xlabel="cores", ylabel=unit, ylim=(0, None))
    axes.legend(fontsize=8, ncols=2)
    figure.savefig(path, metadata={"Date": None})


SCALING = {"private": ("Each core its own semaphore", "signals and waits"),
           "shared": ("One semaphore, all cores", "signals and waits"),
           "pairs": ("A semaphore for two cores by lot", "signals and waits"),
           "turns": ("Two cores by lot wake each other in turns", "rounds of two wake-ups")}


def main(results, folder):
    with open(results, encoding="utf-8") as file:
        result = json.load(file)
    draw(result["spinlock"], f"{folder}/spinlock.svg", "One lock, all cores, four lines in it (tile72)",
         "acquisitions in a microsecond")
    homed = {f"{lock}, {'homed' if homing == 'page' else 'not'}": curve
             for lock in ("k42", "mcs", "relay", "ticket") for homing, curve in result["spinlock_homing"][lock].items()}
    draw(homed, f"{folder}/homing.svg", "Each core's pages at home at it, or not (tile72_page)",
         "acquisitions in a microsecond", [name for name in homed if name.endswith("not")])
    for program, (title, unit) in SCALING.items():
        draw(result[f"scaling_{program}"], f"{folder}/{program}.svg", f"{title} (tile72)", f"{unit} in a microsecond")


if __name__ == "__main__":
    main(*sys.argv[1:])
