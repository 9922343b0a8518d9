#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""chance.py SEED DIRECTORY: a small graph by chance: objects on up to nine cores, of which each executes for a chosen number
of turns and, in an odd graph, empties its caches; every third graph iterates. Seed 0 is the graph by which the steps of
directors are measured: it has all of them, with cold caches and warm ones."""

import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
seed, directory = int(sys.argv[1]), Path(sys.argv[2])
chance = random.Random(seed)
iterates = seed % 3 == 0
COLD = 1 << 31

objects, edges = [], []


def wcet(turns, cold, on_control):
    """What spin() takes at most: 5 cycles a turn, a look at 4096 lines, and a cold start; measured, not derived."""
    return 5 * turns + (700 if on_control else 60) + (260000 if on_control else 60000) * cold


def add(name, cores, phase=None):
    turns = chance.choice([0, 3, 40, 200, 1000])
    cold = seed == 0 and chance.random() < 0.7 or seed % 2 == 1
    where = f"core = {cores[0]}" if len(cores) == 1 else f"cores = {cores}"
    extra = f', phase = "{phase}"' if phase and phase != "body" else ""
    objects.append(f'    {{ name = "{name}", entry = "spin", {where}, wcet = "{wcet(turns, cold, cores[0] == 0)}ns", '
                   f"argument = {turns | (COLD if cold else 0)}{extra} }},\n")
    return name, cores, phase


def join(one, other, tokens=0):
    """An edge of a kind that fits both; its ports are numbered, so that entries share them."""
    (a, from_cores, _), (b, to_cores, _) = one, other
    kind = "block"
    if len(from_cores) == 1 and len(to_cores) > 1:
        kind = chance.choice(["block", "broadcast"])
    elif len(from_cores) > 1 and len(to_cores) == 1:
        if to_cores[0] in from_cores:
            return False
        kind = "gather"
    elif len(from_cores) != len(to_cores):
        return False
    inputs[b] = inputs.get(b, 0) + 1
    size = chance.choice([4, 64, 512, 2048])
    extra = ", tokens = 1" if tokens else ""
    edges.append(f'    {{ from = "{a}.out", to = "{b}.in{inputs[b]}", kind = "{kind}", size = "{size}B"{extra} }},\n')
    return True


inputs = {}
workers = chance.randint(2, 8)
layers = []
phases = ["before", "body", "body", "body", "after"] if iterates else [None] * chance.randint(3, 5)
for layer, phase in enumerate(phases):
    row = []
    for number in range(chance.randint(1, 2)):
        cores = chance.choice([[0], [chance.randint(1, workers)], list(range(1, workers + 1))])
        row.append(add(f"o{layer}_{number}", cores, phase))
    layers.append(row)
# Each object has a producer in the layer before; where none fits, one on its own cores.
for layer in range(1, len(layers)):
    for other in list(layers[layer]):
        candidates = list(layers[layer - 1])
        chance.shuffle(candidates)
        leaves = iterates and phases[layer - 1] == "body" and phases[layer] == "after"
        for one in candidates:
            if (not leaves or one[1] == other[1]) and join(one, other):
                break
        else:
            one = add(f"o{layer - 1}_{other[0]}", other[1], phases[layer - 1])
            layers[layer - 1].append(one)
            join(one, other)
            if layer > 1 and not (iterates and phases[layer - 2] == "body" and phases[layer - 1] == "after"):
                same = [it for it in layers[layer - 2] if it[1] == one[1]] or layers[layer - 2]
                join(same[0], one)
used = "".join(edges)
for row in layers[:1]:
    for one in row:
        if f'"{one[0]}.out"' not in used and not any(join(one, other) for other in layers[1]):
            objects[:] = [it for it in objects if f'"{one[0]}"' not in it]
until = None
if iterates:
    body = [it for it, phase in zip(layers, phases) if phase == "body"]
    # The last layer's data go round to the first one's, if the consumer stands before.
    join(body[-1][0], body[0][0], tokens=1)
    single = [it[0] for row in body for it in row if len(it[1]) == 1]
    until = chance.choice(single) if single and seed % 2 == 0 else None

iterations = f"iterations = {chance.randint(3, 6)}\n" if iterates else ""
if until:
    iterations += f'until = "{until}"\n'
# The file's order is that of the layers.
objects.sort(key=lambda it: int(it.split('"o')[1].split("_")[0]))
(directory / "system.toml").write_text(f"""format = 1
object = [
{''.join(objects)}]
edge = [
{''.join(edges)}]

[system]
name      = "dataflow_random"
board     = "iota9"
sources   = ["{HERE}/random.c"]
libraries = ["dataflow"]

[dataflow]
watch = "1s"
{iterations}""")
