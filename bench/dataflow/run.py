#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tables 5 and 7 and Fig. 15 of Gu and others, 2011: the critical path of each graph of examples/dataflow on iota9, in cycles,
predicted and measured, beside the paper's; what the parts are if computing took as long as there; and what the same graphs take
in the shared memory of tile72. `make bench-dataflow`; also writes bench/results/dataflow.json, and with matplotlib
docs/src/dataflow/efficiency.svg. LU takes some minutes.

    bench/dataflow/run.py              the tables
    bench/dataflow/run.py --shared     the rows of tile72 alone, beside what the results have of iota9
    bench/dataflow/run.py --seeds 100  each graph with so many orders of accesses, on tile72 a fifth; bench/results/dataflow-seeds.json

A run that ends otherwise than with status 0 is an error: a wrong result, an object that exceeds its wcet, a graph that takes
longer than predicted, an access to what is not its own."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench/results/dataflow.json"
SEEDS = ROOT / "bench/results/dataflow-seeds.json"
PLOT = ROOT / "docs/src/dataflow/efficiency.svg"
PARTS = ["invoking_cycles", "communication_cycles", "computing_cycles", "total_cycles"]
# Invoking, communication, computing, total: Table 5. The text calls the paths of both iterated programs those of one iteration.
PAPER = {
    "cannon": (8421, 44359, 447614, 500394),
    "fft": (3448, 16841, 271725, 292014),
    "jacobi": (5633, 6810, 36502, 48945),
    "poisson": (4161, 1574, 42703, 48438),
    "lu": (7201, 1886521, 758044524, 759938246),
}
# Invoking and total of the paper's former system, RTOS1: Table 6.
FORMER = {"cannon": (38337, 530280), "fft": (18648, 307414), "jacobi": (15870, 64182), "poisson": (13032, 62309),
          "lu": (78701, 760009746)}
# The efficiencies that the paper's text names; of the others it says that they are not below 59 %.
PAPER_EFFICIENCY = {"fft": 90.25, "lu": 92.63}


def takt(*arguments):
    ended = subprocess.run([ROOT / "takt", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"takt {' '.join(map(str, arguments))} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


# The parts of a row that the results keep.
KEPT = ["sequential_cycles", "efficiency", "iterations", "control_cycles_per_object", *PARTS]


def run(name, *arguments, file="system"):
    """The figures of `takt run` for an example."""
    return json.loads(takt("run", ROOT / f"examples/dataflow/{name}/{file}.toml", "--format", "json", *arguments))["dataflow"]


def line(name, kind, cycles, rest=""):
    invoking, communication, computing, total = cycles
    share = f"{100 * invoking / total:.2f}%"
    print(f"{name:10}{kind:11}{invoking:>10}{communication:>15}{computing:>12}{total:>12}{share:>10}{rest}", flush=True)


def stretched(row, paper):
    """The parts and the efficiency if all computing, of the graph and of one core alone, took the same times longer, so that the
    path's is the paper's. An iterated path is taken by iteration. What it changes in waits is left out: this is arithmetic."""
    count = row["iterations"] if paper[3] < 100_000 else 1
    invoking, communication, computing = (row[part] / count for part in PARTS[:3])
    factor = paper[2] / computing
    total = invoking + communication + paper[2]
    efficiency = factor * row["sequential_cycles"] / count / 8 / total
    return factor, invoking / total, communication / total, efficiency


def sizes():
    """Bytes of the director with all types and of the scheduler: Table 7. The test of sizes counts the same functions."""
    budgets = tomllib.loads((ROOT / "tests/size/budgets.toml").read_text())["dataflow"]
    image = Path(takt("build", ROOT / budgets["system"]).strip().splitlines()[-1])
    images = [image, *(image.parent / f"libraries/dataflow/worker.{number}" for number in (1, 2))]
    each = {}
    for file in images:
        text = subprocess.run(["riscv64-unknown-elf-nm", "-S", file], stdout=subprocess.PIPE, text=True, check=True).stdout
        for size, name in re.findall(r"^\S+ (\S+) [tT] ([^.\s]+)", text, re.M):
            each[name] = max(each.get(name, 0), int(size, 16))
    return {part: sum(each[name] for name in budgets[f"{part}_functions"]) for part in ("director", "scheduler")}


def plot(results):
    try:
        import matplotlib
    except ImportError:
        return print("no matplotlib (python3-matplotlib): the plot stays as it is")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "polytakt", "svg.fonttype": "none", "axes.grid": True, "grid.alpha": 0.3,
                                "legend.frameon": False})
    from matplotlib import pyplot
    names = list(results)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    bars = [("measured", [100 * results[it]["invoking_cycles"] / results[it]["total_cycles"] for it in names]),
            ("paper", [100 * PAPER[it][0] / PAPER[it][3] for it in names]),
            ("paper, RTOS1", [100 * FORMER[it][0] / FORMER[it][1] for it in names])]
    for number, (label, heights) in enumerate(bars):
        left.bar([at + 0.27 * (number - 1) for at in range(len(names))], heights, 0.25, label=label)
    left.set(title="Invoking, % of the critical path", xticks=range(len(names)), xticklabels=names)
    left.legend(fontsize=8)
    right.bar(range(len(names)), [results[it]["efficiency"] / 100 for it in names], 0.5, label="measured")
    known = [(at, PAPER_EFFICIENCY[it]) for at, it in enumerate(names) if it in PAPER_EFFICIENCY]
    right.plot(*zip(*known), "k_", ms=30, label="paper")
    right.set(title="Efficiency, %", xticks=range(len(names)), xticklabels=names, ylim=(0, 105))
    right.legend(fontsize=8, loc="lower right")
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, metadata={"Date": None})
    # Lines without the blanks that matplotlib leaves at their ends.
    PLOT.write_text("".join(text.rstrip() + "\n" for text in PLOT.read_text().splitlines()))


def tables():
    print(f"{'':21}{'invoking':>10}{'communication':>15}{'computing':>12}{'total':>12}{'invoking':>10}{'efficiency':>12}"
          f"{'iterations':>12}")
    results, rows = {}, {}
    for name, paper in PAPER.items():
        row = rows[name] = run(name)
        predicted, efficiency = row["predicted"], row["efficiency"] / 100
        bound = [predicted[part] for part in PARTS]
        bound[0] += predicted["interference_cycles"]
        measured = [row[part] for part in PARTS]
        line(name, "predicted", bound)
        line("", "measured", measured, f"{efficiency:>11.2f}%{row['iterations']:>12}")
        known = PAPER_EFFICIENCY.get(name)
        line("", "paper", paper, f"{known:>11.2f}%" if known else "")
        results[name] = {key: row[key] for key in ["predicted", *KEPT]} | {"paper": dict(zip(PARTS, paper))}
        results[name]["predicted"].pop("path")
    print(f"\ncomputing as long as the paper's\n{'':10}{'times':>10}{'invoking':>10}{'communication':>15}{'efficiency':>12}")
    for name, paper in PAPER.items():
        factor, *shares = stretched(rows[name], paper)
        results[name]["stretched"] = dict(zip(("times", *PARTS[:2], "efficiency"), (round(it, 4) for it in (factor, *shares))))
        print(f"{name:10}{factor:>10.2f}{shares[0]:>10.2%}{shares[1]:>15.2%}{shares[2]:>12.2%}")
    found = sizes()
    print(f"\nbytes: director {found['director']} (paper: 5.380 KB), scheduler {found['scheduler']} (paper: 3.660 KB)")
    RESULTS.write_text(json.dumps(results | {"bytes": found, "tile72": shared(results)}, indent=1) + "\n")
    plot({name: results[name] for name in PAPER})


def shared(results):
    """The rows of tile72, and LU of 128 x 128 on both boards: the larger one takes too long there."""
    print(f"\nshared memory\n{'':21}{'invoking':>10}{'communication':>15}{'computing':>12}{'total':>12}{'invoking':>10}"
          f"{'efficiency':>12}{'alone':>12}")
    rows = {}
    for name in PAPER:
        file = "small" if name == "lu" else "system"
        mesh = {key: run(name, file=file)[key] for key in KEPT} if name == "lu" else results[name]
        row = run(name, "--board", "tile72", file=file)
        rows[name] = {key: row[key] for key in KEPT} | ({"iota9": mesh} if name == "lu" else {})
        for board, it in [("iota9", mesh), ("tile72", row)]:
            line(name if board == "iota9" else "", board, [it[part] for part in PARTS],
                 f"{it['efficiency'] / 100:>11.2f}%{it['sequential_cycles']:>12}")
    return rows


def seeds(count):
    """LU is that of 128 x 128: the larger one would take a day."""
    results = {}
    for name, board, count in [(name, *it) for name in PAPER for it in (("iota9", count), ("tile72", count // 5))]:
        file = f"examples/dataflow/{name}/{'small' if name == 'lu' else 'system'}.toml"
        text = takt("run", ROOT / file, "--board", board, "--seed", f"1..{count}")
        summary = re.search(r"(\d+) seeds, .*; (\d+) broke, (\d+) failed", text)
        if not summary or summary.groups() != (str(count), "0", "0"):
            sys.exit(f"{file}: {text}")
        results.setdefault(file, {})[board] = {"seeds": count, "failed": 0}
        print(f"{file}: {summary.group(0)}", flush=True)
    SEEDS.write_text(json.dumps(results, indent=1) + "\n")


if sys.argv[1:2] == ["--seeds"]:
    seeds(int(sys.argv[2]))
elif sys.argv[1:2] == ["--shared"]:
    found = json.loads(RESULTS.read_text())
    RESULTS.write_text(json.dumps(found | {"tile72": shared(found)}, indent=1) + "\n")
else:
    tables()
