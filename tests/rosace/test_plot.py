#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Flies the climb on QEMU for a while and plots it: the picture has its lines, the same flight gives
the same bytes, and what is no flight is refused."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PLOT = ROOT / "bench" / "plot-flight.py"


def plot(text):
    """Exit code and picture."""
    with tempfile.TemporaryDirectory() as folder:
        console, picture = Path(folder, "console.txt"), Path(folder, "flight.svg")
        console.write_text(text)
        process = subprocess.run(["/usr/bin/python3", PLOT, console, picture], capture_output=True)
        return process.returncode, picture.read_bytes() if picture.exists() else b""


def check(name, holds):
    print(f"{'pass' if holds else 'FAIL'} rosace plot: {name}")
    return holds


def main():
    console = subprocess.run(
        [ROOT / "takt", "run", ROOT / "examples/rosace/system.toml", "--qemu", "--for", "10s"],
        capture_output=True, text=True, check=True, timeout=600).stdout
    code, picture = plot(console)
    results = [
        check("ends with 0", code == 0),
        check("is a picture of many lines", picture.count(b"<path") > 20),
        check("is the same every time", plot(console) == (code, picture)),
        check("no flight ends with 2", plot("nothing\n")[0] == 2),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
