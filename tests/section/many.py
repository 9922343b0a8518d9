#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""many.py KIND DIRECTORY: a system in which one call has much to do, whose longest section with interrupts
disabled is measured: beside it, by an empty job or by a device's interrupt, on core 0.

KIND: message, messages (of eight cores), chain, cores, late, posts."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MESSAGE_CORES = {"message": 1, "messages": 8}
LINKS = 60
FLAG_CORES = 32
CYCLICS = 6
POSTERS, EACH = 8, 40


def task(name, entry, core, priority, *more):
    lines = [f'name = "{name}"', f'entry = "{entry}"', f"core = {core}", f"priority = {priority}", *more]
    return "[[task]]\n" + "\n".join(lines) + "\n"


def waits(name, entry, core, priority, *more):
    """An aperiodic task that may wait as often and long as it wants."""
    return task(name, entry, core, priority, 'suspends = "60s"', "suspensions = 65535", *more)


def watch(period):
    return task("watch", "watch_job", 0, 1, f'period = "{period}"', 'wcet = "2us"')


def message(kind):
    cores = MESSAGE_CORES[kind]
    parts = ['[[message_buffer]]\nname = "box"\nmessage = "4KiB"\nsize = "9KiB"\n', watch("203us" if cores == 1 else "703us")]
    parts += [waits(f"sender_{core}", "sender_job", core, 20, f"argument = {core}") for core in range(cores)]
    parts += [waits(f"receiver_{core}", "receiver_job", core, 21, f"argument = {core}") for core in range(cores)]
    parts += [waits("main", "main_job", 0, 10, "start = true")]
    return cores, "messages.c", {"CORES": cores}, parts


def chain(kind):
    parts = [f'[[mutex]]\nname = "link_{i}"\nprotocol = "inherit"\n' for i in range(1, LINKS + 1)]
    parts.append(watch("907us"))
    def uses(*links):
        inside = lambda n: f', inside = ["link_{links[n - 1]}"]' if n else ""
        each = [f'{{ mutex = "link_{link}", hold = "1s", times = 1000{inside(n)} }}' for n, link in enumerate(links) if link]
        return "uses = [" + ", ".join(each) + "]"

    parts += [waits(f"link_{i}", "link_job", 0, 30, f"argument = {i}", 'stack = "2KiB"', uses(i, i - 1))
              for i in range(1, LINKS + 1)]
    parts.append(waits("caller", "caller_job", 0, 5, uses(LINKS)))
    parts.append(waits("main", "main_job", 0, 40, "start = true"))
    return 1, "chain.c", {"LINKS": LINKS}, parts


def cores(kind):
    parts = ['[[flag]]\nname = "go"\nshared = true\nclear = false\n', watch("203us")]
    parts += [waits(f"waiter_{core}", "waiter_job", core, 20, f"argument = {core}", "start = true")
              for core in range(1, FLAG_CORES)]
    parts.append(waits("main", "main_job", 0, 20, "start = true"))
    return FLAG_CORES, "cores.c", {"CORES": FLAG_CORES}, parts


DEVICE = '[[interrupt]]\nname = "device"\ndevice = "/soc/dma@10200000"\nentry = "on_device"\npriority = 1\ncore = 0\n'


def late(kind):
    parts = [DEVICE]
    parts += [f'[[cyclic]]\nname = "late_{i}"\nfunction = "called"\ncore = 0\nperiod = "50us"\nwcet = "1us"\nstart = true\n'
              for i in range(CYCLICS)]
    parts += [task("locker", "locker_job", 0, 10), waits("main", "main_job", 1, 10, "start = true")]
    # One call of each handler, and entering and leaving the interrupt.
    return 2, "device.c", {"CYCLICS": CYCLICS, "QUICK": 6000}, parts


def posts(kind):
    parts = [DEVICE]
    parts += [task(f"crowd_{i}", "crowd_job", 0, 20, 'stack = "1KiB"') for i in range(POSTERS * EACH)]
    parts += [task(f"poster_{i}", "poster_job", i + 2, 20, f"argument = {i}", "start = true") for i in range(POSTERS)]
    parts.append(waits("main", "main_job", 1, 10, "start = true"))
    return POSTERS + 2, "device.c", {"POSTERS": POSTERS, "EACH": EACH, "QUICK": 5000}, parts


KINDS = {"message": message, "messages": message, "chain": chain, "cores": cores, "late": late, "posts": posts}
kind, directory = sys.argv[1], Path(sys.argv[2])
count, source, defines, parts = KINDS[kind](kind)
board = "virt" if count <= 4 else "virt64"
(directory / "system.toml").write_text(f"""format = 1
[system]
name = "section_{kind}"
board = "{board}"
cores = {count}
sources = ["{HERE}/{source}"]
include = ["{HERE.parent}", "."]
[run]
for = "60s"
{"".join(parts)}""")
defines = {f"KIND_{kind}": 1, **defines}
(directory / "kind.h").write_text("".join(f"#define {name} {value}\n" for name, value in defines.items()))
