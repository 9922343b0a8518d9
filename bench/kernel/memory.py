#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""memory.py GRANULARITY SPINLOCK DIRECTORY: bytes of the kernel, and of each core, task and object: what
an image of many has more than one of few, over the difference. Prints lines `WHAT,BYTES`.

Counted by symbols, so without the stacks, which are whole pages between unmapped ones."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
from generate import table, task  # noqa: E402

BASE, MANY, CORES = 8, 72, 32  # of each object; how many more; how many cores more
OBJECTS = {
    "semaphore": {},
    "flag": {},
    "data_queue": {"capacity": 1},
    "message_buffer": {"message": "16B", "size": "0B"},
    "memory_pool": {"blocks": 1, "size": "64B"},
    "mutex": {"protocol": "inherit"},
    "alarm": {"function": "nothing_handler", "core": 0},
}
NAMES = {"mutex": "mutex|mutexes", "alarm": "alarm|time_event|timers"}  # what of the generated tables is theirs


def description(granularity, spinlock, cores, parts):
    return f"""# SPDX-License-Identifier: Apache-2.0
format = 1

[system]
name    = "memory"
board   = "tile72"
cores   = {cores}
sources = ["{HERE}/memory.c"]

[kernel]
events      = 0
granularity = "{granularity}"
spinlock    = "{spinlock}"

{task("main", "main", 0, 20)}
""" + "\n".join(parts)


def objects(name, count):
    return [table(name, f"{name}_{i}", **OBJECTS[name]) for i in range(count)]


def image(folder, name, text):
    file = Path(folder, f"{name}.toml")
    file.write_text(text)
    output = subprocess.run([f"{ROOT}/target/release/takt", "build", file], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return next(word for word in output.split() if word.endswith("image.elf"))


def told(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()


def symbols(elf):
    """Bytes of each constant ("constants") and variable ("variables") that has a name."""
    sizes = Counter()
    for fields in map(str.split, told("riscv64-unknown-elf-nm", "--print-size", elf)):
        if len(fields) == 4 and fields[2] in "rRbBdDsS":
            sizes["constants" if fields[2] in "rR" else "variables", fields[3]] += int(fields[1], 16)
    return sizes


def kernel(elf):
    """Of the kernel, which is one object: the code of all services, without functions that are part of others
    everywhere; and its own variables. The description's tables are in it, too, under names of theirs."""
    whole = Path(elf).with_name("kernel.o")
    names = [line.split() for line in told("riscv64-unknown-elf-nm", "--print-size", whole)]
    roots = [part for fields in names if fields[-2] == "T" and fields[-1].startswith("takt_")
             for part in ("-u", fields[-1])]
    linked = whole.with_name("services.o")
    told("riscv64-unknown-elf-ld", "-r", "--gc-sections", "-e", "_start", *roots, whole, "-o", linked)
    code = [line.split()[1] for line in told("riscv64-unknown-elf-size", "-A", linked) if line.startswith(".text")]
    variables = Counter()
    for fields in names:
        if len(fields) == 4 and not re.match(r"takt_|core\d+|task_|queue_", fields[3]):
            variables[fields[2].lower()] += int(fields[1], 16)
    return sum(map(int, code)), variables["d"], variables["b"]


def main(granularity, spinlock, folder):
    Path(folder).mkdir(parents=True, exist_ok=True)

    def built(name, cores, parts):
        return image(folder, name, description(granularity, spinlock, cores, parts))

    few = [part for name in OBJECTS for part in objects(name, BASE)]
    base = built("base", 2, few)
    for name, size in zip(("code", "data", "zeroed"), kernel(base)):
        print(f"kernel_{name},{size}")
    before = symbols(base)

    def tell(what, elf, count, names=""):
        grown = symbols(elf)
        grown.subtract(before)
        for kind in ("constants", "variables"):
            size = sum(grown[key] for key in grown if key[0] == kind and re.search(names, key[1]))
            print(f"{what}_{kind},{size / count:g}")

    tell("core", built("core", 2 + CORES, few), CORES)
    tell("task", built("task", 2, few + [task(f"more_{i}", "more", 0, 30) for i in range(MANY)]), MANY)
    many = built("objects", 2, [part for name in OBJECTS for part in objects(name, BASE + MANY)])
    for name in OBJECTS:
        tell(name, many, MANY, NAMES.get(name, name))


if __name__ == "__main__":
    main(*sys.argv[1:])
