# SPDX-License-Identifier: Apache-2.0
"""Turns a description into what the host's stand-in for the kernel needs.

    generate.py SYSTEM DIR      writes DIR/takt/system_ids.h and DIR/tables.inc

It reads only what the flight uses: periodic tasks and single-writer buffers.
"""

import pathlib
import sys
import tomllib

NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def nanoseconds(text):
    digits = text.rstrip("nums")
    return int(digits) * NANOSECONDS[text[len(digits) :]]


def ids(kind, objects):
    rows = [f"    TAKT_{kind}_{each['name']} = {i}," for i, each in enumerate(objects, 1)]
    return "\n".join(["enum {", *rows, "};", ""])


def task_row(task):
    period = nanoseconds(task["period"])
    offset = nanoseconds(task.get("offset", "0ns"))
    deadline = nanoseconds(task.get("deadline", task["period"]))
    fields = (f'"{task["name"]}"', task["entry"], task.get("argument", 0), period, offset, deadline)
    return f"TASK({', '.join(map(str, fields))})"


def buffer_row(buffer):
    readers = " | ".join(f"1u << TAKT_TASK_{reader}" for reader in buffer["readers"])
    size = buffer["size"].removesuffix("B")
    return f'BUFFER("{buffer["name"]}", {size}, TAKT_TASK_{buffer["writer"]}, {readers})'


def main(system, directory):
    description = tomllib.loads(pathlib.Path(system).read_text())
    tasks, buffers = description["task"], description["buffer"]
    (directory / "takt").mkdir(parents=True, exist_ok=True)
    (directory / "takt/system_ids.h").write_text(ids("TASK", tasks) + ids("BUFFER", buffers))
    entries = [f"ENTRY({entry})" for entry in sorted({task["entry"] for task in tasks})]
    rows = entries + [task_row(each) for each in tasks] + [buffer_row(each) for each in buffers]
    (directory / "tables.inc").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
