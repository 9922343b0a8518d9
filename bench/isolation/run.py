#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How much cores that share a memory disturb each other: Figures 1, 2 and 5 of "Single Core Equivalence". `make
bench-isolation`; writes bench/results/isolation.json, and draws docs/src/isolation/*.svg.

    run.py [--only banks budgets] [--cores N...] [--seeds A..B] [--no-write]

*banks*: the cycles of a load from memory on core 0, while 0 to 7 other cores load, too: all from one bank, or each
from a bank of its own. *budgets*: the longest response of `steer` of examples/ima, while 0 to 7 other cores store as
fast as they can, without budgets of memory traffic and with them."""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/bench-isolation"
RESULTS = ROOT / "bench/results/isolation.json"
FIGURES = ROOT / "docs/src/isolation"
IMA = ROOT / "examples/ima"
BOARDS = ["p4080", "xeon40"]
CORES = range(1, 9)
MEMORY = {"p4080": "8 << 20", "xeon40": "32 << 20"}  # has 256 lines of each bank for each core
LOADS = re.compile(r"^(\d+) cycles for (\d+) loads$", re.MULTILINE)
OTHERS = [2, 0, 3, 4, 5, 6, 7]  # in this order other cores come into use


def takt(command, system, *arguments):
    """What a command prints about a system."""
    ended = subprocess.run([ROOT / "takt", command, system, *arguments], stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"takt {command} {system} failed:\n{ended.stdout}")
    return ended.stdout


def size(text):
    """Bytes of a size such as 4KiB."""
    number, unit = re.fullmatch(r"(\d+)([KM])iB", text).groups()
    return int(number) << {"K": 10, "M": 20}[unit]


def load(board, cores, same_bank):
    """The row of a load while so many cores load."""
    dram = tomllib.loads((ROOT / f"boards/{board}.toml").read_text())["dram"]
    name = f"{board}_{cores}_{'same' if same_bank else 'own'}"
    folder = WORK / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bank.h").write_text(
        f"#define MASKS {', '.join(dram['banks'])}\n#define CORES {cores}\n#define SAME_BANK {int(same_bank)}\n"
        f"#define CONTROLLERS {len(dram['nodes'])}\n#define INTERLEAVE {size(dram['interleave'])}\n"
        f"#define ROW {size(dram['row'])}\n#define MEMORY ({MEMORY[board]})\n")
    tasks = "".join(f'[[task]]\nname = "load_{core}"\nentry = "load_job"\nargument = {core}\ncore = {core}\nstart = true\n'
                    for core in range(cores))
    system = folder / "system.toml"
    system.write_text(f'format = 1\n[system]\nname = "load_{name}"\nboard = "{board}"\ncores = {cores}\n'
                      f'sources = ["{HERE}/latency.c"]\ninclude = ["{folder}"]\n[run]\nfor = "1s"\n{tasks}')
    cycles, loads = map(int, LOADS.search(takt("run", system)).groups())
    row = {"board": board, "cores": cores, "same_bank": same_bank, "cycles": round(cycles / loads, 1)}
    print(f"{board:6} {cores} cores, {'one bank' if same_bank else 'own banks':9}: {row['cycles']:7.1f} cycles a load", flush=True)
    return row


def ima(cores, seeds):
    """The rows of examples/ima with so many cores in use, from 2 on: alone and beside the others, without budgets and with."""
    text = (IMA / "system.toml").read_text()
    text = re.sub(r'"(\w+\.c)"', lambda name: f'"{IMA / name[1]}"', text)
    tables = re.split(r"(?=^\[\[task\]\])", text, flags=re.MULTILINE)
    used = OTHERS[:cores - 1]
    kept = [table for table in tables if '"hog"' not in table or not table.startswith("[[task]]")
            or int(re.search(r"^core +=\s*(\d+)", table, re.MULTILINE)[1]) in used]
    folder = WORK / f"ima_{cores}"
    folder.mkdir(parents=True, exist_ok=True)
    system = folder / "system.toml"
    system.write_text("".join(kept))
    said = json.loads(takt("interference", system, "--task", "steer", "--for", "20ms", "--seed", seeds, "--format", "json"))
    rows = [{"cores": cores if run["beside_others"] else 1, "budgets": run["budgets"], "response_ns": run["response_max_ns"]}
            for run in said["runs"]]
    for row in rows:
        print(f"ima    {row['cores']} cores, {'budgets' if row['budgets'] else 'no budgets':10}: {row['response_ns'] / 1000:7.1f} us",
              flush=True)
    return rows


def draw(result):
    """Draws a file of the loads, with a panel for each board, and one of the responses."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "polytakt", "svg.fonttype": "none", "axes.grid": True,
                                "grid.alpha": 0.3, "legend.frameon": False})
    from matplotlib import pyplot
    FIGURES.mkdir(exist_ok=True)
    figure, panels = pyplot.subplots(1, len(BOARDS), figsize=(8, 3.5), layout="constrained")
    for axes, board in zip(panels, BOARDS):
        for same_bank, label, marker in ((True, "all from one bank", "o"), (False, "each from its own bank", "s")):
            rows = [row for row in result["banks"] if row["board"] == board and row["same_bank"] == same_bank]
            axes.plot([row["cores"] for row in rows], [row["cycles"] for row in rows], marker=marker, ms=4, lw=1, label=label)
        axes.set(title=board, xlabel="cores that load", ylabel="cycles of a load", ylim=(0, None))
        axes.legend(fontsize=8)
    figure.savefig(FIGURES / "banks.svg", metadata={"Date": None})
    figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
    for budgets, label, shift in ((False, "without budgets", -0.2), (True, "with budgets", 0.2)):
        rows = [row for row in result["budgets"] if row["budgets"] == budgets]
        axes.bar([row["cores"] + shift for row in rows], [row["response_ns"] / 1000 for row in rows], 0.4, label=label)
    axes.set(title="The longest response of steer (p4080)", xlabel="cores in use", ylabel="microseconds")
    axes.legend(fontsize=8)
    figure.savefig(FIGURES / "budgets.svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=["banks", "budgets"], default=["banks", "budgets"])
    parser.add_argument("--cores", type=int, nargs="+", default=list(CORES), choices=CORES)
    parser.add_argument("--seeds", default="1..5", help="orders of the cores' accesses, of which the worst counts")
    parser.add_argument("--no-write", action="store_true")
    arguments = parser.parse_args()
    result = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}

    def write():
        if not arguments.no_write:
            RESULTS.write_text(json.dumps(result, indent=1) + "\n")

    if "banks" in arguments.only:
        result["banks"] = [load(board, cores, same_bank) for board in BOARDS for same_bank in (True, False)
                           for cores in arguments.cores]
        write()
    if "budgets" in arguments.only:
        rows = [row for cores in arguments.cores if cores > 1 for row in ima(cores, arguments.seeds)]
        # The image is another one for each number of cores, and so is the response alone: the longest counts.
        longest = {}
        for row in rows:
            key = row["cores"], row["budgets"]
            longest[key] = max(longest.get(key, row), row, key=lambda it: it["response_ns"])
        result["budgets"] = sorted(longest.values(), key=lambda row: (row["budgets"], row["cores"]))
        result["seeds"] = arguments.seeds
        write()
    if not arguments.no_write:
        draw(result)


if __name__ == "__main__":
    main()
