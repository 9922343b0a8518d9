# SPDX-License-Identifier: Apache-2.0
"""Makes the description of another flight from the example's, outside its directory."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/rosace"


def replaced(text, pattern, by):
    """Exactly one place changes, or the example is no longer what the tests think."""
    text, count = re.subn(pattern, by, text, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"{EXAMPLE}/system.toml: {count} places match {pattern}, not one")
    return text


def variant(flight, recorder_period, example=EXAMPLE):
    """system.toml with another table, another period of the recorder, and absolute paths."""
    text = (example / "system.toml").read_text()
    text = replaced(text, r'"flights/climb\.c"', f'"flights/{flight}.c"')
    text = replaced(text, r'^period   = "500ms"', f'period   = "{recorder_period}"')
    text = replaced(text, r'^include = \["\."\]', f'include = ["{example}"]')
    text = replaced(text, r'^name    = "rosace"', f'name    = "rosace_{flight}"')
    text = replaced(text, r'^for = "130s"', 'for = "610s"')
    head, sources, rest = re.split(r"^(sources = \[.*?\])", text, flags=re.MULTILINE | re.DOTALL)
    return head + re.sub(r'"([^"]+\.c)"', rf'"{example}/\1"', sources) + rest
