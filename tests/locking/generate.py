#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py SYSTEM KEY=WORD ... DIRECTORY: a system of tests/ with other locks, or a shorter one. SYSTEM is its
description, relative to tests/, and has no table [kernel]. A KEY in capitals is a macro of its one source;
`period` is that of each of its handlers; all others stand in [kernel]."""

import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
source, directory = TESTS / sys.argv[1], Path(sys.argv[-1])
keys = dict(key.split("=") for key in sys.argv[2:-1])
macros = {key: keys.pop(key) for key in list(keys) if key.isupper()}
period = keys.pop("period", None)


def absolute(match):
    """A list of paths, relative to the description."""
    paths = [str((source.parent / path).resolve()) for path in re.findall(r'"([^"]*)"', match[2])]
    return match[1] + "[" + ", ".join(f'"{path}"' for path in paths) + "]"


text = re.sub(r"^((?:sources|include)\s*=\s*)\[(.*?)\]", absolute, source.read_text(), flags=re.MULTILINE)
if macros:
    (file,) = re.findall(r'^sources = \["(.*)"\]$', text, flags=re.MULTILINE)
    lines = [f"#define {name} {value}" for name, value in macros.items()]
    (directory / "main.c").write_text("\n".join([*lines, f'#include "{file}"', ""]))
    text = text.replace(f'"{file}"', '"main.c"', 1)
if period:
    text = re.sub(r'^period\s*=.*$', f'period = "{period}"', text, flags=re.MULTILINE)
table = "".join(f'{key} = "{word}"\n' for key, word in keys.items())
text = text.replace("[run]\n", f"[kernel]\n{table}\n[run]\n", 1)
(directory / "system.toml").write_text(text)
