#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every program of the measurements, on two cores, with one configuration: that they build, run, and print the figures that
the book's page is made of. `make bench-kernel QUICK=1`; nothing is kept."""

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from summarise import measured, own_task

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results/kernel.json"
PROGRAMS = {"switches": 2, "services": 2, "private": 2, "shared": 2, "pairs": 2, "turns": 2, "spinlock": 2,
            "thread_metric": 1}


def run(folder, program):
    """What is wrong with the program, and its figures in the shape of kernel.json."""
    place = Path(folder, f"{program}-{PROGRAMS[program]}-object-ticket-none")
    command = [HERE / "measure", program, "tile72", str(PROGRAMS[program]), "object", "ticket", "none", place]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"{program}: {'ok' if done.returncode == 0 else 'failed'}", flush=True)
    result = {"spinlock": {}, **{f"scaling_{name}": {} for name in ("private", "shared", "pairs", "turns")}}
    if done.returncode == 0:
        measured(place / "result.csv", result)
    return done.stdout, result


def run_own_task(folder):
    """The same of the program that is built in three ways."""
    done = subprocess.run([HERE / "own_task.py", "2"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"own_task: {'ok' if done.returncode == 0 else 'failed'}", flush=True)
    if done.returncode != 0:
        return done.stdout, {}
    path = Path(folder, "own_task.csv")
    path.write_text(done.stdout)
    return "", {"own_task": own_task(path)}


def shape(figures, kept):
    """Names of figures that `kept` has and these lack; those by number of cores are fewer here."""
    missing = []
    for name in kept:
        if name not in figures:
            missing.append(name)
        elif isinstance(kept[name], dict) and isinstance(figures[name], dict):
            missing += [f"{name}.{below}" for below in shape(figures[name], kept[name])]
    return missing


def zeros(figures, name=""):
    """Names of figures that are 0: what was not measured."""
    if isinstance(figures, dict):
        return [zero for key in figures for zero in zeros(figures[key], f"{name}.{key}")]
    return [name] if figures == 0 else []


def main():
    problems, figures = [], {}
    with tempfile.TemporaryDirectory(prefix="takt-bench-") as folder, ThreadPoolExecutor(2) as pool:
        asked = pool.submit(run_own_task, folder)
        for said, result in [*pool.map(lambda program: run(folder, program), PROGRAMS), asked.result()]:
            if said:
                problems.append(said)
            figures.update({key: value for key, value in result.items() if value})
    kept = json.loads(RESULTS.read_text())
    same = ("services", "thread_metric", "own_task", "switch_cycles", "wakeup_cross_core_cycles", "interrupt_to_task_cycles")
    problems += [f"no figure {name}" for name in shape(figures, {key: kept[key] for key in same})]
    problems += [f"no curve {key}" for key in kept if key.startswith("scaling_") and isinstance(kept[key], dict)
                 and not figures.get(key)]
    problems += [f"{name[1:]} is 0" for name in zeros(figures)]
    print("\n".join(problems) or "all figures are there")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
