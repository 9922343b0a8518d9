#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The sources of `make bench-forkjoin` and `make bench-threads` on Linux, on the same modelled boards: libgomp's empty
parallel for (as many forks as ours), Jacobi, FFT and LU in three sizes each, and programs with pthreads. `make
bench-linux`, by hand; also writes bench/results/linux.json after each figure, prints them beside those of
bench/results/forkjoin.json, and draws docs/src/forkjoin/linux-*.svg and programs.svg.

    run.py [--kernel rt|stock] [--only PROGRAM...] [--boards BOARD...] [--cores N...] [--sizes N...] [--waits spin block]
           [--forks N] [--jobs N] [--no-write]

The options leave out what is not named: what was not measured stays as it is in the file of results. So

    run.py --only empty --boards xeon40 --cores 40 --waits spin       # 10,000 forks of 40 threads that spin
    run.py --kernel stock --only empty --forks 100                    # Linux without PREEMPT_RT

Linux boots once on each board, without time, and settles for two seconds of board time; then the machine is saved. Each
run goes on from there: a command is typed at the console, and time begins at `main`.

What it takes of the host, in time of one processor that does nothing else:

    a kernel, once                             10 minutes (estimated)
    booting, once for each kernel and board    1 minute (xeon40), 2 minutes (tile72)
    a run                                      0.6 to 0.8 s for each millisecond of the board in which 40 or 72 harts
                                               are busy, less while they sleep

So the 10,000 forks that spin are 1 minute on xeon40 and 3 on tile72; those that block were 15 minutes on xeon40, beside
other work, and are some 30 on tile72 (estimated). Most sizes of the programs take seconds; LU with many threads that
block takes minutes. Each run says when it begins and how long it took; its row is
written at once, so a run that is stopped loses only what it was at.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "forkjoin"))
from programs import (FIGURES, ITERATIONS, LINUX, LOOKED, MEGAHERTZ, OURS, PROGRAM_CORES, PROGRAMS, ROOT, SIZES,  # noqa: E402
                      draw_speed_up, figure, forks, pyplot)

WORK = ROOT / "build/bench-linux"
DISK = WORK / "disk"
CORES = {"xeon40": [2, 10, 20, 40], "tile72": [18, 72]}
# The board's device tree has `riscv,isa` only.
COMMAND_LINE = "console=ttyS0 quiet riscv_isa_fallback"
# Each program has an address of its own, so that the one of `main` says which program has come there.
SOURCES = {
    "init": HERE / "init.c",
    "empty": ROOT / "bench/forkjoin/empty.c",
    **PROGRAMS,
    "blackscholes": ROOT / "examples/blackscholes/blackscholes.c",
    "streamcluster": ROOT / "examples/streamcluster/streamcluster.c",
}
FIRST_ADDRESS, DISTANCE = 0x10000000, 0x1000000
EMPTY = re.compile(r"^(\d+) threads, (\d+) forks: average (\d+), maximum (\d+) cycles\r?$", re.MULTILINE)
LOOPS = re.compile(r"^(\d+) threads, (\d+) iterations: average ([\d.]+) us, maximum ([\d.]+) us\r?\n(last .*?)\r?$", re.MULTILINE)
THREADS = re.compile(r" threads(?:, \w+)?: (\d+) ns\r?$", re.MULTILINE)
PARTS = re.compile(r"^on average the master begins after (\d+), the first worker after (\d+), the last after (\d+), "
                   r"all is joined after (\d+) cycles\r?$", re.MULTILINE)
THREAD_CORES = {"blackscholes": [1, 8, 72], "streamcluster": [1, 8, 18]}
KEYS = ("kernel", "board", "size", "cores", "wait")


def call(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def address(name, symbol):
    symbols = subprocess.run(["riscv64-linux-gnu-nm", DISK / name], check=True, stdout=subprocess.PIPE, text=True).stdout
    return "0x" + re.search(rf"^([0-9a-f]+) T {symbol}$", symbols, re.MULTILINE)[1].lstrip("0")


def build(kernel):
    """The kernel, and a RAM disk with all programs and their input."""
    call(HERE / "kernel", kernel)
    disk, inputs = WORK / "disk.cpio", [*SOURCES.values(), ROOT / "examples/blackscholes/generate.py"]
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
    with disk.open("wb") as archive:
        call(WORK / kernel / "kernel/usr/gen_init_cpio", WORK / "disk.list", stdout=archive)


def boot(kernel, board, *options):
    command = [ROOT / "takt", "board", "boot", WORK / kernel / "Image", "--board", board, "--initrd", WORK / "disk.cpio",
               "--append", COMMAND_LINE, *options]
    ended = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, errors="replace")
    if ended.returncode != 0:
        sys.exit(f"Linux ({kernel}) on {board} failed:\n{ended.stdout}")
    return ended.stdout


def state_of(kernel, board):
    """The file of the machine on which Linux has settled; boots Linux if there is none."""
    state = WORK / kernel / f"{board}.state"
    inputs = [WORK / "disk.cpio", WORK / kernel / "Image"]
    if not state.exists() or any(it.stat().st_mtime > state.stat().st_mtime for it in inputs):
        print(f"booting Linux ({kernel}) on {board}: some minutes", flush=True)
        boot(kernel, board, "--save-at", address("init", "settled"), "--save", state)
    return state


def run(kind, *words):
    """What a program prints. Threads are pinned to the first harts, as ours are."""
    kernel, program, size, board, threads, wait = kind
    policy = {"spin": "active", "block": "passive"}[wait]
    line = [f"OMP_NUM_THREADS={threads}", f"OMP_WAIT_POLICY={policy}", f"OMP_PLACES={{0}}:{threads}", "OMP_PROC_BIND=close",
            f"/{program}", *map(str, words)]
    typed = WORK / kernel / f"{program}-{size}-{board}-{threads}-{wait}.typed"
    typed.write_text(" ".join(line) + "\n")
    text = boot(kernel, board, "--load", state_of(kernel, board), "--input", typed, "--timed-from", address(program, "main"))
    if not re.search(r"^status 0\r?$", text, re.MULTILINE):
        sys.exit(f"{' '.join(line)} on {board} ({kernel}) failed:\n{text}")
    return text


def measure(kind, count):
    """The row of a program: `count` forks of the empty loop."""
    kernel, program, size, board, cores, wait = kind
    row = {"kernel": kernel} | ({"size": size} if size else {})
    if program == "empty":
        text = run(kind, count or forks(board, cores), LOOKED)
        said, parts = EMPTY.search(text), PARTS.search(text)
        row |= figure(board, cores, wait, said[2], int(said[3]), int(said[4]))
        return row | dict(zip(("master_begins", "first_begins", "last_begins", "joined"), map(int, parts.groups())))
    if program in PROGRAMS:
        said = LOOPS.search(run(kind, size, ITERATIONS))
        average, maximum = (float(it) * MEGAHERTZ[board] for it in (said[3], said[4]))
        return row | figure(board, cores, wait, said[2], average, maximum) | {"result": said[5]}
    words = {"blackscholes": [cores, "/options.txt", "/prices.txt", 10], "streamcluster": [cores, 16000, 8000, wait]}
    said = THREADS.search(run(kind, *words[program]))
    return row | {"board": board, "cores": cores, "wait": wait, "nanoseconds": int(said[1])}


def beside(results):
    """Each row of an OpenMP program with ours of the same size, board, cores and wait, where it was measured."""
    ours, pairs = json.loads(OURS.read_text()), []
    for program in ("empty", *PROGRAMS):
        for linux in results.get(program, []):
            # One thread does not wait.
            same = [it for it in ours.get(program, []) if all(it.get(key) == linux.get(key) for key in KEYS[1:4])
                    and (it["wait"] == linux["wait"] or it["cores"] == 1)]
            pairs.append((program, linux, same[0] if same else None))
    return pairs


def show(results):
    for program, linux, ours in beside(results):
        here = f"{ours['average_us']:9.2f} {ours['maximum_us']:9.2f} us, {ours['count']} times" if ours else "not measured"
        print(f"{program:6} {linux.get('size', ''):5} {linux['board']} {linux['cores']:3} {linux['wait']:5}: Linux {linux['kernel']:5} "
              f"{linux['average_us']:9.2f} {linux['maximum_us']:9.2f} us, {linux['count']} times; Polytakt {here} (average, maximum)")


def draw(results):
    """The averages of the empty parallel for of a board by cores, of both systems."""
    plot = pyplot()
    pairs = [(linux, ours) for program, linux, ours in beside(results) if program == "empty" and ours]
    for board in sorted({linux["board"] for linux, _ in pairs}):
        chart, axes = plot.subplots(figsize=(8, 4.5), layout="constrained")
        for wait, marker in (("spin", "o"), ("block", "s")):
            points = [pair for pair in pairs if pair[0]["board"] == board and pair[0]["wait"] == wait]
            for name, line, kernel, index in (("Linux with PREEMPT_RT", "-", "rt", 0), ("Linux without", ":", "stock", 0),
                                              ("Polytakt", "--", "rt", 1)):
                part = [pair[index] for pair in points if pair[0]["kernel"] == kernel]
                if part:
                    axes.plot([it["cores"] for it in part], [it["average_us"] for it in part], line,
                              marker=marker, ms=4, lw=1, label=f"{name}, {wait}")
        axes.set(title=f"An empty parallel for, average ({board})", xlabel="cores and threads", ylabel="microseconds",
                 yscale="log")
        axes.legend(fontsize=8)
        chart.savefig(FIGURES / f"linux-{board}.svg", metadata={"Date": None})
        plot.close(chart)


def kinds(program, arguments):
    """Kernel, program, size, board, cores and wait of each run; each program is measured where ours was."""
    for board in arguments.boards:
        if board != ("xeon40" if program in PROGRAMS else board if program == "empty" else "tile72"):
            continue
        usual = PROGRAM_CORES if program in PROGRAMS else THREAD_CORES.get(program, CORES[board])
        for size in SIZES.get(program, [None]):
            for cores in arguments.cores or usual:
                for wait in arguments.waits:
                    if program in PROGRAMS and (size not in (arguments.sizes or [size]) or cores == 1 and wait == "block"):
                        continue  # one thread does not wait
                    if program != "blackscholes" or wait == "block":  # it has no way to wait
                        yield arguments.kernel, program, size, board, cores, wait


def record(program, row, write):
    """All rows of the file of results, with this one in its place. The file is read anew: another run may have written."""
    results = json.loads(LINUX.read_text()) if LINUX.exists() else {}
    def key(it):
        return [it.get(name, 0) for name in KEYS]
    results[program] = sorted([it for it in results.get(program, []) if key(it) != key(row)] + [row], key=key)
    if write:
        LINUX.write_text(json.dumps(results, indent=1) + "\n")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", choices=["rt", "stock"], default="rt", help="Linux with PREEMPT_RT (the default) or without")
    parser.add_argument("--only", nargs="+", choices=list(SOURCES)[1:], default=list(SOURCES)[1:])
    parser.add_argument("--boards", nargs="+", choices=list(CORES), default=list(CORES))
    parser.add_argument("--cores", type=int, nargs="+")
    parser.add_argument("--sizes", type=int, nargs="+", help="of jacobi, fft and lu: " + str(SIZES).strip("{}"))
    parser.add_argument("--waits", nargs="+", choices=["spin", "block"], default=["spin", "block"])
    parser.add_argument("--forks", type=int, help="of the empty parallel for, on any number of cores")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-write", action="store_true")
    arguments = parser.parse_args()
    build(arguments.kernel)
    all_kinds = [kind for program in arguments.only for kind in kinds(program, arguments)]
    for board in sorted({kind[3] for kind in all_kinds}):
        state_of(arguments.kernel, board)
    results = json.loads(LINUX.read_text()) if LINUX.exists() else {}

    def timed(kind):
        begin = time.monotonic()
        print("begins:", *(word for word in kind if word), flush=True)
        return kind, measure(kind, arguments.forks), time.monotonic() - begin

    with ThreadPoolExecutor(arguments.jobs) as jobs:
        for number, ended in enumerate(as_completed([jobs.submit(timed, kind) for kind in all_kinds]), 1):
            kind, row, seconds = ended.result()
            print(f"{number} of {len(all_kinds)}, {seconds:.0f} s:", kind[1], json.dumps(row), flush=True)
            results = record(kind[1], row, not arguments.no_write)
    show(results)
    if not arguments.no_write:
        draw(results)
        draw_speed_up()


if __name__ == "__main__":
    main()
