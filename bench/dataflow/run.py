#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tables 5 to 7 and Fig. 15 of Gu and others, 2011: the critical path of each graph of examples/dataflow on iota9, in cycles,
predicted and measured, beside the paper's; the same with the runtime "rtos1", with executions stretched to the length of the
paper's, and in the shared memory of tile72. `make bench-dataflow`; also writes bench/results/dataflow.json, and with matplotlib
docs/src/dataflow/efficiency.svg. LU is executed three times, some minutes each.

    bench/dataflow/run.py              the tables
    bench/dataflow/run.py --shared     the rows of tile72 alone, beside what the results have of iota9
    bench/dataflow/run.py --seeds 100  each graph with so many orders of accesses, by both runtimes, on tile72 a fifth of them;
                                       bench/results/dataflow-seeds.json; or the named ones: iota/fft rtos1/poisson tile72/lu

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
COPIES = ROOT / "target/bench-dataflow"
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
# The same of the paper's former system, RTOS1: Table 6.
FORMER = {
    "cannon": (38337, 44329, 447614, 530280),
    "fft": (18648, 17041, 271725, 307414),
    "jacobi": (15870, 11810, 36502, 64182),
    "poisson": (13032, 6574, 42703, 62309),
    "lu": (78701, 1886521, 758044524, 760009746),
}
# The efficiencies that the paper's text names; of the others it says that they are not below 59 %.
PAPER_EFFICIENCY = {"fft": 90.25, "lu": 92.63}


def takt(*arguments):
    ended = subprocess.run([ROOT / "takt", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"takt {' '.join(map(str, arguments))} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


# The parts of a row that the results keep.
KEPT = ["sequential_cycles", "efficiency", "iterations", "control_cycles_per_object", *PARTS]


def run(file, *arguments):
    """The figures of `takt run` for a description."""
    return json.loads(takt("run", file, "--format", "json", *arguments))["dataflow"]


def original(name, size="system"):
    return ROOT / f"examples/dataflow/{name}/{size}.toml"


def with_rtos1(file):
    """A copy of a description, with the runtime "rtos1"."""
    copy = COPIES / "rtos1" / file.parent.name / file.stem
    copy.mkdir(parents=True, exist_ok=True)
    subprocess.run([ROOT / "tests/dataflow/rtos1.py", file, copy], check=True)
    return copy / "system.toml"


def stretched(name, times):
    """A copy of a description in which each execution, and the work of one core alone, takes so many times as long: behind it
    the core waits until its counter of cycles says so. Each wcet grows as much."""
    file, copy = original(name), COPIES / "stretched" / name
    copy.mkdir(parents=True, exist_ok=True)
    text = file.read_text()
    source, = re.search(r'(?m)^sources *= \["(.*)"\]$', text).groups()
    sequential, = re.search(r'(?m)^sequential *= "(.*)"$', text).groups()
    entries = sorted(set(re.findall(r'\bentry = "(\w+)"', text)))
    units = {"ns": 1, "us": 1000, "ms": 1_000_000, "s": 1_000_000_000}
    text = re.sub(r'\bwcet = "([\d.]+)([a-z]+)"', lambda it: f'wcet = "{int(float(it[1]) * units[it[2]] * times) + 500}ns"', text)
    text = re.sub(r'\bentry = "(\w+)"', r'entry = "stretched_\1"', text)
    text = text.replace(f'"{source}"', '"stretched.c"').replace(f'"{sequential}"', '"stretched_sequential"')
    (copy / "system.toml").write_text(text)
    code = "/* Made by bench/dataflow/run.py. */\n#include <takt/dataflow_system.h>\n\n"
    for entry in entries:
        code += f"#define dataflow_{entry} dataflow_stretched_{entry}\nvoid {entry}(const struct dataflow_{entry} *ports);\n"
    code += f'''#include "{file.parent}/{source}"

static inline uint64_t stretch_now(void) {{
    uint64_t now;
    __asm__ volatile("rdcycle %0" : "=r"(now)::"memory");
    return now;
}}

static void stretch(uint64_t begin) {{
    uint64_t end = begin + ((stretch_now() - begin) * {round(times * 65536)} >> 16);
    while ((int64_t)(stretch_now() - end) < 0) {{
    }}
}}
'''
    calls = [(f"{entry}(const struct dataflow_{entry} *ports)", f"{entry}(ports)") for entry in entries]
    for declared, call in [*calls, ("sequential(void)", f"{sequential}()")]:
        code += f"\nvoid stretched_{declared} {{\n    uint64_t begin = stretch_now();\n    {call};\n    stretch(begin);\n}}\n"
    (copy / "stretched.c").write_text(code)
    return copy / "system.toml"


def line(name, kind, cycles, rest=""):
    invoking, communication, computing, total = cycles
    share = f"{100 * invoking / total:.2f}%"
    print(f"{name:10}{kind:11}{invoking:>10.0f}{communication:>15.0f}{computing:>12.0f}{total:>12.0f}{share:>10}{rest}", flush=True)


def functions(file):
    """Bytes of each function in the system's image and in those of two workers."""
    image = Path(takt("build", file).strip().splitlines()[-1])
    each = {}
    for image in [image, *(image.parent / f"libraries/dataflow/worker.{number}" for number in (1, 2))]:
        text = subprocess.run(["riscv64-unknown-elf-nm", "-S", image], stdout=subprocess.PIPE, text=True, check=True).stdout
        for size, name in re.findall(r"^\S+ (\S+) [tT] ([^.\s]+)", text, re.M):
            each[name] = max(each.get(name, 0), int(size, 16))
    return each


def sizes():
    """Bytes of the director with all types and of the scheduler: Table 7. The test of sizes counts the same functions. And of the
    director with the runtime "rtos1"."""
    budgets = tomllib.loads((ROOT / "tests/size/budgets.toml").read_text())["dataflow"]
    each, rtos1 = functions(ROOT / budgets["system"]), functions(with_rtos1(ROOT / budgets["system"]))
    found = {part: sum(each[name] for name in budgets[f"{part}_functions"]) for part in ("director", "scheduler")}
    return found | {"rtos1_director": sum(rtos1[name] for name in budgets["rtos1_functions"])}


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
    rtos1 = [results[name]["rtos1"] for name in names]
    share = lambda rows: [100 * row[0] / row[3] for row in rows]
    parts = lambda rows: [[row[part] for part in PARTS] for row in rows]
    efficiency = lambda rows: [row["efficiency"] / 100 for row in rows]
    speedup = lambda rows: [8 * it / 100 for it in efficiency(rows)]
    rows = [results[name] for name in names]
    figure, axes = pyplot.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    bars = [("measured", share(parts(rows))), ("measured, RTOS1", share(parts(rtos1))),
            ("paper", share(PAPER[it] for it in names)), ("paper, RTOS1", share(FORMER[it] for it in names))]
    for number, (label, heights) in enumerate(bars):
        axes[0].bar([at + 0.2 * (number - 1.5) for at in range(len(names))], heights, 0.19, label=label)
    for axis, figures in ((axes[1], speedup), (axes[2], efficiency)):
        axis.bar([at - 0.2 for at in range(len(names))], figures(rows), 0.38, label="measured")
        axis.bar([at + 0.2 for at in range(len(names))], figures(rtos1), 0.38, label="measured, RTOS1")
    known = [(at, PAPER_EFFICIENCY[it]) for at, it in enumerate(names) if it in PAPER_EFFICIENCY]
    axes[1].plot([at for at, _ in known], [8 * it / 100 for _, it in known], "k_", ms=30, label="paper")
    axes[2].plot(*zip(*known), "k_", ms=30, label="paper")
    axes[0].set(title="Invoking, % of the critical path")
    axes[1].set(title="Speed-up to one core", ylim=(0, 9.5))
    axes[2].set(title="Efficiency, %", ylim=(0, 105))
    for axis in axes:
        axis.set(xticks=range(len(names)), xticklabels=names)
    axes[0].legend(fontsize=8)
    axes[1].legend(fontsize=8, loc="upper center", ncols=3)
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, metadata={"Date": None})
    # Lines without the blanks that matplotlib leaves at their ends.
    PLOT.write_text("".join(text.rstrip() + "\n" for text in PLOT.read_text().splitlines()))


def tables():
    print(f"{'':21}{'invoking':>10}{'communication':>15}{'computing':>12}{'total':>12}{'invoking':>10}{'efficiency':>12}"
          f"{'iterations':>12}{'control':>9}")
    results = {}
    measured = lambda row: [row[part] for part in PARTS]
    rest = lambda row: f"{row['efficiency'] / 100:>11.2f}%{row['iterations']:>12}{row['control_cycles_per_object']:>9}"
    for name, paper in PAPER.items():
        row = run(original(name))
        predicted = row["predicted"]
        bound = [predicted[part] for part in PARTS]
        bound[0] += predicted["interference_cycles"]
        line(name, "predicted", bound)
        line("", "measured", measured(row), rest(row))
        known = PAPER_EFFICIENCY.get(name)
        line("", "paper", paper, f"{known:>11.2f}%" if known else "")
        rtos1 = run(with_rtos1(original(name)))
        line("", "RTOS1", measured(rtos1), rest(rtos1))
        line("", "its paper", FORMER[name])
        results[name] = {key: row[key] for key in ["predicted", *KEPT]} | {"paper": dict(zip(PARTS, paper))}
        results[name]["predicted"].pop("path")
        results[name]["rtos1"] = {key: rtos1[key] for key in KEPT} | {"paper": dict(zip(PARTS, FORMER[name]))}
    print(f"\nexecutions stretched to the paper's, iterated programs by iteration\n{'':10}{'times':>11}{'invoking':>10}"
          f"{'communication':>15}{'computing':>12}{'total':>12}{'invoking':>10}{'efficiency':>12}")
    for name, paper in PAPER.items():
        row = results[name]
        count = row["iterations"] if paper[3] < 100_000 else 1
        times = max(1, paper[2] * count / row["computing_cycles"])
        if times > 1:
            row = run(stretched(name, times))
        line(name, f"{times:>11.2f}", [it / count for it in measured(row)], f"{row['efficiency'] / 100:>11.2f}%")
        results[name]["stretched"] = {"times": round(times, 4)} | {key: row[key] for key in KEPT}
    found = sizes()
    print(f"\nbytes: director {found['director']} (paper: 5.380 KB), scheduler {found['scheduler']} (paper: 3.660 KB); "
          f"director of RTOS1 {found['rtos1_director']}")
    RESULTS.write_text(json.dumps(results | {"bytes": found, "tile72": shared(results)}, indent=1) + "\n")
    plot({name: results[name] for name in PAPER})


def shared(results):
    """The rows of tile72, and LU of 128 x 128 on both boards: the larger one takes too long there."""
    print(f"\nshared memory\n{'':21}{'invoking':>10}{'communication':>15}{'computing':>12}{'total':>12}{'invoking':>10}"
          f"{'efficiency':>12}{'alone':>12}")
    rows = {}
    for name in PAPER:
        file = original(name, "small" if name == "lu" else "system")
        mesh = {key: run(file)[key] for key in KEPT} if name == "lu" else results[name]
        row = run(file, "--board", "tile72")
        rows[name] = {key: row[key] for key in KEPT} | ({"iota9": mesh} if name == "lu" else {})
        for board, it in [("iota9", mesh), ("tile72", row)]:
            line(name if board == "iota9" else "", board, [it[part] for part in PARTS],
                 f"{it['efficiency'] / 100:>11.2f}%{it['sequential_cycles']:>12}")
    return rows


def seeds(count, names):
    """LU is that of 128 x 128: the larger one would take a day. Figures of graphs that are not named stay."""
    results = json.loads(SEEDS.read_text()) if names else {}
    for name in names or [f"{runtime}/{name}" for name in PAPER for runtime in ("iota", "rtos1", "tile72")]:
        runtime, name = name.split("/")
        file = original(name, "small" if name == "lu" else "system")
        path = with_rtos1(file) if runtime == "rtos1" else file
        board, number = ("tile72", count // 5) if runtime == "tile72" else ("iota9", count)
        text = takt("run", path, "--board", board, "--seed", f"1..{number}")
        summary = re.search(r"(\d+) seeds, .*; (\d+) broke, (\d+) failed", text)
        if not summary or summary.groups() != (str(number), "0", "0"):
            sys.exit(f"{path}: {text}")
        results[f"{runtime}, {file.relative_to(ROOT)}"] = {"seeds": number, "failed": 0}
        print(f"{runtime}, {file.relative_to(ROOT)}: {summary.group(0)}", flush=True)
        SEEDS.write_text(json.dumps(results, indent=1) + "\n")


if sys.argv[1:2] == ["--seeds"]:
    seeds(int(sys.argv[2]), sys.argv[3:])
elif sys.argv[1:2] == ["--shared"]:
    found = json.loads(RESULTS.read_text())
    RESULTS.write_text(json.dumps(found | {"tile72": shared(found)}, indent=1) + "\n")
else:
    tables()
