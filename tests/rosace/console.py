# SPDX-License-Identifier: Apache-2.0
"""Finds the flight in what a console printed."""

MARK = "flight,"


class NoFlight(Exception):
    pass


def flight_of(text):
    """The samples, each a dictionary from column to number."""
    lines = [line.strip() for line in text.splitlines() if line.startswith(MARK)]
    rows = [line.removeprefix(MARK).split(",") for line in lines]
    if len(rows) < 2:
        raise NoFlight(f"the console shows no flight: no two lines begin with `{MARK}`")
    title, samples = rows[0], []
    for row in rows[1:]:
        if len(row) != len(title):
            raise NoFlight(f"{len(row)} values under {len(title)} titles: {','.join(row)}")
        try:
            samples.append(dict(zip(title, map(float, row))))
        except ValueError as error:
            raise NoFlight(f"not a number in {','.join(row)}: {error}") from error
    return samples
