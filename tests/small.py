# SPDX-License-Identifier: Apache-2.0
"""Small systems of the on-target tests, so short that a run takes a fraction of a second of the host's:
what tests/seeds and tests/planted run again and again."""

import re
import tomllib
from pathlib import Path

from placed import placed

ROOT = Path(__file__).resolve().parent.parent

# How long a test waits for others before it gives up.
SHORT, LONG = "(60 * TAKT_MILLISECOND)", "(300 * TAKT_MILLISECOND)"

# Each system by its name: the description that it is made from, the definitions that shorten it, and the placement of the
# kernel, if it is another one than `distributed`.
SYSTEMS = {
    "semaphore_race": ("semaphore/race.toml", {"ROUNDS": 40, "ENOUGH": 1}),
    "semaphore_storm": ("semaphore/storm.toml", {"TURNS": 40}),
    "control_storm": ("control/storm.toml", {"STIRS": 20, "ENOUGH": 1}),
    "migrate_storm": ("migrate/storm.toml", {"STIRS": 20, "ENOUGH": 1}),
    "data_queue_storm": ("data_queue/storm.toml", {"WORDS": 40}),
    "order": ("order/system.toml", {"TURNS": 30, "READS": 50, "JOBS": 40}),
    "mutex_storm": ("mutex/storm.toml", {}),
    "time_event_storm": ("time_event/storm.toml", {}),
    "flag": ("flag/system.toml", {}),
    "message_buffer": ("message_buffer/system.toml", {"PATIENCE": LONG}),  # one of its own timeouts is 100 ms
    "memory_pool": ("memory_pool/system.toml", {}),
    "barrier_storm": ("barrier/storm.toml", {"ROUNDS": 40}),
    "reader_writer_lock_storm": ("reader_writer_lock/storm.toml", {"ROUNDS": 20}),
    "spin_lock_storm": ("spin_lock/storm.toml", {"ROUNDS": 40}),
    "channel_storm": ("channel/storm.toml", {"MESSAGES": 30}),
    "channel_raise": ("channel/raise.toml", {"PATIENCE": LONG}),
    "channel_raise_storm": ("channel/raise_storm.toml", {"MESSAGES": 20}),
    "priority_data_queue_storm": ("priority_data_queue/storm.toml", {"WORDS": 40}),
    "openmp_critical": ("openmp/critical.toml", {}),
    "posix_protocol": ("posix/protocol.toml", {}),
    "semi_semaphore_race": ("semaphore/race.toml", {"ROUNDS": 40, "ENOUGH": 1}, "semi"),
    "semi_semaphore_storm": ("semaphore/storm.toml", {"TURNS": 40}, "semi"),
    "semi_priority_data_queue_storm": ("priority_data_queue/storm.toml", {"WORDS": 20, "TIMEOUTS": 16384}, "semi"),
    "semi_placement": ("placement/system.toml", {"TURNS": 10}, "semi"),
    "semi_channel_raise": ("channel/raise.toml", {}, "semi"),
    "semi_channel_raise_storm": ("channel/raise_storm.toml", {"MESSAGES": 10}, "semi"),
    "central_semaphore_race": ("semaphore/race.toml", {"ROUNDS": 40, "ENOUGH": 1}, "central"),
    "central_semaphore_storm": ("semaphore/storm.toml", {"TURNS": 40}, "central"),
    "central_priority_data_queue_storm": ("priority_data_queue/storm.toml", {"WORDS": 20, "TIMEOUTS": 16384}, "central"),
    "central_placement": ("placement/system.toml", {"TURNS": 10}, "central"),
    "central_channel_raise": ("channel/raise.toml", {}, "central"),
    "central_channel_raise_storm": ("channel/raise_storm.toml", {"MESSAGES": 10}, "central"),
    "rtu_semaphore_race": ("semaphore/race.toml", {"ROUNDS": 40, "ENOUGH": 1}, "rtu"),
    "rtu_semaphore_storm": ("semaphore/storm.toml", {"TURNS": 40}, "rtu"),
    "rtu_priority_data_queue_storm": ("priority_data_queue/storm.toml", {"WORDS": 20, "TIMEOUTS": 16384}, "rtu"),
    "rtu_placement": ("placement/system.toml", {"TURNS": 10}, "rtu"),
    "rtu_channel_raise": ("channel/raise.toml", {}, "rtu"),
    "rtu_channel_raise_storm": ("channel/raise_storm.toml", {"MESSAGES": 10}, "rtu"),
}


def limit(name):
    """Returns the limits of a run: one without an end is given up soon. Where no events say that main waits for ever, the
    run must not end before it is given up."""
    _, defines, *placement = SYSTEMS[name]
    if placement:
        return ["--for", "1s", "--budget", "500ms"]
    return ["--for", "400ms", "--budget", "500ms"] if defines.get("PATIENCE") == LONG else ["--for", "80ms", "--budget", "100ms"]


HEAD = re.compile(r'^sources\s*=.*$|^include\s*=.*$', re.MULTILINE)


def write(name, directory, root=ROOT):
    """Writes the system into a directory, with the sources of the tree `root`; returns its path."""
    source, defines, *placement = SYSTEMS[name]
    original = root / "tests" / source
    defines = {"PATIENCE": LONG if placement else SHORT} | defines
    if placement:
        defines["EVENTS"] = 1024
        text, lines = placed(*placement, original, [f"{key}={value}" for key, value in defines.items()])
    else:
        text, lines = observed(original, defines, root)
    directory.mkdir(parents=True, exist_ok=True)
    changed(directory / "main.c", lines)
    changed(directory / "system.toml", text)
    return directory / "system.toml"


def observed(original, defines, root):
    """Returns the description with events, and the source."""
    text = original.read_text()
    system = tomllib.loads(text)["system"]
    (main,) = system["sources"]
    text = HEAD.sub("", text).replace(
        "[system]\n", f'[system]\nsources = ["main.c"]\ninclude = ["{root}/tests"]\n', 1)
    if "[kernel]" in text:
        raise ValueError(f"{original} has a [kernel] table: add the events there")
    text += "\n[kernel]\nevents = 1024\n"
    lines = [f"#define {key} {value}" for key, value in defines.items()] + [f'#include "{original.parent / main}"']
    return text, "\n".join(lines) + "\n"


def changed(path, text):
    """Leaves a file that is the same, so that nothing is compiled for it."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
