#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The sources of `make bench-forkjoin` and `make bench-threads` on Linux with PREEMPT_RT, on the same modelled boards:
libgomp's empty parallel for, Jacobi, FFT and LU, and programs with pthreads. `make bench-linux`, by hand; also writes
bench/results/linux.json after each figure, prints them beside those of bench/results/forkjoin.json, and draws
docs/src/forkjoin/linux-*.svg.

    run.py [--only PROGRAM...] [--boards BOARD...] [--cores N...] [--waits spin block] [--forks N] [--no-write]

Linux boots once on each board, without time, and settles for two seconds of board time; then the machine is saved. Each
run goes on from there: a command is typed at the console, and time begins at `main`."""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/bench-linux"
DISK = WORK / "disk"
RESULTS = ROOT / "bench/results/linux.json"
OURS = ROOT / "bench/results/forkjoin.json"
FIGURES = ROOT / "docs/src/forkjoin"
MEGAHERTZ = {"xeon40": 2000, "tile72": 1000}
CORES = {"xeon40": [2, 10, 20, 40], "tile72": [18, 72]}
# The board's device tree has `riscv,isa` only.
COMMAND_LINE = "console=ttyS0 quiet riscv_isa_fallback"
# Each program has an address of its own, so that the one of `main` says which program has come there.
SOURCES = {
    "init": HERE / "init.c",
    "empty": ROOT / "bench/forkjoin/empty.c",
    "jacobi": ROOT / "examples/jacobi/jacobi.c",
    "fft": ROOT / "bench/forkjoin/fft.c",
    "lu": ROOT / "bench/forkjoin/lu.c",
    "blackscholes": ROOT / "examples/blackscholes/blackscholes.c",
    "streamcluster": ROOT / "examples/streamcluster/streamcluster.c",
}
FIRST_ADDRESS, DISTANCE = 0x10000000, 0x1000000
EMPTY = re.compile(r"^(\d+) threads, (\d+) forks: average (\d+), maximum (\d+) cycles\r?$", re.MULTILINE)
LOOPS = re.compile(r"^(\d+) threads, (\d+) iterations: average ([\d.]+) us, maximum ([\d.]+) us\r?\n(last .*?)\r?$", re.MULTILINE)
THREADS = re.compile(r" threads(?:, \w+)?: (\d+) ns\r?$", re.MULTILINE)
SIZES = {"jacobi": 400, "fft": 8192, "lu": 200}
THREAD_PROGRAMS = ["blackscholes", "streamcluster"]
ITERATIONS = 10  # as in bench/results/forkjoin.json


def call(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def address(name, symbol):
    symbols = subprocess.run(["riscv64-linux-gnu-nm", DISK / name], check=True, stdout=subprocess.PIPE, text=True).stdout
    return "0x" + re.search(rf"^([0-9a-f]+) T {symbol}$", symbols, re.MULTILINE)[1].lstrip("0")


def build():
    """The kernel, and a RAM disk with all programs and their input."""
    call(HERE / "kernel")
    disk, inputs = WORK / "disk.cpio", [*SOURCES.values(), WORK / "Image"]
    if disk.exists() and all(it.stat().st_mtime < disk.stat().st_mtime for it in inputs):
        return
    (DISK / "dev").mkdir(parents=True, exist_ok=True)
    for number, (name, source) in enumerate(SOURCES.items()):
        call("riscv64-linux-gnu-gcc", "-O2", "-fopenmp", "-pthread", "-static",
             f"-Wl,-Ttext-segment={FIRST_ADDRESS + number * DISTANCE:#x}", source, "-o", DISK / name, "-lm")
    with (DISK / "options.txt").open("w") as options:
        call(ROOT / "examples/blackscholes/generate.py", 7200, 1, stdout=options)
    # The kernel's own tool, as it makes the console's device without root.
    names = "".join(f"file /{it.name} {it} 0755 0 0\n" for it in sorted(DISK.iterdir()) if it.is_file())
    (WORK / "disk.list").write_text(f"dir /dev 0755 0 0\nnod /dev/console 0600 0 0 c 5 1\n{names}")
    with (WORK / "disk.cpio").open("wb") as disk:
        call(WORK / "kernel/usr/gen_init_cpio", WORK / "disk.list", stdout=disk)


def boot(board, *options):
    command = [ROOT / "takt", "board", "boot", WORK / "Image", "--board", board, "--initrd", WORK / "disk.cpio",
               "--append", COMMAND_LINE, *options]
    ended = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, errors="replace")
    if ended.returncode != 0:
        sys.exit(f"Linux on {board} failed:\n{ended.stdout}")
    return ended.stdout


def settled(board):
    """The saved machine."""
    state = WORK / f"{board}.state"
    if not state.exists() or state.stat().st_mtime < (WORK / "disk.cpio").stat().st_mtime:
        print(f"booting Linux on {board} (some minutes)", flush=True)
        boot(board, "--save-at", address("init", "settled"), "--save", state)
    return state


def run(board, threads, wait, program, *words):
    """What a program prints. Threads are pinned to the first harts, as ours are."""
    policy = {"spin": "active", "block": "passive"}[wait]
    line = [f"OMP_NUM_THREADS={threads}", f"OMP_WAIT_POLICY={policy}", f"OMP_PLACES={{0}}:{threads}", "OMP_PROC_BIND=close",
            f"/{program}", *map(str, words)]
    typed = WORK / f"{board}.typed"
    typed.write_text(" ".join(line) + "\n")
    text = boot(board, "--load", settled(board), "--input", typed, "--timed-from", address(program, "main"))
    if not re.search(r"^status 0\r?$", text, re.MULTILINE):
        sys.exit(f"{' '.join(line)} on {board} failed:\n{text}")
    return text


def row(board, cores, wait, count, average, maximum):
    """Cycles, and what they are in microseconds."""
    megahertz = MEGAHERTZ[board]
    return {"board": board, "cores": cores, "wait": wait, "count": int(count), "average": round(average),
            "maximum": round(maximum), "average_us": round(average / megahertz, 2), "maximum_us": round(maximum / megahertz, 2)}


def measure(program, board, cores, wait, forks):
    if program == "empty":
        said = EMPTY.search(run(board, cores, wait, program, forks))
        return row(board, cores, wait, said[2], int(said[3]), int(said[4]))
    if program in SIZES:
        said = LOOPS.search(run(board, cores, wait, program, SIZES[program], ITERATIONS))
        average, maximum = (float(time) * MEGAHERTZ[board] for time in (said[3], said[4]))
        return row(board, cores, wait, said[2], average, maximum) | {"result": said[5]}
    words = {"blackscholes": [cores, "/options.txt", "/prices.txt", 10], "streamcluster": [cores, 16000, 8000, wait]}
    said = THREADS.search(run(board, cores, wait, program, *words[program]))
    return {"board": board, "cores": cores, "wait": wait, "nanoseconds": int(said[1])}


def beside(results):
    """Each figure of an OpenMP program with ours of the same board, cores and wait, where it was measured."""
    ours = json.loads(OURS.read_text())
    ours = {"empty": ours["empty"]} | {program: ours[program]["runs"] for program in SIZES}
    pairs = []
    for program in ("empty", *SIZES):
        for linux in results.get(program, []):
            keys = [linux[key] for key in ("board", "cores", "wait")]
            same = [it for it in ours.get(program, []) if [it[key] for key in ("board", "cores", "wait")] == keys]
            pairs.append((program, linux, same[0] if same else None))
    return pairs


def show(results):
    for program, linux, ours in beside(results):
        here = f"{ours['average_us']:9.2f} {ours['maximum_us']:9.2f} us" if ours else "not measured"
        print(f"{program:7} {linux['board']} {linux['cores']:3} {linux['wait']:5} {linux['count']:5} times: Linux "
              f"{linux['average_us']:9.2f} {linux['maximum_us']:9.2f} us, Polytakt {here} (average, maximum)")


def draw(results):
    """The averages of the empty parallel for of a board by cores, of both systems."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "polytakt", "svg.fonttype": "none", "axes.grid": True,
                                "grid.alpha": 0.3, "legend.frameon": False})
    from matplotlib import pyplot
    pairs = [(linux, ours) for program, linux, ours in beside(results) if program == "empty" and ours]
    for board in sorted({linux["board"] for linux, _ in pairs}):
        figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
        for wait, marker in (("spin", "o"), ("block", "s")):
            points = [pair for pair in pairs if pair[0]["board"] == board and pair[0]["wait"] == wait]
            for index, (name, line) in enumerate((("Linux, libgomp", "-"), ("Polytakt", "--"))):
                axes.plot([pair[0]["cores"] for pair in points], [pair[index]["average_us"] for pair in points], line,
                          marker=marker, ms=4, lw=1, label=f"{name}, {wait}")
        axes.set(title=f"An empty parallel for, average ({board})", xlabel="cores and threads", ylabel="microseconds",
                 yscale="log")
        axes.legend(fontsize=8)
        figure.savefig(FIGURES / f"linux-{board}.svg", metadata={"Date": None})
        pyplot.close(figure)


def kinds(program, arguments):
    """Board, cores and wait of each run of a program; of the programs each is measured where ours was."""
    for board in arguments.boards:
        usual = CORES[board]
        if program in SIZES and board != "xeon40" or program in THREAD_PROGRAMS and board != "tile72":
            continue
        if program in THREAD_PROGRAMS:
            usual = [1, 8, 72]
        for cores in arguments.cores or usual:
            for wait in arguments.waits:
                if program != "blackscholes" or wait == "block":  # it has no way to wait
                    yield board, cores, wait


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(SOURCES)[1:], default=["empty", "jacobi", "fft", "lu", "blackscholes"])
    parser.add_argument("--boards", nargs="+", choices=list(CORES), default=list(CORES))
    parser.add_argument("--cores", type=int, nargs="+")
    parser.add_argument("--waits", nargs="+", choices=["spin", "block"], default=["spin", "block"])
    parser.add_argument("--forks", type=int, default=100)
    parser.add_argument("--no-write", action="store_true")
    arguments = parser.parse_args()
    build()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for program in arguments.only:
        for kind in kinds(program, arguments):
            figure = measure(program, *kind, arguments.forks)
            print(program, json.dumps(figure), flush=True)
            rows = [it for it in results.get(program, []) if (it["board"], it["cores"], it["wait"]) != kind] + [figure]
            results[program] = sorted(rows, key=lambda it: (it["board"], it["cores"], it["wait"]))
            if not arguments.no_write:
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    show(results)
    if not arguments.no_write:
        draw(results)


if __name__ == "__main__":
    main()
