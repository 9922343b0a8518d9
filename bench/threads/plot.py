#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the breakdown in bench/results/threads.json into docs/src/threads/breakdown.svg: a panel for each program, a bar for
each number of cores, of the busy time of all cores together."""

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


def main():
    rows = json.loads((ROOT / "bench/results/threads.json").read_text())["breakdown"]
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
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / "breakdown.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
