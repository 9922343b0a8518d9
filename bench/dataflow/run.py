#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Table 5 of Gu and others, 2011: the critical path of each graph of examples/dataflow on iota9, in cycles, predicted and
measured, beside the paper's. `make bench-dataflow`; also writes bench/results/dataflow.json.

A run that ends otherwise than with status 0 is an error: a wrong result, an object that exceeds its wcet, a graph that takes
longer than predicted, an access to what is not its own."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench/results/dataflow.json"
# Invoking, communication, computing, total: Table 5. The text calls the paths of both iterated programs those of one iteration.
PAPER = {
    "cannon": (8421, 44359, 447614, 500394),
    "fft": (3448, 16841, 271725, 292014),
    "jacobi": (5633, 6810, 36502, 48945),
    "poisson": (4161, 1574, 42703, 48438),
}


def run(name):
    """The figures of `takt run` for an example."""
    system = ROOT / f"examples/dataflow/{name}/system.toml"
    ended = subprocess.run([ROOT / "takt", "run", system, "--format", "json"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"{name}: takt run ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return json.loads(ended.stdout)["dataflow"]


def line(name, kind, cycles, rest=""):
    invoking, communication, computing, total = cycles
    share = f"{100 * invoking / total:.2f}%"
    print(f"{name:10}{kind:11}{invoking:>10}{communication:>15}{computing:>11}{total:>10}{share:>10}{rest}", flush=True)


def main():
    print(f"{'':21}{'invoking':>10}{'communication':>15}{'computing':>11}{'total':>10}{'invoking':>10}{'efficiency':>12}"
          f"{'iterations':>12}")
    results = {}
    for name, paper in PAPER.items():
        row = run(name)
        predicted, efficiency = row["predicted"], row["efficiency"] / 100
        parts = ["invoking_cycles", "communication_cycles", "computing_cycles", "total_cycles"]
        bound = [predicted[part] for part in parts]
        bound[0] += predicted["interference_cycles"]
        measured = [row[part] for part in parts]
        line(name, "predicted", bound)
        line("", "measured", measured, f"{efficiency:>11.2f}%{row['iterations']:>12}")
        line("", "paper", paper)
        kept = ["predicted", "sequential_cycles", "efficiency", "iterations", "control_cycles_per_object", *parts]
        results[name] = {key: row[key] for key in kept} | {"paper": dict(zip(parts, paper))}
        results[name]["predicted"].pop("path")
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


main()
