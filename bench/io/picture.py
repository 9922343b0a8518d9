#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the I/O schedule of a description, as Figure 6 of the article on Single-Core Equivalence, and holds a run against it: each
execution of a task of a transaction, or of a partition with windows in the schedule, must lie in a window of it.

    takt check SYSTEM --format json | bench/io/picture.py SYSTEM > PICTURE.svg
    takt run SYSTEM --trace TRACE.json
    takt check SYSTEM --format json | bench/io/picture.py SYSTEM --trace TRACE.json > docs/src/isolation/transactions.svg

Exit status 1: an execution was outside, or none was found."""

import argparse
import json
import math
import sys
import tomllib
from html import escape

WIDTH, LEFT, ROW, TOP = 960, 90, 34, 30
LATE = 10_000  # ns that a window may close late; takt run judges that more closely
COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2"]


def instances(window, end):
    """The begins of a window before the end, from time 0: the first ones of late parts may carry no data yet."""
    begin = window["offset_ns"] % window["period_ns"]
    return range(begin, end, window["period_ns"])


def executions_of(trace):
    """(task, begin, end) of each execution in a trace, in nanoseconds."""
    open_ones = {}
    for event in trace["traceEvents"]:
        stack = open_ones.setdefault(event.get("tid"), [])
        if event["ph"] == "B":
            stack.append((event["name"], round(event["ts"] * 1000)))
        elif event["ph"] == "E" and stack:
            name, begin = stack.pop()
            yield name, begin, round(event["ts"] * 1000)


def windows_of(system, windows):
    """The windows in which each task may run, by its name: its own, or all of its partition on its core."""
    found = {}
    for task in system["task"]:
        core = f"core {task.get('core')}"
        runs = {task["name"], task.get("partition")}
        own = [it for it in windows if it["on"] == core and it["runs"] in runs]
        if own:
            found[task["name"]] = own
    return found


def check(windows_by_task, executions):
    """Counts the executions, and those outside all windows of their tasks."""
    seen = wrong = 0
    for name, begin, end in executions:
        if name not in windows_by_task:
            continue
        seen += 1
        inside = lambda it: (begin - it["offset_ns"]) % it["period_ns"] + end - begin <= it["duration_ns"] + LATE
        if not any(map(inside, windows_by_task[name])):
            wrong += 1
            print(f"{name} ran from {begin} to {end} ns, outside its windows", file=sys.stderr)
    return seen, wrong


def draw(document, windows_by_task, executions):
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
    # What ran in the second repetition, when each part has data.
    for name, begin, stop in executions:
        if name in windows_by_task and end <= begin and stop <= 2 * end:
            y = TOP + ROW * rows.index(windows_by_task[name][0]["on"])
            left, right = x(begin - end), x(stop - end)
            lines.append(f'<rect x="{left:.1f}" y="{y + 18}" width="{max(right - left, 1):.1f}" height="8" fill="black">'
                         f'<title>{escape(name)}</title></rect>')
    step = 10 ** math.floor(math.log10(end / 4))
    for time in range(0, end + 1, step):
        lines.append(f'<text x="{x(time):.1f}" y="{height - 10}" text-anchor="middle">{time / 1e6:g} ms</text>')
    return "\n".join(lines + ["</svg>"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", help="the description")
    parser.add_argument("--trace", help="the trace of a run, which is drawn into the windows and held against them")
    arguments = parser.parse_args()
    document = json.load(sys.stdin)
    if not document.get("io", {}).get("windows"):
        sys.exit("the description has no I/O schedule: takt check says why")
    executions = []
    if arguments.trace:
        with open(arguments.trace, encoding="utf-8") as file:
            executions = list(executions_of(json.load(file)))
    with open(arguments.system, "rb") as file:
        windows_by_task = windows_of(tomllib.load(file), document["io"]["windows"])
    print(draw(document, windows_by_task, executions))
    if arguments.trace:
        seen, wrong = check(windows_by_task, executions)
        print(f"{seen} executions in windows, {wrong} outside", file=sys.stderr)
        sys.exit(1 if wrong or not seen else 0)


if __name__ == "__main__":
    main()
