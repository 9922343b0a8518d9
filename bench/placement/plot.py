#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws bench/results/tasks.json, channels.json and salesman.json into docs/src/placements/: a file a figure, a panel a case,
a line a placement. The line is the average, its shade reaches from the minimum to the maximum."""

import json

import matplotlib

from seeds import BOARDS, PLACEMENTS, ROOT

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "polytakt", "svg.fonttype": "none", "axes.grid": True,
                            "grid.alpha": 0.3, "legend.frameon": False})
from matplotlib import pyplot  # noqa: E402

FIGURES = ROOT / "docs/src/placements"
MEGAHERTZ = 367
BYTES = 10240


def draw(name, kind, cases, xlabel, ylabel, value=lambda cycles: cycles, shared=True):
    """Draws a row of panels for each board; `cases` are titles with the rows of each board and placement. `shared`: a row
    has one scale; otherwise each panel has its own, over numbers that double."""
    figure, panels = pyplot.subplots(len(BOARDS), len(cases), figsize=(3 * len(cases) + 1, 6), layout="constrained",
                                     sharex=True, squeeze=False)
    for line, board in enumerate(BOARDS):
        for axes, (title, rows_of) in zip(panels[line], cases):
            for placement, marker in zip(PLACEMENTS, "os^v"):
                rows = {int(key.split()[1]): row for key, row in rows_of(board, placement).items() if key.startswith(kind)}
                numbers = sorted(rows)
                average, least, most = ([value(rows[number][what]) for number in numbers]
                                        for what in ("average", "minimum", "maximum"))
                axes.plot(numbers, average, marker=marker, ms=3, lw=1, label=placement)
                axes.fill_between(numbers, least, most, alpha=0.25, lw=0)
            axes.set_title(f"{board}, {title}", fontsize=9)
            axes.set_ylim(0, None)
            if not shared:
                axes.set_xscale("log", base=2)
                axes.set_xticks(numbers, numbers, fontsize=7)
                axes.minorticks_off()
        panels[line][0].set_ylabel(ylabel)
        if shared:
            most = max(axes.get_ylim()[1] for axes in panels[line])
            for axes in panels[line]:
                axes.set_ylim(0, most)
    for axes in panels[-1]:
        axes.set_xlabel(xlabel, fontsize=8)
    panels[0][0].legend(fontsize=8)
    figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})


def draw_salesman(boards):
    """Draws a bar for each placement, by board and number of jobs."""
    groups = [(board, jobs) for board in BOARDS for jobs in ("90 jobs", "720 jobs")]
    figure, axes = pyplot.subplots(figsize=(8, 4), layout="constrained")
    for number, placement in enumerate(PLACEMENTS):
        times = [boards[board][placement][jobs]["average"] / 1000 for board, jobs in groups]
        axes.bar([group + 0.2 * number - 0.3 for group in range(len(groups))], times, width=0.2, label=placement)
    alone = boards["sara"]["distributed"]["90 jobs"]["alone"] / 1000
    axes.axhline(alone, ls="--", color="grey", lw=1, label="one node alone")
    axes.set_xticks(range(len(groups)), [f"{board}, {jobs}" for board, jobs in groups])
    axes.set_ylabel("milliseconds")
    axes.legend(fontsize=8)
    figure.savefig(FIGURES / "salesman.svg", metadata={"Date": None})


def results(name):
    return json.loads((ROOT / f"bench/results/{name}.json").read_text())["boards"]


def main():
    FIGURES.mkdir(exist_ok=True)
    tasks = results("tasks")
    nodes = [(title, lambda board, placement, node=node: tasks[board][placement][node])
             for node, title in (("slave", "on a slave"), ("master", "on the master"))]
    draw("create", "create", nodes, "tasks that are ready there", "cycles")
    draw("switch", "switch", nodes, "tasks that are ready there", "cycles")
    channels = results("channels")
    ways = [(way, lambda board, placement, way=way: channels[board][placement][way])
            for way in ("slave to master", "master to slave", "slave to slave", "within a slave", "within the master")]
    draw("latency", "latency", ways, "bytes of the message", "cycles")
    draw("bandwidth", "bandwidth", ways, "bytes of each message", "kB/s", lambda cycles: BYTES * MEGAHERTZ * 1000 / cycles, False)
    draw_salesman(results("salesman"))


if __name__ == "__main__":
    main()
