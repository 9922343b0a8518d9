#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the I/O schedule of a description, as Figure 6 of the article on Single-Core Equivalence, and with --trace holds a run
against it: each job of a task of a transaction that runs outside its window is an error, as is one of a partition outside its windows.

    takt check SYSTEM --format json | bench/io/picture.py > docs/src/isolation/transactions.svg
    takt check SYSTEM --format json | bench/io/picture.py --trace TRACE.json > PICTURE.svg

TRACE.json is what `takt run SYSTEM --trace TRACE.json` writes."""

import argparse
import json
import math
import sys
from html import escape

WIDTH, LEFT, ROW, TOP = 960, 90, 34, 30
COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2"]


def instances(window, end):
    """The begins of a window before the end, from time 0: the first ones of late parts may carry no data yet."""
    begin = window["offset_ns"] % window["period_ns"]
    return range(begin, end, window["period_ns"])


def jobs(trace):
    """(name, core, begin, end) of each execution in a trace, in nanoseconds."""
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    for event in events:
        if event.get("ph") == "X":
            begin = round(event["ts"] * 1000)
            yield event["name"], event.get("tid"), begin, begin + round(event["dur"] * 1000)


def check(windows, executions):
    """Counts the executions of the windows' tasks that leave their windows."""
    tasks = {it["runs"]: it for it in windows if it["part"] != "window" and it["runs"]}
    seen = wrong = 0
    for name, _, begin, end in executions:
        window = tasks.get(name)
        if window is None:
            continue
        seen += 1
        into = (begin - window["offset_ns"]) % window["period_ns"]
        if into + end - begin > window["duration_ns"]:
            wrong += 1
            print(f"{name} ran from {begin} to {end} ns, outside its window", file=sys.stderr)
    return seen, wrong


def draw(document, executions):
    windows = document["io"]["windows"]
    end = math.lcm(*(it["period_ns"] for it in windows))
    rows = sorted({it["on"] for it in windows}, key=lambda on: (not on.startswith("core "), on))
    names = sorted({it["transaction"] for it in windows if it["transaction"]})
    height = TOP + ROW * len(rows) + 30
    x = lambda time: LEFT + time * (WIDTH - LEFT - 10) / end
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        lines.append(f'<rect x="{LEFT + 110 * number}" y="8" width="10" height="10" fill="{colour}"/>'
                     f'<text x="{LEFT + 110 * number + 14}" y="17">{escape(name)}</text>')
    for number, on in enumerate(rows):
        y = TOP + ROW * number
        lines.append(f'<text x="6" y="{y + 18}">{escape(on)}</text>'
                     f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y + 26}" y2="{y + 26}" stroke="#999"/>')
    for it in windows:
        colour = COLOURS[names.index(it["transaction"]) % len(COLOURS)] if it["transaction"] else "#bbb"
        y = TOP + ROW * rows.index(it["on"])
        label = escape(it["runs"] or it["part"])
        for begin in instances(it, end):
            title = f"<title>{label}: {begin / 1e6:g} ms, {it['duration_ns'] / 1e6:g} ms</title>"
            # What lies across the end goes on at the begin.
            for shift in (0, end):
                low, high = max(begin - shift, 0), min(begin - shift + it["duration_ns"], end)
                if low < high:
                    lines.append(f'<rect x="{x(low):.1f}" y="{y + 4}" width="{x(high) - x(low):.1f}" height="22" fill="{colour}" '
                                 f'stroke="white">{title}</rect>')
                    if x(high) - x(low) > 6 * len(label) + 4:
                        lines.append(f'<text x="{x(low) + 3:.1f}" y="{y + 19}" fill="white">{label}</text>')
    tasks = {it["runs"]: it for it in windows if it["runs"]}
    for name, _, begin, stop in executions:
        if name in tasks and stop < end:
            y = TOP + ROW * rows.index(tasks[name]["on"])
            lines.append(f'<rect x="{x(begin):.1f}" y="{y + 22}" width="{max(x(stop) - x(begin), 1):.1f}" height="4" fill="black"/>')
    step = 10 ** math.floor(math.log10(end / 4))
    for time in range(0, end + 1, step):
        lines.append(f'<text x="{x(time):.1f}" y="{height - 10}" text-anchor="middle">{time / 1e6:g} ms</text>')
    return "\n".join(lines + ["</svg>"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trace", help="the trace of a run, which is drawn into the windows and held against them")
    arguments = parser.parse_args()
    document = json.load(sys.stdin)
    if not document.get("io", {}).get("windows"):
        sys.exit("the description has no I/O schedule: takt check says why")
    executions = []
    if arguments.trace:
        with open(arguments.trace, encoding="utf-8") as file:
            executions = list(jobs(json.load(file)))
    print(draw(document, executions))
    if arguments.trace:
        seen, wrong = check(document["io"]["windows"], executions)
        print(f"{seen} executions in windows, {wrong} outside", file=sys.stderr)
        sys.exit(1 if wrong or not seen else 0)


if __name__ == "__main__":
    main()
