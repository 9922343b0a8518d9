# SPDX-License-Identifier: Apache-2.0
"""Builds a flight with the host's compiler and the stand-in for the kernel, and flies it."""

import pathlib
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FLAGS = "-std=gnu17 -O2 -Wall -Wextra -Werror -Wframe-larger-than=2048".split()
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def build(system, directory, flags=SANITIZERS):
    """`system` is a description with absolute paths. Returns the program."""
    generate = [sys.executable, HERE / "generate.py", system, directory]
    subprocess.run(generate, check=True)
    described = tomllib.loads(pathlib.Path(system).read_text())["system"]
    include = [f"-I{path}" for path in [directory, ROOT / "include", *described["include"]]]
    program = directory / "flight"
    sources = [*described["sources"], HERE / "kernel.c"]
    subprocess.run(["gcc", *FLAGS, *flags, *include, *sources, "-lm", "-o", program], check=True)
    return program


def fly(program, seed):
    """What the console showed. The run must end by the flight's own shutdown, with code 0."""
    done = subprocess.run(
        [program, str(seed)], check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout
