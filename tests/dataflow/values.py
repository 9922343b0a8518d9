#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""values.py SEED DIRECTORY: a graph by chance on nine cores, in layers of at most one object a core, each of which mixes
what some objects of the layer before have made, whole blocks and single words; the first layer what the last one of the
iteration before has made. The expected end is computed here, so data that come late, early or torn are found."""

import random
import sys
from pathlib import Path

seed, directory = int(sys.argv[1]), Path(sys.argv[2])
chance = random.Random(seed)
words, iterations = chance.choice([1, 7, 16, 130, 300]), chance.randint(3, 6)
MASK = 0xffffffff
INPUTS = ["in0", "in1", "in2", "back"]
WORDS = ["word0", "word1"]

layers, inputs = [], {}
for layer in range(chance.randint(2, 4)):
    layers.append([(f"o{layer}_{core}", core) for core in sorted(chance.sample(range(9), chance.randint(2, 9)))])
layers.append([("end", 0)])
for before, layer in zip(layers, layers[1:]):
    for name, _ in layer:
        producers = chance.sample(before, min(len(before), chance.randint(1, 4)))
        blocks = producers[:chance.randint(1, 3)]
        inputs[name] = {port: it[0] for port, it in zip(INPUTS, blocks)}
        inputs[name] |= {port: it[0] for port, it in zip(WORDS, producers[len(blocks):])}
# What an object reads of the last layer's must not be of its own core: there nothing follows it.
for name, core in layers[0]:
    others = [it for it in layers[-2] if it[1] != core]
    inputs[name] = {"back": chance.choice(others)[0]} if others and chance.random() < 0.7 else {}
# Each object has an edge.
used = {it for ports in inputs.values() for it in ports.values()}
for layer, following in zip(layers, layers[1:]):
    layer[:] = [it for it in layer if it[0] in used or inputs[it[0]]]

objects, edges, place = "", "", {}
for layer in layers:
    for name, core in layer:
        number = len(place)
        place[name] = number | chance.choice([0, 0, 50, 400]) << 16  # the number, and turns of delay
        entry = "end" if name == "end" else "mix"
        objects += f'    {{ name = "{name}", entry = "{entry}", core = {core}, wcet = "500us", argument = {place[name]} }},\n'
for name in place:
    for port, producer in inputs[name].items():
        kind = 'kind = "word", size = "4B"' if port in WORDS else f'size = "{4 * words}B"'
        tokens = ", tokens = 1" if port == "back" else ""
        output = "first" if port in WORDS else "out"
        edges += f'    {{ from = "{producer}.{output}", to = "{name}.{port}", {kind}{tokens} }},\n'

made, total = {}, 0
for iteration in range(iterations):
    before = made
    made = {}
    for name, argument in place.items():
        value = [(argument * 2654435761 + word + 40503 * iteration) & MASK for word in range(words)]
        for port in INPUTS + WORDS:
            producer = inputs[name].get(port)
            if producer is None or port == "back" and iteration == 0:
                continue
            other = before[producer] if port == "back" else made[producer]
            value = [(one * 31 + other[0 if port in WORDS else word]) & MASK for word, one in enumerate(value)]
        made[name] = value
    for value in made["end"]:
        total = (total * 31 + value) & MASK



def folds(is_end):
    """The inputs of an entry, of which some are null in some objects."""
    ports = {port for name in place if (name == "end") == is_end for port in inputs[name]}
    text = ""
    for port in (it for it in INPUTS + WORDS if it in ports):
        value = f"dataflow_iteration() == 0 ? 0 : ports->{port}" if port == "back" else f"ports->{port}"
        text += f"    fold(value, {value}, {int(port not in WORDS)});\n"
    return text


def stores():
    text = ""
    for port in sorted({"first" if port in WORDS else "out" for ports in inputs.values() for port in ports}):
        size = "sizeof value" if port == "out" else "sizeof *value"
        text += f"    if (ports->{port} != 0) {{\n        memcpy(ports->{port}, value, {size});\n    }}\n"
    return text


ENTRIES = {"mix": stores(), "end": """    for (uint32_t word = 0; word < WORDS; word++) {
        total = total * 31 + value[word];
    }
"""}
(directory / "values.c").write_text(f"""/* Made by tests/dataflow/values.py {seed}. */
#include <string.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>

enum {{ WORDS = {words} }};
static const uint32_t expected = {total:#x};
static uint32_t total;

static void fold(uint32_t *value, const uint32_t *input, uint32_t step) {{
    for (uint32_t word = 0; input != 0 && word < WORDS; word++) {{
        value[word] = value[word] * 31 + input[step * word];
    }}
}}

#define MIX(ports, value)                                                                          \\
    do {{                                                                                           \\
        for (volatile uint32_t turn = ports->argument >> 16; turn != 0; turn--) {{                   \\
        }}                                                                                          \\
        for (uint32_t word = 0; word < WORDS; word++) {{                                            \\
            value[word] = ports->argument * 2654435761u + word + 40503 * dataflow_iteration();     \\
        }}                                                                                          \\
    }} while (0)

""""" + "".join(f"""void {entry}(const struct dataflow_{entry} *ports) {{
    uint32_t value[WORDS];
    MIX(ports, value);
{folds(entry == "end")}{rest}}}

""" for entry, rest in ENTRIES.items()) + """uint32_t values_check(void) {
    return total != expected;
}
""")
(directory / "system.toml").write_text(f"""format = 1

object = [
{objects}]
edge = [
{edges}]

[system]
name      = "dataflow_values"
board     = "iota9"
sources   = ["values.c"]
libraries = ["dataflow"]

[dataflow]
iterations = {iterations}
check      = "values_check"
""")
