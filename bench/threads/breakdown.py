#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a program with threads goes: the busy time of all cores together, parted into work, synchronisation,
files and heap, from the profiles that `takt run --profile` writes.

    breakdown.py IMAGE PROFILE     prints the parts in milliseconds on a board of 1 GHz

A sample counts for the innermost function that belongs to one: files are libraries/ramfs and the C library's streams, the heap
is libraries/heap, synchronisation is libraries/posix and the kernel, but for the kernel's idle time, which is apart, and the
functions of the examples that wait or hand on (SYNCHRONISATION), as far as the compiler has not inlined them. All else is work; what the function `main` itself does, with what
the compiler has inlined there, such as making the input, is apart."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

PERIOD = 10_007e-6  # milliseconds between two samples, at 1 GHz
SYNCHRONISATION = {"meet", "put", "take", "finish"}
FOLDERS = (("/libraries/ramfs/", "files"), ("tinystdio", "files"), ("/libraries/heap/", "heap"), ("/libraries/posix/", "sync"),
           ("/kernel/", "sync"), ("/arch/", "sync"), ("/drivers/", "sync"))
ROOTS = {"program_run", "takt_posix_thread", "job_main", "takt_task_exit"}  # below every stack of a thread
LINE = re.compile(r"^core (\d+);(.*) (\d+)$")


def parts_of_functions(image):
    """The part to which each function of an image belongs; those of the application and bare ones have none."""
    symbols = subprocess.run(["riscv64-unknown-elf-nm", image], check=True, text=True, stdout=subprocess.PIPE).stdout
    functions = [(name, address) for address, kind, name in (line.split() for line in symbols.splitlines() if len(line.split()) == 3)
                 if kind in "tTwW"]
    asked = "\n".join(address for _, address in functions)
    files = subprocess.run(["riscv64-unknown-elf-addr2line", "-e", image], input=asked, check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return {name: part for (name, _), file in zip(functions, files) if name not in ROOTS
            for part in [next((part for folder, part in FOLDERS if folder in file), None)] if part}


def breakdown(image, profile):
    """Milliseconds of all cores together, by part."""
    parts, of = Counter(), parts_of_functions(image)
    for line in Path(profile).read_text().splitlines():
        stack, count = LINE.match(line)[2].split(";"), int(LINE.match(line)[3])
        if stack == ["(idle)"]:
            part = "idle"
        elif stack[-1] == "main":
            part = "main"
        else:
            part = next((it for it in ("sync" if name in SYNCHRONISATION else of.get(name) for name in reversed(stack)) if it),
                        "work")
        parts[part] += count * PERIOD
    return {name: round(parts[name], 3) for name in ("work", "sync", "files", "heap", "main", "idle")}


def main():
    if len(sys.argv) != 3:
        sys.exit("breakdown.py IMAGE PROFILE")
    print(" ".join(f"{name} {value:.1f} ms" for name, value in breakdown(*sys.argv[1:]).items()))


if __name__ == "__main__":
    main()
