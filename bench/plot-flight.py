#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots a flight of examples/rosace.

    takt run examples/rosace/system.toml --qemu | bench/plot-flight.py > flight.svg
    bench/plot-flight.py CONSOLE FLIGHT.svg

Needs Debian's python3-matplotlib. The same flight gives the same bytes.
"""

import io
import sys

try:
    import matplotlib
except ImportError:
    print("error: no matplotlib: install python3-matplotlib, use /usr/bin/python3", file=sys.stderr)
    sys.exit(3)

matplotlib.use("svg")
matplotlib.rcParams.update(
    {
        "svg.hashsalt": "polytakt",  # otherwise the names inside the file are random
        "svg.fonttype": "none",  # text stays text, which is small and searchable
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.formatter.useoffset": False,  # 10100, not 1e4 + 100
        "legend.frameon": False,
    }
)
from matplotlib import pyplot  # noqa: E402

MARK = "flight,"
MEASURED, COMMANDED = "#1f5f99", "#d1742f"
DEGREES = 57.29577951308232

# The panels: title and unit; the column; its command, if it has one; and a factor.
PANELS = [
    ("altitude (m)", "h", "h_c", 1.0),
    ("airspeed (m/s)", "va", "va_c", 1.0),
    ("vertical speed (m/s, downwards)", "vz", "vz_c", 1.0),
    ("pitch rate (degrees/s)", "q", None, DEGREES),
    ("thrust (kN)", "thrust", None, 1e-3),
    ("elevator (degrees)", "elevator", None, DEGREES),
]


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def read_flight(text):
    """The columns by name, out of all that the console printed."""
    lines = [line.strip() for line in text.splitlines() if line.startswith(MARK)]
    rows = [line[len(MARK) :].split(",") for line in lines]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        fail(f"error: no flight: the input has no whole table whose lines begin with `{MARK}`")
    return {title: [float(row[i]) for row in rows[1:]] for i, title in enumerate(rows[0])}


def draw(axes, flight, panel):
    title, column, command, factor = panel
    axes.set_title(title, loc="left", fontsize=10)
    if command and column != "vz":
        # A command of the pilot holds until the next one.
        axes.step(flight["t"], flight[command], COMMANDED, where="post", lw=1.2, label="commanded")
    elif command:
        axes.plot(flight["t"], flight[command], COMMANDED, lw=1.2, label="commanded")
    axes.plot(flight["t"], [factor * value for value in flight[column]], MEASURED, label="flown")
    if command:
        axes.legend(fontsize=8)


def plot(flight):
    figure, grid = pyplot.subplots(3, 2, sharex=True, figsize=(10, 8), layout="constrained")
    for axes, panel in zip(grid.flat, PANELS):
        draw(axes, flight, panel)
    for axes in grid[-1]:
        axes.set_xlabel("time (s)")
        axes.set_xlim(flight["t"][0], flight["t"][-1])
    picture = io.StringIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()


def main(arguments):
    if len(arguments) not in (0, 2):
        fail(__doc__)
    if not arguments:
        sys.stdout.write(plot(read_flight(sys.stdin.read())))
        return
    with open(arguments[0], encoding="utf-8") as console:
        picture = plot(read_flight(console.read()))
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(picture)


if __name__ == "__main__":
    main(sys.argv[1:])
