#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""blackscholes on one core and on 72 of tile72, each with as many threads: both times of the parallel part, and the
speed-up. The same for swaptions, streamcluster and dedup, on more numbers of cores. Then what an operation of the heap takes, how many a millisecond has on 1 to 72 cores, and where the time of each program goes. `make
bench-threads`; also writes bench/results/threads.json, which plot.py draws.

    run.py [--options N] [--times N] [--cores N...] [--program-cores N...] [--no-write]
    run.py --breakdown           measures and writes this alone: where the time of each program goes (breakdown.py)
    run.py --only swaptions      measures and writes this alone; or streamcluster, or dedup, or heap
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from breakdown import breakdown

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/bench-threads"
EXAMPLE = ROOT / "examples/blackscholes"
SWAPTIONS = ROOT / "examples/swaptions/swaptions.cpp"
RESULTS = ROOT / "bench/results/threads.json"
STREAMCLUSTER = ROOT / "examples/streamcluster/streamcluster.c"
DEDUP = ROOT / "examples/dedup/dedup.c"
ZLIB = ROOT / "build/zlib"
ZLIB_SOURCES = [ZLIB / f"{name}.c" for name in ("adler32", "crc32", "deflate", "trees", "zutil")]
PACKED = re.compile(r"^\d+ KiB, (\d+) chunks, (\d+) of them different, (\d+) bytes, \d+ threads: (\d+) ns$", re.MULTILINE)
CLUSTERED = re.compile(r"^\d+ points, \d+ centres, \d+ threads, \w+: (\d+) ns$", re.MULTILINE)
PRICED = re.compile(r"^\d+ swaptions, \d+ trials, \d+ threads: (\d+) ns$", re.MULTILINE)
SAID = re.compile(r"^\d+ options, \d+ times, \d+ threads: (\d+) ns$", re.MULTILINE)
HEAP = re.compile(r"^heap: (\w+), (\d+) calls: mean (\d+), most (\d+) cycles$", re.MULTILINE)

SCALING = re.compile(r"^heap scaling: \w+, \d+ threads: (\d+) calls/ms, mean (\d+), most (\d+) cycles, "
                     r"asked (\d+), used (\d+), held (\d+), span (\d+)$", re.MULTILINE)

# Allocator, pattern, slots of a thread, steps, numbers of cores, heap. With one lock for all, a call is so slow that few must do.
SCALING_RUNS = (
    ("scalable", "larson", 64, 500, (1, 8, 18, 36, 72), "8MiB"),
    ("tlsf", "larson", 64, 60, (1, 8, 18, 36, 72), "8MiB"),
    ("scalable", "own", 64, 1500, (1, 72), "8MiB"),
    ("tlsf", "own", 64, 1500, (1,), "8MiB"),
    ("tlsf", "own", 64, 60, (72,), "8MiB"),
    ("scalable", "passed", 64, 1500, (72,), "8MiB"),
    ("scalable", "mixed", 64, 500, (1, 72), "16MiB"),
    ("scalable", "pairs", 64, 500, (2, 72), "8MiB"),
    ("scalable", "own", 512, 500, (1, 72), "16MiB"),
    ("scalable", "larson", 512, 500, (1, 72), "16MiB"),
)

DESCRIPTION = """\
format = 1

[system]
name      = "{name}_{cores}"
board     = "tile72"
cores     = {cores}
sources   = {sources}
include   = ["{include}"]
libraries = ["posix"]

[kernel]
events   = 0
own_task = "{own_task}"

[run]
for = "1000s"

[posix]
threads   = {threads}
stack     = "16KiB"
heap      = "{heap}"
allocator = "{allocator}"
files     = "input"
arguments = {arguments}
"""


def run(name, source, cores, program_arguments, *options, allocator="tlsf", threads=None, heap="8MiB", more_sources=(),
        own_task="register"):
    """What a program prints."""
    system = WORK / f"{name}-{cores}.toml"
    listed = json.dumps([str(it) for it in program_arguments])
    sources = json.dumps([str(it) for it in [source, *more_sources]])
    system.write_text(DESCRIPTION.format(name=name, sources=sources, include=ZLIB, cores=cores, threads=threads or cores + 1,
                                         arguments=listed, allocator=allocator, heap=heap,
                                         own_task=own_task))
    command = [ROOT / "takt", "run", system, *options]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"{name} on {cores} cores failed:\n{ended.stdout}")
    return ended.stdout


def measure(cores, times):
    """Nanoseconds of the parallel part, and the prices."""
    output = WORK / f"output-{cores}"
    said = SAID.search(run("blackscholes", EXAMPLE / "blackscholes.c", cores,
                           [cores, "options.txt", "prices.txt", times], "--output", output))
    return int(said[1]), (output / "prices.txt").read_text()


def measure_swaptions(all_cores, count, trials):
    """The figures of each number of cores; the prices are the same on all."""
    figures, first = [], None
    for cores in all_cores:
        output = WORK / f"swaptions-output-{cores}"
        said = PRICED.search(run("swaptions", SWAPTIONS, cores, [cores, count, trials, "prices.txt"], "--output", output))
        nanoseconds, prices = int(said[1]), (output / "prices.txt").read_text()
        first = first or (nanoseconds, prices)
        if prices != first[1]:
            sys.exit(f"the prices of swaptions on {cores} cores are others than on {all_cores[0]}")
        figures.append({"cores": cores, "nanoseconds": nanoseconds, "speed_up": round(first[0] / nanoseconds, 2)})
        print(f"swaptions, {cores:2} cores  {nanoseconds / 1e6:10.3f} ms  {first[0] / nanoseconds:6.2f} times as fast", flush=True)
    return {"swaptions": count, "trials": trials, "figures": figures}


def measure_streamcluster(all_cores, points, chunk):
    """The figures of each number of cores, with threads that block and that spin; the centres are the same."""
    figures, first, centres = [], {}, None
    for cores in all_cores:
        for kind in ("block", "spin"):
            output = WORK / f"streamcluster-output-{cores}"
            said = CLUSTERED.search(run("streamcluster", STREAMCLUSTER, cores, [cores, points, chunk, kind, "centres.txt"],
                                        "--output", output))
            nanoseconds, found = int(said[1]), (output / "centres.txt").read_text()
            centres = centres or found
            if found != centres:
                sys.exit(f"the centres of streamcluster on {cores} cores, {kind}, are others than the first")
            speed_up = round(first.setdefault(kind, nanoseconds) / nanoseconds, 2)
            figures.append({"cores": cores, "kind": kind, "nanoseconds": nanoseconds, "speed_up": speed_up})
            print(f"streamcluster, {cores:2} cores, {kind:5}  {nanoseconds / 1e6:10.3f} ms  {speed_up:6.2f} times as fast",
                  flush=True)
    return {"points": points, "chunk": chunk, "figures": figures}


def measure_dedup(all_cores, kibibytes):
    """The figures of each number of cores and allocator; the output is the same in all runs."""
    figures, first, packed = [], {}, None
    for cores in all_cores:
        for allocator in ("tlsf", "scalable"):
            output = WORK / f"dedup-output-{cores}"
            said = PACKED.search(run("dedup", DEDUP, cores, [cores, kibibytes, "input", "packed"], "--output", output,
                                     allocator=allocator, threads=3 * cores + 2, heap="32MiB", more_sources=ZLIB_SOURCES))
            nanoseconds, found = int(said[4]), (output / "packed").read_bytes()
            packed = packed or found
            if found != packed:
                sys.exit(f"the output of dedup on {cores} cores, {allocator}, is another than the first")
            speed_up = round(first.setdefault(allocator, nanoseconds) / nanoseconds, 2)
            figures.append({"cores": cores, "allocator": allocator, "nanoseconds": nanoseconds, "speed_up": speed_up})
            print(f"dedup, {cores:2} cores, {allocator:8}  {nanoseconds / 1e6:10.3f} ms  {speed_up:6.2f} times as fast",
                  flush=True)
    return {"kibibytes": kibibytes, "chunks": int(said[1]), "different": int(said[2]), "bytes": int(said[3]),
            "figures": figures}


def save(**figures):
    """Writes these figures in place of the former ones, and keeps all others."""
    RESULTS.write_text(json.dumps(json.loads(RESULTS.read_text()) | figures, indent=1) + "\n")


def measure_breakdown(all_cores, names=("blackscholes", "swaptions", "streamcluster_block", "dedup")):
    """Milliseconds of all cores together, by part, of small inputs."""
    portfolio = subprocess.run([EXAMPLE / "generate.py", "3600", "1"], check=True, stdout=subprocess.PIPE, text=True).stdout
    (WORK / "input/options.txt").write_text(portfolio)
    figures = []
    for cores in all_cores:
        programs = {
            "blackscholes": (EXAMPLE / "blackscholes.c", [cores, "options.txt", "prices.txt", 2], {}),
            "swaptions": (SWAPTIONS, [cores, 72, 25, "prices.txt"], {}),
            "streamcluster_block": (STREAMCLUSTER, [cores, 1000, 500, "block"], {}),
            "dedup": (DEDUP, [cores, 1024, "input", "packed"],
                      {"allocator": "scalable", "threads": 3 * cores + 2, "heap": "32MiB", "more_sources": ZLIB_SOURCES}),
        }
        for name in names:
            source, arguments, more = programs[name]
            profile = WORK / f"{name}-{cores}.profile"
            system_name = f"parts_{name}"
            said = run(system_name, source, cores, arguments, "--profile", profile, **more)
            nanoseconds = int(re.search(r" threads.*: (\d+) ns$", said, re.MULTILINE)[1])
            image = max((ROOT / "build").glob(f"{system_name}_{cores}-*/image.elf"), key=lambda it: it.stat().st_mtime)
            figures.append({"program": name, "cores": cores, "nanoseconds": nanoseconds, "milliseconds": breakdown(image, profile)})
            save(breakdown=figures)
            print(*(f"{key} {value}" for key, value in figures[-1].items()), flush=True)
    return figures


def measure_heap():
    """Mean and most cycles of each operation."""
    said = HEAP.findall(run("heap", HERE / "heap.c", 1, []))
    return {name: {"calls": int(calls), "mean": int(mean), "most": int(most)} for name, calls, mean, most in said}


def measure_scaling():
    """Calls in a millisecond of all cores, cycles of a call, and memory, for each allocator and pattern."""
    names, figures = ("calls_per_ms", "mean", "most", "asked", "used", "held", "span"), []
    for allocator, pattern, slots, steps, all_cores, heap in SCALING_RUNS:
        for cores in all_cores:
            said = SCALING.search(run(f"scaling_{allocator}_{pattern}", HERE / "scaling.c", cores, [cores, steps, pattern, slots],
                                      allocator=allocator, heap=heap))
            figures.append({"cores": cores, "allocator": allocator, "heap": heap, "pattern": pattern, "slots": slots}
                           | {name: int(value) for name, value in zip(names, said.groups())})
            print(" ".join(f"{key} {value}" for key, value in figures[-1].items()), flush=True)
    return figures


def measure_own_id(all_cores):
    """The heap `scalable` with a call of takt_task_self before each of its own, by each way to find a task."""
    figures = []
    for way in ("none", "register", "fast", "generic"):
        for cores in all_cores:
            asks = [] if way == "none" else ["ask"]
            said = SCALING.search(run(f"own_id_{way}", HERE / "scaling.c", cores, [cores, 500, "larson", 64, *asks],
                                      allocator="scalable", own_task="register" if way == "none" else way))
            figures.append({"cores": cores, "own_task": way, "calls_per_ms": int(said[1]), "mean": int(said[2])})
            print(" ".join(f"{key} {value}" for key, value in figures[-1].items()), flush=True)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--options", type=int, default=7200)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 72])
    parser.add_argument("--program-cores", type=int, nargs="+", default=[1, 8, 18, 36, 72])
    parser.add_argument("--breakdown-cores", type=int, nargs="+", default=[1, 18, 36, 72])
    parser.add_argument("--only", choices=["swaptions", "streamcluster", "dedup", "heap"])
    parser.add_argument("--breakdown", action="store_true")
    parser.add_argument("--no-write", action="store_true")
    arguments = parser.parse_args()
    (WORK / "input").mkdir(parents=True, exist_ok=True)
    programs = {}
    if arguments.breakdown:
        measure_breakdown(arguments.breakdown_cores)
        return
    if arguments.only in (None, "swaptions"):
        programs["swaptions"] = measure_swaptions(arguments.program_cores, 144, 200)
    if arguments.only in (None, "streamcluster"):
        programs["streamcluster"] = measure_streamcluster(arguments.program_cores, 16000, 8000)
    if arguments.only in (None, "dedup"):
        programs["dedup"] = measure_dedup(arguments.program_cores, 4096)
    if arguments.only in (None, "heap"):
        programs["heap"] = measure_heap()
        for name, figure in programs["heap"].items():
            print(f"{name}: {figure['calls']} calls, mean {figure['mean']}, most {figure['most']} cycles")
        programs["scaling"] = measure_scaling()
        programs["own_id"] = measure_own_id((1, 18, 72))
    if arguments.only:
        if not arguments.no_write:
            save(**programs)
        return
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
    if not arguments.no_write:
        save(board="tile72", options=arguments.options, times=arguments.times, blackscholes=figures, **programs)
        measure_breakdown(arguments.breakdown_cores)


if __name__ == "__main__":
    main()
