#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py SYSTEM KEY=WORD ... DIRECTORY: a system of tests/ with other locks. SYSTEM is its
description, relative to tests/, and has no table [kernel]."""

import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
source, keys, directory = TESTS / sys.argv[1], sys.argv[2:-1], Path(sys.argv[-1])


def absolute(match):
    """A list of paths, relative to the description."""
    paths = [str((source.parent / path).resolve()) for path in re.findall(r'"([^"]*)"', match[2])]
    return match[1] + "[" + ", ".join(f'"{path}"' for path in paths) + "]"


text = re.sub(r"^((?:sources|include)\s*=\s*)\[(.*?)\]", absolute, source.read_text(), flags=re.MULTILINE)
table = "".join("{} = \"{}\"\n".format(*key.split("=")) for key in keys)
text = text.replace("[run]\n", f"[kernel]\n{table}\n[run]\n", 1)
(directory / "system.toml").write_text(text)
