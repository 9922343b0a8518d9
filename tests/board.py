# SPDX-License-Identifier: Apache-2.0
"""Boards for generated tests: QEMU's machine with any number of cores, which the model can be too."""

from pathlib import Path

VIRT = Path(__file__).resolve().parent.parent / "boards" / "virt.toml"


def board(cores, memory="128MiB", load="0x80400000"):
    """boards/virt.toml with so many cores, on a mesh of so many places."""
    rows = 8 if cores % 8 == 0 else 1
    text = VIRT.read_text()
    for old, new in [
        ('name       = "virt"', 'name       = "generated"'),
        ("cores      = 4", f"cores      = {cores}"),
        ('load       = "0x80400000"', f'load       = "{load}"'),
        ('size = "128MiB"', f'size = "{memory}"'),
        ("columns        = 2", f"columns        = {cores // rows}"),
        ("rows           = 2", f"rows           = {rows}"),
    ]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text
