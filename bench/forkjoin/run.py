#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a fork and a join take on 1, 10 and 40 cores of xeon40, spinning and blocking: an empty parallel for, and an
iteration of examples/jacobi; average and maximum of each. `make bench-forkjoin`; also writes bench/results/forkjoin.json.

    run.py [--forks N] [--points N] [--iterations N] [--cores N...] [--no-write]

Jacobi's plate must come out the same on all of them, or the exit status is 1."""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/bench-forkjoin"
RESULTS = ROOT / "bench/results/forkjoin.json"
MEGAHERTZ = 2000  # of xeon40
EMPTY = re.compile(r"^(\d+) threads, (\d+) forks: average (\d+), maximum (\d+) cycles$", re.MULTILINE)
JACOBI = re.compile(r"^(\d+) threads, (\d+) iterations: average ([\d.]+) us, maximum ([\d.]+) us\n(last .*)$", re.MULTILINE)

DESCRIPTION = """\
format = 1

[system]
name      = "{name}"
board     = "xeon40"
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


def run(program, source, cores, wait, *arguments):
    """What a program prints."""
    name = f"{program}_{cores}_{wait}"
    system = WORK / f"{name}.toml"
    arguments = json.dumps([str(argument) for argument in arguments])
    system.write_text(DESCRIPTION.format(name=name, source=source, cores=cores, wait=wait, arguments=arguments))
    ended = subprocess.run([ROOT / "takt", "run", system], stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"{name} failed:\n{ended.stdout}")
    return ended.stdout


def figure(cores, wait, count, average, maximum):
    """A row: cycles, and what they are in microseconds."""
    return {"cores": cores, "wait": wait, "count": int(count), "average": round(average), "maximum": round(maximum),
            "average_us": round(average / MEGAHERTZ, 2), "maximum_us": round(maximum / MEGAHERTZ, 2)}


def show(name, row):
    print(f"{name:7} {row['cores']:3} cores, {row['wait']:5} {row['count']:5} times: "
          f"average {row['average']:9,} cycles = {row['average_us']:8.2f} us, "
          f"maximum {row['maximum']:9,} cycles = {row['maximum_us']:8.2f} us", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forks", type=int, default=1000)
    parser.add_argument("--points", type=int, default=400)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 10, 40])
    parser.add_argument("--no-write", action="store_true")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    kinds = [(cores, wait) for cores in arguments.cores for wait in ("spin", "block")]
    result = {"board": "xeon40", "points": arguments.points, "empty": [], "jacobi": []}
    plates = set()
    for cores, wait in kinds:
        said = EMPTY.search(run("empty", HERE / "empty.c", cores, wait, arguments.forks))
        result["empty"].append(figure(cores, wait, said[2], int(said[3]), int(said[4])))
        show("empty", result["empty"][-1])
    for cores, wait in kinds:
        source = ROOT / "examples/jacobi/jacobi.c"
        said = JACOBI.search(run("jacobi", source, cores, wait, arguments.points, arguments.iterations))
        average, maximum = (float(time) * MEGAHERTZ for time in (said[3], said[4]))
        result["jacobi"].append(figure(cores, wait, said[2], average, maximum))
        show("jacobi", result["jacobi"][-1])
        plates.add(said[5])
    if len(plates) > 1:
        sys.exit("the plates of different runs differ:\n" + "\n".join(plates))
    if not arguments.no_write:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
