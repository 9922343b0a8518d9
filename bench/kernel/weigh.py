#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""weigh.py IMAGE.elf: what each part of the kernel adds to an image's code, in bytes. An instruction belongs to the
file in which it was written, wherever it was inlined. Needs the image's debug information."""

import re
import subprocess
import sys

TOOLS = "riscv64-unknown-elf-"
# The parts, and patterns of their files; the first that matches counts.
PARTS = {
    "the boot: device tree, page tables, start of cores and memory": (
        r"drivers/devicetree|riscv64/(boot|machine|page_table|sbi|arch\.c)|kernel/start|string/|machine/riscv/"),
    "the console": r"kernel/console|drivers/uart",
    "panics and backtraces": r"riscv64/backtrace",
    "the record": r"kernel/record",
    "checks: rights and limits of tasks, budgets and deadlines": r"kernel/task/(rights|watch|overrun)|kernel/service\.h",
    "registers and traps": r"riscv64/(context\.S|trap|arch\.h|interrupts|csr)|save-restore|kernel/entry|kernel/interrupt",
    "time: clock, timers, cyclic handlers and alarms": r"kernel/time",
    "tasks, scheduling, objects, calls of other cores": r"kernel/|include/takt",
    "the application": r"",
}


def run(tool, *arguments, **options):
    return subprocess.run([TOOLS + tool, *arguments], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def instructions(image):
    """Address and size of each."""
    lines = (re.match(r"([0-9a-f]+):\t([0-9a-f ]+)\t", line) for line in run("objdump", "-d", image).splitlines())
    return {int(line[1], 16): len(line[2].replace(" ", "")) // 2 for line in lines if line}


def files(image, addresses):
    """The file of the innermost function at each address."""
    question = "\n".join(map(hex, addresses))
    lines = run("addr2line", "-a", "-f", "-i", "-e", image, input=question).splitlines()
    return {int(line, 16): lines[at + 2].split(":")[0] for at, line in enumerate(lines) if line.startswith("0x")}


def main(image):
    sizes = instructions(image)
    weights = dict.fromkeys(PARTS, 0)
    for address, file in files(image, sizes).items():
        weights[next(part for part in PARTS if re.search(PARTS[part], file))] += sizes[address]
    for part, weight in weights.items():
        print(f"{weight:6}  {part}")
    print(f"{sum(weights.values()):6}  together")


if __name__ == "__main__":
    main(*sys.argv[1:])
