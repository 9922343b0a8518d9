#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""profile.py switch|wakeup SYSTEM.toml, or profile.py rate SYSTEM.toml FUNCTION [ROUNDS]: where the cycles of a switch, or
of a wake-up of another core's task, go; or those from one call of a function of core 0 to the next, or to the ROUNDSth.

Steps the board through a round of switches.c or thread_metric.c, instruction by instruction, as a debugger would, which
changes nothing in the run. Prints lines `CORE,FUNCTION,FILE,INSTRUCTIONS,CYCLES,STALLS,STALLED` in order of their first instruction, functions as
they were written: one that was inlined counts for itself. Cycles of an instruction: from its start to the next one's, so
that a store pays only where it has to wait for the buffer. Stalls: instructions of STALL cycles or more, which is what
waits for another core, the home of a line or a device, and their cycles."""

import re
import socket
import subprocess
import sys
from pathlib import Path

TAKT = Path(__file__).resolve().parent.parent.parent / "target/release/takt"
TOOLS = "riscv64-unknown-elf-"
STEADY = 40  # rounds before the one that is looked at
LONGEST = 20000  # instructions
STALL = 40
RUN = re.compile(r"(.)\*(.)")  # a character, and 29 more than how often it is repeated
RA, A0, PC, CYCLE = 1, 10, 32, 65 + 0xc00  # gdb's numbers
OWN_0, OWN_1 = 3, 4  # the semaphores that main signals: their numbers in the description


class Board:
    """What is needed of gdb's remote protocol."""

    def __init__(self, port):
        connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream, self.acknowledges = connection.makefile("rwb", buffering=0), True
        self.ask("QStartNoAckMode")  # each would be a packet that waits for another
        self.acknowledges = False
        self.ask("?")

    def ask(self, text):
        self.stream.write(b"$%s#%02x" % (text.encode(), sum(text.encode()) & 255))
        while self.stream.read(1) != b"$":
            pass
        answer = bytearray()
        while (byte := self.stream.read(1)) != b"#":
            if not byte:
                raise SystemExit("profile: the machine has gone")
            answer += byte
        self.stream.read(2)
        if self.acknowledges:
            self.stream.write(b"+")
        return RUN.sub(lambda run: run[1] * (ord(run[2]) - 28), answer.decode())

    def read(self, hart, register):
        self.ask(f"Hg{hart + 1:x}")
        return int.from_bytes(bytes.fromhex(self.ask(f"p{register:x}")), "little")

    def step(self, hart):
        self.ask(f"vCont;s:{hart + 1:x}")

    def run_to(self, address, hart):
        """Until the hart is there, whoever else passes."""
        self.ask(f"Z0,{address:x},2")
        self.ask("vCont;c")
        while self.read(hart, PC) != address:
            self.ask("vCont;c")
        self.ask(f"z0,{address:x},2")


class Profile:
    def __init__(self, board, image):
        self.board, self.image, self.symbols = board, image, symbols_of(image)
        self.functions = {}  # by pc, of those that were asked for
        self.steps = []  # (core, pc, cycles)

    def is_in(self, pc, function):
        """Whether an instruction is of a function, which may be a part of another."""
        if pc not in self.functions:
            self.functions |= {at: name for at, (name, _) in places(self.image, [pc]).items()}
        return self.functions[pc] == function

    def to_signal_of(self, semaphore):
        """Main's signal of a semaphore, of which it alone is the giver, in a round in the middle."""
        signal = self.symbols["takt_semaphore_signal"]
        for round in range(STEADY):
            if round > 0:
                self.board.step(0)
            self.board.run_to(signal, 0)
            while self.board.read(0, A0) != semaphore:
                self.board.step(0)
                self.board.run_to(signal, 0)

    def until(self, hart, done):
        start = self.board.read(hart, CYCLE)
        for _ in range(LONGEST):
            pc = self.board.read(hart, PC)
            self.board.step(hart)
            end = self.board.read(hart, CYCLE)
            self.steps.append((hart, pc, end - start))
            start = end
            if done(self.board.read(hart, PC)):
                return end
        raise SystemExit("profile: it does not end")

    def switch(self):
        self.to_signal_of(OWN_0)
        signal = self.symbols["takt_semaphore_signal"]
        self.until(0, lambda pc: pc == signal and self.board.read(0, A0) == OWN_0)

    def rate(self, function, rounds="1"):
        """From a call of the function, after some others, to a later one."""
        place = self.symbols[function]
        for _ in range(STEADY):
            self.board.run_to(place, 0)
            self.board.step(0)
        self.board.run_to(place, 0)
        for _ in range(int(rounds)):
            self.until(0, lambda pc: pc == place)

    def wakeup(self):
        """The waker until its interrupt is sent, the way of that, and the woken core until its task is back."""
        self.to_signal_of(OWN_1)
        self.until(0, lambda pc: self.is_in(pc, "arch_interrupt_core"))
        sent = self.until(0, lambda pc: not self.is_in(pc, "arch_interrupt_core"))
        self.board.step(1)  # out of its sleep
        self.steps.append((1, None, self.board.read(1, CYCLE) - sent))
        self.until(1, lambda pc: self.symbols["partner_job"] <= pc < self.symbols["partner_job"] + 0x200)


def symbols_of(image):
    output = subprocess.run([f"{TOOLS}nm", image], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {name: int(address, 16) for address, _, name in (line.split() for line in output.splitlines())}


def places(image, addresses):
    """The innermost function of each address, inlined or not, and its file."""
    question = "\n".join(f"{address:#x}" for address in addresses)
    output = subprocess.run([f"{TOOLS}addr2line", "-a", "-f", "-i", "-e", image], input=question, check=True,
                            text=True, stdout=subprocess.PIPE).stdout
    found, lines = {}, output.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("0x"):
            found[int(line, 16)] = lines[at + 1], Path(lines[at + 2].split(":")[0]).name
    return found


def tell(image, steps):
    names = places(image, sorted({pc for _, pc, _ in steps if pc is not None}))
    parts = {}
    for core, pc, cycles in steps:
        name = names[pc] if pc is not None else ("interrupt on its way", "")
        part = parts.setdefault((f"core {core}", *name), [0, 0, 0, 0])
        part[0] += pc is not None
        part[1] += cycles
        if cycles >= STALL:
            part[2] += 1
            part[3] += cycles
    for part, figures in parts.items():
        print(",".join(map(str, [*part, *figures])))


def attach_command(machine):
    """What takt says once the firmware has run: the image, and the port."""
    for line in machine.stderr:
        words = line.replace("'", " ").split()
        if "gdb-multiarch" in words:
            return words[1], int(words[-1].lstrip(":"))
    raise SystemExit("profile: takt has not started the machine")


def main(what, system, *choice):
    machine = subprocess.Popen([TAKT, "run", system, "--gdb", "0"], text=True, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    try:
        image, port = attach_command(machine)
        profile = Profile(Board(port), image)
        {"switch": profile.switch, "wakeup": profile.wakeup, "rate": profile.rate}[what](*choice)
        tell(image, profile.steps)
    finally:
        machine.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
