# SPDX-License-Identifier: Apache-2.0
"""What bench/forkjoin/run.py and bench/linux/run.py have in common, so that both measure the same: programs with their
sizes, numbers of forks and iterations, boards, and the plot of speed-ups."""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OURS = ROOT / "bench/results/forkjoin.json"
LINUX = ROOT / "bench/results/linux.json"
FIGURES = ROOT / "docs/src/forkjoin"
MEGAHERTZ = {"xeon40": 2000, "tile72": 1000}
FULL = {"xeon40": 40, "tile72": 72}
PROGRAMS = {"jacobi": ROOT / "examples/jacobi/jacobi.c", "fft": HERE / "fft.c", "lu": HERE / "lu.c"}
SIZES = {"jacobi": [100, 200, 400], "fft": [1024, 8192, 32768], "lu": [50, 100, 200]}
PROGRAM_CORES = [1, 10, 20, 40]
ITERATIONS = 10
LOOKED = 100  # forks in which each thread looks at the clock


def forks(board, cores):
    """Forks of the empty parallel for: many where all cores fork."""
    return 10000 if cores == FULL[board] else 100


def figure(board, cores, wait, count, average, maximum):
    """A row: cycles, and what they are in microseconds."""
    megahertz = MEGAHERTZ[board]
    return {"board": board, "cores": cores, "wait": wait, "count": int(count), "average": round(average),
            "maximum": round(maximum), "average_us": round(average / megahertz, 2), "maximum_us": round(maximum / megahertz, 2)}


def pyplot():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "polytakt", "svg.fonttype": "none", "axes.grid": True,
                                "grid.alpha": 0.3, "legend.frameon": False})
    from matplotlib import pyplot
    return pyplot


def draw_speed_up():
    """FJOS's figure 5: how much faster a program is than on one core of the same system, by cores and size."""
    plot = pyplot()
    ours, linux = (json.loads(file.read_text()) if file.exists() else {} for file in (OURS, LINUX))
    chart, panels = plot.subplots(len(SIZES), 3, figsize=(10, 10), layout="constrained", sharex=True, sharey=True)
    for program, line in zip(SIZES, panels):
        for size, axes in zip(SIZES[program], line):
            for system, rows, style in (("Polytakt", ours, "-"), ("Linux", linux, "--")):
                rows = [it for it in rows.get(program, []) if it["size"] == size and it.get("kernel", "rt") == "rt"]
                alone = [it["average"] for it in rows if it["cores"] == 1]
                for wait, marker in (("spin", "o"), ("block", "s")):
                    points = sorted((it["cores"], alone[0] / it["average"]) for it in rows
                                    if alone and (it["wait"] == wait or it["cores"] == 1))
                    if len(points) > 1:
                        axes.plot(*zip(*points), style, marker=marker, ms=4, lw=1, label=f"{system}, {wait}")
            axes.plot([1, 40], [1, 40], ":", color="grey", lw=1)
            axes.set(title=f"{program} {size}", xscale="log", yscale="log")
            axes.set_xticks(PROGRAM_CORES, [str(cores) for cores in PROGRAM_CORES], minor=False)
            axes.set_xticks([], minor=True)
            axes.set_yticks([0.1, 1, 10, 40], ["0.1", "1", "10", "40"])
    for axes in panels[-1]:
        axes.set(xlabel="cores and threads")
    for line in panels:
        line[0].set(ylabel="speed-up")
    max(panels.flat, key=lambda axes: len(axes.lines)).legend(fontsize=8)
    chart.savefig(FIGURES / "programs.svg", metadata={"Date": None})
    plot.close(chart)
