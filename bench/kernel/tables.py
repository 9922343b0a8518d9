#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tables.py KERNEL.json: the tables of the book's page on the kernel's speed, each between anchors of mdBook."""

import json
import sys

GRANULARITIES = ("object", "core", "giant")
CORES = (1, 2, 4, 8, 24, 72)
# Each service that wakes a task, with the service in which the task waits.
PAIRS = {
    "semaphore": ("semaphore_signal", "semaphore_wait"),
    "flag": ("flag_set", "flag_wait"),
    "data_queue": ("data_queue_send", "data_queue_receive"),
    "message_buffer": ("message_buffer_send", "message_buffer_receive"),
    "memory_pool": ("memory_pool_release", "memory_pool_get"),
    "task_sleep": ("task_wakeup", "task_sleep"),
    "task_suspend": ("task_resume", "task_suspend"),
    "task_activate": ("task_activate", "-"),
    "mutex_inherit": ("mutex_unlock, inherit", "mutex_lock"),
    "mutex_msrp": ("mutex_unlock, msrp", "mutex_lock"),
}

# The groups of functions that a switch executes.
GROUPS = {
    "the services themselves: arguments, context, interrupts off and on": (
        "takt_semaphore_signal takt_semaphore_wait takt_semaphore_wait_for service_check wait_allowed cpu_locked "
        "increment_and_unlock signal_waiting wait_for_signal arch_interrupts_disable arch_interrupts_restore core_here task_self"),
    "locks of objects": (
        "spinlock_acquire spinlock_release arch_ticket_take arch_ticket_take_free arch_fence_release lock_acquire "
        "lock_release lock_spinlock"),
    "queues of waiting tasks": "waiters_take waiters_remove waiters_join waiters_link join note_unlinked",
    "a wait's begin and end": "wait_begin wait_end wait_end_one wait_end_here suspension_begin timer_stop task_is_here",
    "ready queue, but for the next line": "ready_insert ready_remove ready_first level_of bit_of heir",
    "the first bit of 64": "bits_lowest",
    "time of the tasks, budgets": "account arch_ticks arm begin watch_arm timers_limit",
    "choosing, noting, making another the running task": "dispatch note_preemption make_running",
    "registers": "context_switch context_load context_resume context_return",
    "the program that measures": "cycles note ping_pong partner_job",
}


def table(name, head, rows):
    print(f"<!-- ANCHOR: {name} -->")
    print("| " + " | ".join(map(str, head)) + " |")
    print("|---|" + "--:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print(f"<!-- ANCHOR_END: {name} -->\n")


def three(figures):
    return [figures[key] for key in ("min", "median", "max")] if figures else ["", "", ""]


def services(result):
    parts = result["services"]
    table("services", ["cycles", "min", "median", "max"],
          ([f"`{name}`", *three(figures)] for name, figures in parts["here"].items()))
    table("orders", ["cycles", "min", "median", "max"],
          ([f"`{name}`", *three(figures)] for name, figures in parts["order"].items()))
    head = ["cycles; wakes / waits", *(f"{case}: {key}" for case in ("wakes", "gives way", "across")
                                       for key in ("min", "median", "max"))]
    table("switches", head, ([f"`{wakes}` / `{waits}`", *three(parts["wake"].get(name)),
                              *three(parts["block"].get(name)), *three(parts["across"].get(name))]
                             for name, (wakes, waits) in PAIRS.items()))
    keys = {"switch": "a switch between two tasks of a core",
            "wakeup_cross_core": "from a signal to the woken task of another, idle core",
            "interrupt_to_task": "from the time of a release to the first instruction of the job, on an idle core"}
    table("basics", ["cycles", "min", "mean", "max"],
          ([text, *(result[f"{key}_cycles"][figure] for figure in ("min", "mean", "max"))]
           for key, text in keys.items()))


def scaling(result):
    for program in ("private", "shared", "pairs", "turns"):
        curves = result[f"scaling_{program}"]
        cores = [count for count in CORES if any(str(count) in curve for curve in curves.values())]
        table(program, ["in a microsecond, by cores", *cores],
              ([f"`{name}`", *(f"{curves[name][str(count)]:.3g}" for count in cores)]
               for name in GRANULARITIES))
    table("linear", ["granularity", "of linear"],
          ([f"`{name}`", f"{result[f'scaling_private_{name}_72']:.3f}"] for name in GRANULARITIES))
    cores = (1, 2, 3, 4, 8, 16, 36, 72)
    table("spinlock", ["cores", *cores],
          ([f"`{name}`", *(f"{curve[str(count)]:.2f}" for count in cores)]
           for name, curve in sorted(result["spinlock"].items())))


def homing(result):
    """Without and with, and how much more that is."""
    cores = (1, 2, 4, 8, 16, 36, 72)
    rows = []
    for name, curves in sorted(result["spinlock_homing"].items()):
        without, homed = curves["none"], curves["page"]
        rows.append([f"`{name}`", *(f"{without[str(count)]:.2f} → {homed[str(count)]:.2f}" for count in cores)])
        rows.append(["", *(f"{(homed[str(count)] / without[str(count)] - 1) * 100:+.1f} %" for count in cores)])
    table("homing", ["cores", *cores], rows)


def memory(result):
    images = result["memory"]
    names = [f"{granularity}-ticket" for granularity in GRANULARITIES]
    names += sorted(name for name in images if name not in names)
    whats = dict.fromkeys(key.rpartition("_")[0] for key in images[names[0]] if not key.startswith("kernel"))

    def both(image, what):
        return f"{image[f'{what}_constants']:g} + {image[f'{what}_variables']:g}"
    rows = [["kernel: code", *(f"{images[name]['kernel_code']:g}" for name in names)],
            ["kernel: data", *(f"{images[name]['kernel_data'] + images[name]['kernel_zeroed']:g}" for name in names)]]
    rows += [[what, *(both(images[name], what) for name in names)] for what in whats]
    table("memory", ["bytes", *(f"`{name}`" for name in names)], rows)


def own_task(result):
    ways, moves = result["own_task"]["self"], result["own_task"]["move"]
    rows = [[f'`takt_task_self`, `own_task = "{way}"`', *three(figures)] for way, figures in ways.items()]
    table("own-task", ["cycles", "min", "median", "max"],
          [*rows, ["a task moves itself to the other of two idle cores", *three(moves["register"])]])


def rates(result):
    table("thread-metric", ["test", "a second", "cycles each"],
          ([name.replace("_", " "), rate, round(1e9 / rate)] for name, rate in result["thread_metric"].items()))


def profiles(result):
    for name, parts in result["profile"].items():
        rows = [[part["core"], f"`{part['function']}`", part["file"], part["instructions"], part["cycles"],
                 part["stalled"]] for part in parts if part["cycles"] >= 15]
        rest = [part for part in parts if part["cycles"] < 15]
        rows.append(["", "the others", "", *(sum(part[key] for part in rest)
                                             for key in ("instructions", "cycles", "stalled"))])
        rows.append(["", "**together**", "", *(sum(part[key] for part in parts)
                                               for key in ("instructions", "cycles", "stalled"))])
        table(f"profile-{name}", ["core", "part", "file", "instructions", "cycles", "of them stalled"], rows)


def groups(result):
    """The round of the profile by what its parts are about."""
    parts, rows = result["profile"]["switch"], []
    unknown = {part["function"] for part in parts} - set(" ".join(GROUPS.values()).split())
    if unknown:
        raise SystemExit(f"tables.py: of which group are {', '.join(sorted(unknown))}?")
    for title, names in GROUPS.items():
        of = [part for part in parts if part["function"] in names.split()]
        rows.append([title, *(sum(part[key] for part in of) for key in ("instructions", "cycles"))])
    rows.sort(key=lambda row: -row[2])
    rows.append(["**together**", *(sum(row[column] for row in rows) for column in (1, 2))])
    table("switch-groups", ["a round: two switches, four services", "instructions", "cycles"], rows)


def main(path):
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    for write in (services, scaling, homing, memory, own_task, rates, profiles, groups):
        write(result)


if __name__ == "__main__":
    main(*sys.argv[1:])
