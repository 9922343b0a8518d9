#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""rtos1.py SYSTEM DIRECTORY, or rtos1.py SCRIPT ARGUMENT... DIRECTORY: the same graph, or the one that a script generates, with
`runtime = "rtos1"`. SYSTEM and SCRIPT are paths from the root of the tree."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
source, *arguments, directory = sys.argv[1:]
source, directory = ROOT / source, Path(directory)

if source.suffix == ".py":
    subprocess.run([sys.executable, source, *arguments, directory], check=True)
    source = directory / "system.toml"
text = re.sub(r'(?m)^(sources *= \[")(?!/)', rf"\1{source.parent}/", source.read_text())
text, tables = re.subn(r"(?m)^\[dataflow\]\n", '[dataflow]\nruntime = "rtos1"\n', text)
assert tables == 1, f"{source} has no table [dataflow]"
(directory / "system.toml").write_text(text)
