#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""blackscholes on one core and on 72 of tile72, each with as many threads: both times of the parallel part, and the
speed-up. Then what an operation of the heap takes. `make bench-threads`; also writes bench/results/threads.json.

    run.py [--options N] [--times N] [--cores N...] [--no-write]
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/bench-threads"
EXAMPLE = ROOT / "examples/blackscholes"
RESULTS = ROOT / "bench/results/threads.json"
SAID = re.compile(r"^\d+ options, \d+ times, \d+ threads: (\d+) ns$", re.MULTILINE)
HEAP = re.compile(r"^heap: (\w+), (\d+) calls: mean (\d+), most (\d+) cycles$", re.MULTILINE)

DESCRIPTION = """\
format = 1

[system]
name      = "{name}_{cores}"
board     = "tile72"
cores     = {cores}
sources   = ["{source}"]
libraries = ["posix"]

[kernel]
events = 0

[run]
for = "1000s"

[posix]
threads   = {threads}
stack     = "16KiB"
heap      = "8MiB"
files     = "input"
arguments = ["{cores}", "options.txt", "prices.txt", "{times}"]
"""


def run(name, source, cores, times, *options):
    """What a program prints."""
    system = WORK / f"{name}-{cores}.toml"
    system.write_text(DESCRIPTION.format(name=name, source=source, cores=cores, threads=cores + 1, times=times))
    command = [ROOT / "takt", "run", system, *options]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"{name} on {cores} cores failed:\n{ended.stdout}")
    return ended.stdout


def measure(cores, times):
    """Nanoseconds of the parallel part, and the prices."""
    output = WORK / f"output-{cores}"
    said = SAID.search(run("blackscholes", EXAMPLE / "blackscholes.c", cores, times, "--output", output))
    return int(said[1]), (output / "prices.txt").read_text()


def measure_heap():
    """Mean and most cycles of each operation."""
    said = HEAP.findall(run("heap", HERE / "heap.c", 1, 0))
    return {name: {"calls": int(calls), "mean": int(mean), "most": int(most)} for name, calls, mean, most in said}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--options", type=int, default=7200)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 72])
    parser.add_argument("--no-write", action="store_true")
    arguments = parser.parse_args()
    (WORK / "input").mkdir(parents=True, exist_ok=True)
    portfolio = subprocess.run([EXAMPLE / "generate.py", str(arguments.options), "1"], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
    (WORK / "input/options.txt").write_text(portfolio)
    figures, first = [], None
    for cores in arguments.cores:
        nanoseconds, prices = measure(cores, arguments.times)
        first = first or (nanoseconds, prices)
        if prices != first[1]:
            sys.exit(f"the prices of {cores} cores are others than those of {arguments.cores[0]}")
        figures.append({"cores": cores, "nanoseconds": nanoseconds, "speed_up": round(first[0] / nanoseconds, 2)})
        print(f"{cores:3} cores  {nanoseconds / 1e6:10.3f} ms  {first[0] / nanoseconds:6.2f} times as fast", flush=True)
    heap = measure_heap()
    for name, figure in heap.items():
        print(f"{name}: {figure['calls']} calls, mean {figure['mean']}, most {figure['most']} cycles")
    if not arguments.no_write:
        result = {"board": "tile72", "options": arguments.options, "times": arguments.times, "blackscholes": figures,
                  "heap": heap}
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
