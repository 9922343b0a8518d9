#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an on-target test for another placement of the kernel.

    placed.py PLACEMENT SYSTEM [NAME=NUMBER ...] DIRECTORY

The sources are SYSTEM's with the definition COMMON: they leave out what `distributed` alone has. So
are tasks with a period or a separation, but with the definition PERIODS. EVENTS=NUMBER is no definition, but the events
that each core records. `rtu` needs a board that has one: sara."""

import re
import sys
import tomllib
from pathlib import Path

TESTS = Path(__file__).resolve().parent
HEAD = re.compile(r"^(sources|include|cores)\s*=.*\n", re.MULTILINE)
TIMED = re.compile(r"^(period|separation)\s*=", re.MULTILINE)


def placed(placement, path, defines):
    """Returns the description and the source."""
    text = path.read_text()
    events = "".join(f"events = {it.split('=')[1]}\n" for it in defines if it.startswith("EVENTS="))
    defines = [it for it in defines if not it.startswith("EVENTS=")]
    system = tomllib.loads(text)["system"]
    (source,) = system["sources"]
    cores = system.get("cores", 4)
    head, *tables = re.split(r"^(?=\[)", HEAD.sub("", text), flags=re.MULTILINE)
    if "PERIODS" not in defines:
        tables = [table for table in tables if not TIMED.search(table)]
    if placement == "rtu":
        head, tables = (re.sub(r'^board(\s*)=.*$', r'board\1= "sara"', it, flags=re.MULTILINE)
                        for it in (head, "".join(tables)))
        tables = [tables]
    text = head + "".join(tables).replace(
        "[system]\n",
        f'[system]\nsources = ["main.c"]\ninclude = ["{path.parents[1]}"]\ncores   = {cores}\n', 1)
    if "[kernel]" in text:
        text, found = re.subn(r'^placement(\s*)=.*$', rf'placement\1= "{placement}"\n{events.strip()}', text, flags=re.MULTILINE)
        if found != 1:
            raise ValueError(f"{path} has a [kernel] table without a placement: add it there")
    else:
        text += f'\n[kernel]\nplacement = "{placement}"\n{events}'
    lines = ["#define COMMON"] + ["#define " + it.replace("=", " ") for it in defines]
    return text, "\n".join(lines) + f'\n#include "{path.parent / source}"\n'


def main():
    placement, system, *defines, directory = sys.argv[1:]
    text, source = placed(placement, TESTS / system, defines)
    Path(directory, "system.toml").write_text(text)
    Path(directory, "main.c").write_text(source)


if __name__ == "__main__":
    main()
