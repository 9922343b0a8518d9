#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a fork and a join take on 1 to 40 cores of xeon40 and 1 to 72 of tile72, spinning and blocking: an empty parallel
for with its parts, 10,000 times on all cores of a board and 100 times on fewer; on xeon40 an iteration of
examples/jacobi, fft.c and lu.c in three sizes each; a frame of examples/vision on both; average and maximum of each.
`make bench-forkjoin`; also writes bench/results/forkjoin.json and draws docs/src/forkjoin/*.svg.

    run.py [--only PROGRAM...] [--boards BOARD...] [--cores N...] [--sizes N...] [--forks N] [--iterations N] [--jobs N]
           [--no-write]

--cores and --sizes leave out the others: what was not measured stays as it is in the file of results. So

    run.py --only lu --sizes 200 --cores 40          # LU of 200 * 200 on 40 cores alone

Each run builds an image first, some 10 s of one processor that does nothing else; the most forks then take a minute or
two of it (estimated).

The results of a program must be the same on all numbers of cores, or the exit status is 1."""

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from programs import (FIGURES, HERE, ITERATIONS, LOOKED, MEGAHERTZ, OURS, PROGRAM_CORES, PROGRAMS, ROOT, SIZES,
                      draw_speed_up, figure, forks, pyplot)

WORK = ROOT / "build/bench-forkjoin"
CORES = {"xeon40": [1, 2, 5, 10, 11, 20, 30, 40], "tile72": [1, 2, 5, 9, 18, 36, 54, 72]}
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


def chain(cores):
    """The longest chain of line transfers of a fork and a join that spin on xeon40: the master takes the fork's line from
    a worker and the last worker takes it from the master; a socket's threads add to its count one after the other, the
    sockets to the root's; the master takes the line that says so."""
    sockets = -(-cores // SOCKET)
    across = NEAR if sockets == 1 else FAR
    return 0 if cores == 1 else 3 * across + min(cores, SOCKET) * NEAR + (sockets * FAR if sockets > 1 else 0)


def empty(kind, count):
    """The row of an empty parallel for."""
    board, cores, wait = kind
    text = run("empty", HERE / "empty.c", board, cores, wait, count or forks(board, cores), LOOKED)
    said, parts = EMPTY.search(text), PARTS.search(text)
    row = figure(board, cores, wait, said[2], int(said[3]), int(said[4]))
    if parts:
        row |= dict(zip(("master_begins", "first_begins", "last_begins", "joined"), map(int, parts.groups())))
    if board == "xeon40" and wait == "spin":
        row["chain"] = chain(cores)
    show("empty", row)
    return row


def show(name, row):
    print(f"{name:12} {row['board']} {row['cores']:3} cores, {row['wait']:5} {row['count']:5} times: "
          f"average {row['average']:9,} cycles = {row['average_us']:8.2f} us, "
          f"maximum {row['maximum']:9,} cycles = {row['maximum_us']:8.2f} us", flush=True)


def program(name, kind, iterations):
    """The row of a program, and the line that it prints of its result."""
    size, cores, wait = kind
    said = PROGRAM.search(run(f"{name}_{size}", PROGRAMS[name], "xeon40", cores, wait, size, iterations))
    average, maximum = (float(time) * MEGAHERTZ["xeon40"] for time in (said[3], said[4]))
    row = {"size": size} | figure("xeon40", cores, wait, said[2], average, maximum)
    show(f"{name} {size}", row)
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
    plot = pyplot()
    FIGURES.mkdir(exist_ok=True)
    for board in sorted({row["board"] for row in rows}):
        chart, axes = plot.subplots(figsize=(8, 4.5), layout="constrained")
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
        chart.savefig(FIGURES / f"{board}.svg", metadata={"Date": None})
        plot.close(chart)


def merged(old, new, *keys):
    """The rows of a file with new ones in the places of those that have the same keys."""
    def key(row):
        return [row[it] for it in keys]
    return sorted([row for row in old if key(row) not in map(key, new)] + new, key=key)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ["empty", *PROGRAMS, "vision"]
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--boards", nargs="+", choices=list(CORES), default=list(CORES))
    parser.add_argument("--cores", type=int, nargs="+", help="of all boards and programs")
    parser.add_argument("--sizes", type=int, nargs="+", help="of jacobi, fft and lu: " + str(SIZES).strip("{}"))
    parser.add_argument("--forks", type=int, help="of the empty parallel for, on any number of cores")
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-write", action="store_true")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    results = json.loads(OURS.read_text())

    def measure(name, measured, kinds, *keys):
        """Rows, each written to the file of results as soon as it is there, and what their programs have said."""
        said = []
        with ThreadPoolExecutor(arguments.jobs) as jobs:
            for row, result in jobs.map(measured, kinds):
                said.append(result)
                results[name] = merged(results[name], [row], *keys)
                if not arguments.no_write:
                    OURS.write_text(json.dumps(results, indent=1) + "\n")
        return said

    if "empty" in arguments.only:
        kinds = [(board, cores, wait) for board in arguments.boards for cores in arguments.cores or CORES[board]
                 for wait in ("spin", "block")]
        measure("empty", lambda kind: (empty(kind, arguments.forks), None), kinds, "board", "cores", "wait")
    for name in PROGRAMS:
        for size in arguments.sizes or SIZES[name]:
            if name in arguments.only and size in SIZES[name]:
                # One thread does not wait.
                kinds = [(size, cores, wait) for cores in arguments.cores or PROGRAM_CORES
                         for wait in ("spin", "block")[:min(cores, 2)]]
                said = measure(name, lambda kind: program(name, kind, arguments.iterations), kinds, "size", "cores", "wait")
                if len(set(said)) > 1:
                    sys.exit(f"the results of {name} {size} differ: {sorted(set(said))}")
    if "vision" in arguments.only:
        kinds = [(board, threads) for board in arguments.boards for threads in arguments.cores or VISION_THREADS]
        if len(set(measure("vision", vision, kinds, "board", "cores"))) > 1:
            sys.exit("vision has not seen the same everywhere")
    if not arguments.no_write:
        draw(results["empty"])
        draw_speed_up()


if __name__ == "__main__":
    main()
