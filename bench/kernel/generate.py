#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py PROGRAM BOARD CORES GRANULARITY SPINLOCK BACKOFF [HOMING] DIRECTORY: the description of a
measurement: `main` on core 0, and what the program needs beside it."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INSIDE = [f"{ROOT}/kernel", f"{ROOT}/arch/riscv64"]  # for the program that is about a part of the kernel


def table(kind, name, **keys):
    """[[kind]] with its keys; an entry is `name` without its number."""
    def value(key):
        return str(key).lower() if isinstance(key, (bool, int)) else key if key[0] == "[" else f'"{key}"'
    lines = [f'name = "{name}"', *(f"{key} = {value(keys[key])}" for key in keys)]
    return f"[[{kind}]]\n" + "\n".join(lines) + "\n"


def task(name, entry, core, priority, argument=0, start=True, **keys):
    return table("task", name, entry=f"{entry}_job", argument=argument, core=core, priority=priority,
                 start=start, suspends="1s", **keys)


def semaphores(cores):
    return [table("semaphore", f"{name}_{core}", core=core) for name in ("go", "own") for core in range(cores)]


def workers(cores):
    """One a core, with a semaphore of its own to start it and one to work with."""
    return [*semaphores(cores),
            *(task(f"worker_{core}", "worker", core, 10, argument=core) for core in range(cores))]


def switches(cores):
    return [*semaphores(cores),
            *(task(f"partner_{core}", "partner", core, 9, argument=core) for core in range(cores)),
            table("task", "timed", entry="timed_job", period="1ms", wcet="100us", core=0, priority=5)]


def services(_cores):
    parts = [*semaphores(2), table("flag", "flag", clear=True), table("data_queue", "queue", capacity=4),
             table("message_buffer", "messages", message="16B", size="128B"),
             table("memory_pool", "pool", blocks=1, size="64B"),
             *(table("mutex", protocol, protocol=protocol) for protocol in ("ceiling", "inherit", "msrp"))]
    for core, name in enumerate(("near", "far")):
        parts += [
            table("alarm", name, function="nothing_handler", core=core),
            table("cyclic", name, function="nothing_handler", core=core, period="1s", wcet="5us"),
            task(f"low_{core}", "low", core, 30),
            task(f"partner_{core}", "partner", core, 9, argument=core, start=False),
            task(f"activated_{core}", "activated", core, 9, start=False),
            task(f"rival_{core}", "rival", core, 9, argument=core, start=False,
                 uses='[{ mutex = "%s" }]' % ("msrp" if core else "inherit"))]
    return parts


def thread_metric(_cores):
    return [table("semaphore", "semaphore", initial=1), table("data_queue", "queue", capacity=10),
            table("message_buffer", "messages", message="16B", size="256B"),
            table("memory_pool", "pool", blocks=2, size="128B"), table("semaphore", "event"),
            table("alarm", "interrupt", function="interrupt_handler", core=0),
            table("interrupt", "uart", device="/soc/serial@10000000", entry="on_uart", core=0, priority=1),
            *(task(f"equal_{i}", "equal", 0, 30, argument=i, start=False) for i in range(5)),
            *(task(f"rising_{i}", "rising", 0, 40 - i, argument=i, start=False) for i in range(5)),
            *(task(f"{name}_{i}", name, 0, 30, argument=i, start=False)
              for name in ("interrupt", "preempted") for i in range(2)),
            *(task(name, name, 0, 30, start=False) for name in ("word", "message", "synchronisation", "memory")),
            task("handled", "handled", 0, 29, start=False)]


def broadcast(cores):
    return [table("flag", "all", shared=True),
            *(task(f"listener_{core}", "listener", core, 10, argument=core) for core in range(cores))]


PARTS = {"switches": switches, "services": services, "thread_metric": thread_metric, "broadcast": broadcast}
MUTEXES = 'uses = [{ mutex = "ceiling" }, { mutex = "inherit" }, { mutex = "msrp" }]\n'


def description(program, board, cores, granularity, spinlock, backoff, homing="none"):
    include = ", ".join(f'"{folder}"' for folder in [HERE, *(INSIDE if program == "spinlock" else [])])
    return f"""# SPDX-License-Identifier: Apache-2.0
format = 1

[system]
name    = "{program}"
board   = "{board}"
cores   = {cores}
sources = ["{HERE}/{program}.c"]
include = [{include}]

[run]
for = "10s"

[kernel]
events      = 0
granularity = "{granularity}"
spinlock    = "{spinlock}"
backoff     = "{backoff}"
homing      = "{homing}"

{task("main", "main", 0, 20, argument=cores)}{MUTEXES if program == "services" else ""}
""" + "\n".join(PARTS.get(program, workers)(cores))


if __name__ == "__main__":
    *choice, directory = sys.argv[1:]
    Path(directory).mkdir(parents=True, exist_ok=True)
    Path(directory, "system.toml").write_text(description(choice[0], choice[1], int(choice[2]), *choice[3:]))
