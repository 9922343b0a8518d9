#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws bench/results/threads.json into docs/src/threads: breakdown.svg, a panel for each program, a bar for each number of
cores, of the busy time of all cores together; heap.svg, the calls of the heap by number of cores; own-id.svg, the same with
each way to find the own task."""

import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "polytakt", "svg.fonttype": "none", "axes.grid": True, "axes.axisbelow": True,
                            "grid.alpha": 0.3, "legend.frameon": False})
from matplotlib import pyplot  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs/src/threads"
PARTS = {"work": "work", "sync": "synchronisation", "files": "files", "heap": "heap"}


def draw_breakdown(rows):
    programs = list(dict.fromkeys(row["program"] for row in rows))
    figure, panels = pyplot.subplots(1, len(programs), figsize=(2.4 * len(programs), 3.4), layout="constrained")
    for axes, program in zip(panels, programs):
        bars = sorted((row["cores"], row["milliseconds"]) for row in rows if row["program"] == program)
        names, below = [str(cores) for cores, _ in bars], [0] * len(bars)
        for part, label in PARTS.items():
            heights = [times[part] for _, times in bars]
            axes.bar(names, heights, bottom=below, width=0.6, label=label)
            below = [low + height for low, height in zip(below, heights)]
        axes.set_title(program.replace("_", ", "), fontsize=9)
        axes.set_xlabel("cores", fontsize=8)
    panels[0].set_ylabel("milliseconds of all cores together")
    panels[0].legend(fontsize=8)
    save(figure, "breakdown")


def draw_lines(name, rows, key, title):
    """Calls in a microsecond of all cores by number of cores, a line for each value of the key."""
    figure, axes = pyplot.subplots(figsize=(5.4, 3.4), layout="constrained")
    for value in dict.fromkeys(row[key] for row in rows):
        points = sorted((row["cores"], row["calls_per_ms"] / 1000) for row in rows if row[key] == value)
        axes.plot(*zip(*points), marker="o", markersize=4, label=value)
    axes.set_xlabel("cores")
    axes.set_ylabel("calls in a microsecond, all cores")
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=8)
    save(figure, name)


def save(figure, name):
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})


def main():
    results = json.loads((ROOT / "bench/results/threads.json").read_text())
    draw_breakdown(results["breakdown"])
    by_cores = [row for row in results["scaling"] if row["pattern"] == "larson" and row["slots"] == 64]
    draw_lines("heap", by_cores, "allocator", "malloc and free, blocks of 16 to 512 bytes")
    draw_lines("own-id", results["own_id"], "own_task", "scalable, with takt_task_self at each call")


if __name__ == "__main__":
    main()
