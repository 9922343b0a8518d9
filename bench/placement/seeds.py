# SPDX-License-Identifier: Apache-2.0
"""Runs a system of bench/placement with many seeds, and joins the figures that its runs print."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build/bench-placement"
BOARDS = ["sara", "sara_soc"]
PLACEMENTS = ["distributed", "central", "semi", "rtu"]
FIGURES = re.compile(r"^(\w[\w ]*), (\d+) times: minimum (\d+), average (\d+), maximum (\d+) cycles$", re.MULTILINE)


def takt(*arguments):
    return subprocess.run([ROOT / "takt", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def figures(said):
    """The figures that a run has printed, by their names."""
    return {name: {"count": int(count), "minimum": int(least), "average": int(average), "maximum": int(most)}
            for name, count, least, average, most in FIGURES.findall(said)}


def measure(system, keys, count, seeds):
    """The figures of `keys` over the seeds 0 to `seeds` - 1, each of `count` measurements; ends if one is missing or 0."""
    def run(seed):
        ended = takt("run", system, "--seed", str(seed))
        rows = figures(ended.stdout)
        gaps = [key for key in keys if rows.get(key, {}).get("count") != count(key) or 0 in rows[key].values()]
        if ended.returncode != 0 or gaps:
            sys.exit(f"{system}, seed {seed}: no figures of {', '.join(gaps)}; takt run ended with {ended.returncode}:\n"
                     f"{ended.stdout}{ended.stderr}")
        return rows
    runs = [run(0)]  # builds the image
    with ThreadPoolExecutor(os.cpu_count()) as jobs:
        runs += jobs.map(run, range(1, seeds))
    return {key: {"count": sum(rows[key]["count"] for rows in runs),
                  "minimum": min(rows[key]["minimum"] for rows in runs),
                  "average": round(sum(rows[key]["average"] for rows in runs) / seeds),
                  "maximum": max(rows[key]["maximum"] for rows in runs)} for key in keys}
