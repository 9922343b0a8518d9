#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a fork and a join take on 1 to 40 cores of xeon40 and 1 to 72 of tile72, spinning and blocking: an empty parallel
for with its parts, and on xeon40 an iteration of examples/jacobi, fft.c and lu.c; a frame of examples/vision on both;
average and maximum of each. `make bench-forkjoin`; also writes bench/results/forkjoin.json and draws
docs/src/forkjoin/*.svg.

    run.py [--only PROGRAM...] [--forks N] [--points N] [--iterations N] [--boards BOARD...] [--cores N...] [--jobs N] [--no-write]

--points are those of Jacobi's plate. --cores are those of all boards and programs. What --only leaves out stays as it is
in the file of results.

The results of a program must be the same on all of them, or the exit status is 1."""

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/bench-forkjoin"
RESULTS = ROOT / "bench/results/forkjoin.json"
FIGURES = ROOT / "docs/src/forkjoin"
MEGAHERTZ = {"xeon40": 2000, "tile72": 1000}
CORES = {"xeon40": [1, 2, 5, 10, 11, 20, 30, 40], "tile72": [1, 2, 5, 9, 18, 36, 54, 72]}
PROGRAM_CORES = [1, 10, 40]
VISION = ROOT / "examples/vision"
VISION_THREADS = [1, 12, 35]
# Cycles in which a line goes from one core's cache to another's: in a socket of xeon40, and between two.
NEAR, FAR, SOCKET = 107, 250, 10
EMPTY = re.compile(r"^(\d+) threads, (\d+) forks: average (\d+), maximum (\d+) cycles$", re.MULTILINE)
PARTS = re.compile(r"^on average the master begins after (\d+), the first worker after (\d+), the last after (\d+), "
                   r"all is joined after (\d+) cycles$", re.MULTILINE)
FRAMES = re.compile(r"^(\d+) frames: average ([\d.]+) ms, maximum ([\d.]+) ms$", re.MULTILINE)
SEEN = re.compile(r"^frame \d+:.*$", re.MULTILINE)
PROGRAM = re.compile(r"^(\d+) threads, (\d+) iterations: average ([\d.]+) us, maximum ([\d.]+) us\n(last .*)$", re.MULTILINE)

DESCRIPTION = """\
format = 1

[system]
name      = "{name}"
board     = "{board}"
sources   = ["{source}"]
libraries = ["posix", "openmp"]

[kernel]
events = 0

[run]
for = "1000s"

[posix]
threads   = 1
heap      = "16MiB"
arguments = {arguments}

[[team]]
task    = "thread_0"
threads = {cores}
wait    = "{wait}"
"""


def run(program, source, board, cores, wait, *arguments):
    """What a program prints."""
    name = f"{program}_{board}_{cores}_{wait}"
    arguments = json.dumps([str(argument) for argument in arguments])
    return said_by(name, DESCRIPTION.format(name=name, source=source, board=board, cores=cores, wait=wait, arguments=arguments))


def said_by(name, description):
    """What the system of a description prints."""
    system = WORK / f"{name}.toml"
    system.write_text(description)
    ended = subprocess.run([ROOT / "takt", "run", system], stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"{name} failed:\n{ended.stdout}")
    return ended.stdout


def figure(board, cores, wait, count, average, maximum):
    """A row: cycles, and what they are in microseconds."""
    megahertz = MEGAHERTZ[board]
    return {"board": board, "cores": cores, "wait": wait, "count": int(count), "average": round(average),
            "maximum": round(maximum), "average_us": round(average / megahertz, 2), "maximum_us": round(maximum / megahertz, 2)}


def chain(cores):
    """The longest chain of line transfers of a fork and a join that spin on xeon40: the master takes the fork's line from
    a worker and the last worker takes it from the master; a socket's threads add to its count one after the other, the
    sockets to the root's; the master takes the line that says so."""
    sockets = -(-cores // SOCKET)
    across = NEAR if sockets == 1 else FAR
    return 0 if cores == 1 else 3 * across + min(cores, SOCKET) * NEAR + (sockets * FAR if sockets > 1 else 0)


def empty(kind, forks):
    """The row of an empty parallel for."""
    board, cores, wait = kind
    text = run("empty", HERE / "empty.c", board, cores, wait, forks)
    said, parts = EMPTY.search(text), PARTS.search(text)
    row = figure(board, cores, wait, said[2], int(said[3]), int(said[4]))
    if parts:
        row |= dict(zip(("master_begins", "first_begins", "last_begins", "joined"), map(int, parts.groups())))
    if board == "xeon40" and wait == "spin":
        row["chain"] = chain(cores)
    show("empty", row)
    return row


def show(name, row):
    print(f"{name:7} {row['board']} {row['cores']:3} cores, {row['wait']:5} {row['count']:5} times: "
          f"average {row['average']:9,} cycles = {row['average_us']:8.2f} us, "
          f"maximum {row['maximum']:9,} cycles = {row['maximum_us']:8.2f} us", flush=True)


def program(name, source, kind, size, iterations):
    """The row of a program, and the line that it prints of its result."""
    cores, wait = kind
    said = PROGRAM.search(run(name, source, "xeon40", cores, wait, size, iterations))
    average, maximum = (float(time) * MEGAHERTZ["xeon40"] for time in (said[3], said[4]))
    row = figure("xeon40", cores, wait, said[2], average, maximum)
    show(name, row)
    return row, said[5]


def vision(kind):
    """The row of the example vision by a number of threads, and what it has seen."""
    board, threads = kind
    text = (VISION / "system.toml").read_text()
    text = re.sub(r'"(\w+\.c|frames)"', lambda name: f'"{VISION / name[1]}"', text)
    text = re.sub(r"^threads = 35\b", f"threads = {threads}", text, flags=re.MULTILINE).replace('"xeon40"', f'"{board}"')
    if threads == 1:  # no camera's rate: one core takes longer
        text = text.replace('"33333us"', '"1s"').replace('"30ms"', '"900ms"').replace('"2s" ', '"20s"')
    said = said_by(f"vision_{board}_{threads}", text)
    count, average, maximum = FRAMES.search(said).groups()
    row = figure(board, threads, "block", count, *(float(time) * 1000 * MEGAHERTZ[board] for time in (average, maximum)))
    show("vision", row)
    return row, tuple(SEEN.findall(said))


def draw(rows):
    """Draws the averages and maxima of a board by cores, a file a board."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "polytakt", "svg.fonttype": "none", "axes.grid": True,
                                "grid.alpha": 0.3, "legend.frameon": False})
    from matplotlib import pyplot
    FIGURES.mkdir(exist_ok=True)
    for board in sorted({row["board"] for row in rows}):
        figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
        for wait, marker in (("spin", "o"), ("block", "s")):
            points = [row for row in rows if row["board"] == board and row["wait"] == wait]
            cores = [row["cores"] for row in points]
            for what, line in (("average", "-"), ("maximum", ":")):
                times = [row[what] / MEGAHERTZ[board] for row in points]
                axes.plot(cores, times, line, marker=marker, ms=4, lw=1, label=f"{wait}, {what}")
            chains = [row["chain"] / MEGAHERTZ[board] for row in points if "chain" in row]
            if chains:
                axes.plot(cores, chains, "--", color="grey", lw=1, label="longest chain of line transfers")
        axes.set(title=f"An empty parallel for ({board})", xlabel="cores and threads", ylabel="microseconds", ylim=(0, None))
        axes.legend(fontsize=8)
        figure.savefig(FIGURES / f"{board}.svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    names = ["empty", "jacobi", "fft", "lu", "vision"]
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--forks", type=int, default=1000)
    parser.add_argument("--points", type=int, default=400)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--boards", nargs="+", choices=list(CORES), default=list(CORES))
    parser.add_argument("--cores", type=int, nargs="+")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-write", action="store_true")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    kinds = [(board, cores, wait) for board in arguments.boards for cores in arguments.cores or CORES[board]
             for wait in ("spin", "block")]
    result = json.loads(RESULTS.read_text())
    if "empty" in arguments.only:
        with ThreadPoolExecutor(arguments.jobs) as jobs:
            result["empty"] = list(jobs.map(lambda kind: empty(kind, arguments.forks), kinds))
    sources = {"jacobi": (ROOT / "examples/jacobi/jacobi.c", arguments.points), "fft": (HERE / "fft.c", 1 << 13),
               "lu": (HERE / "lu.c", 200)}
    kinds = [(cores, wait) for cores in arguments.cores or PROGRAM_CORES for wait in ("spin", "block")]
    for name, (source, size) in sources.items():
        if name in arguments.only:
            with ThreadPoolExecutor(arguments.jobs) as jobs:
                rows = list(jobs.map(lambda kind: program(name, source, kind, size, arguments.iterations), kinds))
            if len({said for _, said in rows}) > 1:
                sys.exit(f"the results of {name} differ: {sorted({said for _, said in rows})}")
            result[name] = {"size": size, "runs": [row for row, _ in rows]}
    if "vision" in arguments.only:
        kinds = [(board, threads) for board in arguments.boards for threads in arguments.cores or VISION_THREADS]
        with ThreadPoolExecutor(arguments.jobs) as jobs:
            rows = list(jobs.map(vision, kinds))
        if len({seen for _, seen in rows}) > 1:
            sys.exit("vision has not seen the same everywhere")
        result["vision"] = [row for row, _ in rows]
    if not arguments.no_write:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")
        draw(result["empty"])


if __name__ == "__main__":
    main()
