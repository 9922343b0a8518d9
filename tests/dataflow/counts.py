#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""counts.py ROUNDS DIRECTORY: two cores send two others more messages than the scoreboard counts, while one of them is
slow at first. Each round adds to what the core's round before has left, so a lost or early message changes the end."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
rounds, directory = int(sys.argv[1]), Path(sys.argv[2])
PRODUCERS = {"a": 0, "d": 2}
CONSUMERS = {"b": 1, "c": 3}


def entry(name, function, core, argument=0):
    return f'    {{ name = "{name}", entry = "{function}", core = {core}, wcet = "200us", argument = {argument} }},\n'


def edge(producer, consumer):
    return f'    {{ from = "{producer}", to = "{consumer}", size = "64B" }},\n'


objects, edges = entry("slow", "slow", CONSUMERS["b"]), edge("slow.out", "b0.before")
for i in range(rounds):
    for name, core in PRODUCERS.items():
        objects += entry(f"{name}{i}", "produce", core, i if name == "a" else 100 + i)
    for name, core in CONSUMERS.items():
        objects += entry(f"{name}{i}", "add", core)
        edges += "".join(edge(f"{producer}{i}.out", f"{name}{i}.{producer}") for producer in PRODUCERS)
        if i > 0:
            edges += edge(f"{name}{i - 1}.out", f"{name}{i}.before")
objects += entry("end", "compare", 0, rounds)
edges += "".join(edge(f"{name}{rounds - 1}.out", f"end.{name}") for name in CONSUMERS)

(directory / "system.toml").write_text(f"""format = 1
object = [
{objects}]
edge = [
{edges}]

[system]
name      = "dataflow_counts"
board     = "iota9"
sources   = ["{HERE}/counts.c"]
libraries = ["dataflow"]

[dataflow]
check = "counts_check"
""")
