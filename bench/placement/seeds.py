# SPDX-License-Identifier: Apache-2.0
"""Runs a system of bench/placement with many seeds, and joins the figures that its runs print."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build/bench-placement"
BOARDS = ["sara", "sara_soc"]
PLACEMENTS = ["distributed", "central", "semi", "rtu"]
FIGURES = re.compile(r"^(\w[\w ]*), (\d+) times: minimum (\d+), average (\d+), maximum (\d+) cycles$", re.MULTILINE)


def figures(said):
    """The figures that a run has printed, by their names."""
    return {name: {"count": int(count), "minimum": int(least), "average": int(average), "maximum": int(most)}
            for name, count, least, average, most in FIGURES.findall(said)}


def consoles(system, seeds):
    """What a system prints with the seeds 0 to `seeds` - 1; ends if a run fails."""
    folder = system.with_suffix("")
    shutil.rmtree(folder, ignore_errors=True)
    several = ["--consoles", folder] if seeds > 1 else []
    ended = subprocess.run([ROOT / "takt", "run", system, "--seed", f"0..{seeds - 1}" if seeds > 1 else "0", *several],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"{system}: takt run ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return [(folder / f"{seed}.txt").read_text() for seed in range(seeds)] if several else [ended.stdout]


def measure(system, keys, count, seeds):
    """The figures of `keys` over the seeds, each of `count` measurements; ends if one is missing or 0."""
    runs = [figures(said) for said in consoles(system, seeds)]
    for seed, rows in enumerate(runs):
        gaps = [key for key in keys if rows.get(key, {}).get("count") != count(key) or 0 in rows[key].values()]
        if gaps:
            sys.exit(f"{system}, seed {seed}: no figures of {', '.join(gaps)}")
    return {key: {"count": sum(rows[key]["count"] for rows in runs),
                  "minimum": min(rows[key]["minimum"] for rows in runs),
                  "average": round(sum(rows[key]["average"] for rows in runs) / seeds),
                  "maximum": max(rows[key]["maximum"] for rows in runs)} for key in keys}
