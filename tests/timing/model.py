#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cycles of a single-hart program on a board, by the rules of docs/design/cycles.md.

model.py FILE: each line of FILE is a program (JSON): the board's timing, the words of its page table, what it executed
(pc, instruction, effective address, whether translated), and the cycles that the machine's `cycle` CSR gave at its
marks. Prints each program whose cycles differ; exit code 1 when there was one.
"""
import heapq, json, multiprocessing, sys

M64 = (1 << 64) - 1
INVALID, SHARED, EXCLUSIVE, MODIFIED = range(4)
DELIVER, FREE, PERFORM, DATA, WRITEBACK, HOME, CONTROLLER, DEVICE, REQUEST = range(9)
SHORT, LONG = 8, 72


def scatter(n):
    x = (n + 0x9E3779B97F4A7C15) & M64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return x ^ (x >> 31)


def parities(masks, address):
    return sum((bin(address & mask).count("1") & 1) << bit for bit, mask in enumerate(masks))


class Wait(Exception):
    """What the instruction waits for: a line's number, or 'drained', 'room', 'answer'."""


class Cache:
    """Sets of lines, the latest used first."""

    def __init__(self, figures):
        self.ways, self.index = figures["ways"], figures["index"]
        self.count = figures["size"] // 64 // self.ways
        self.sets = {}

    def set(self, line):
        number = parities(self.index, line * 64) if self.index else line % self.count
        return self.sets.setdefault(number, {})  # line -> state; the most recently used one is last

    def peek(self, line):
        return self.set(line).get(line, INVALID)

    def touch(self, line):
        lines = self.set(line)
        state = lines.pop(line, INVALID)
        if state:
            lines[line] = state
        return state

    def change(self, line, state):
        lines = self.set(line)
        if line in lines:
            if state:
                lines[line] = state
            else:
                del lines[line]

    def insert(self, line, state):
        lines, victim = self.set(line), None
        if line not in lines and len(lines) == self.ways:
            oldest = next(iter(lines))
            victim = oldest, lines.pop(oldest)
        lines.pop(line, None)
        lines[line] = state
        return victim


class Link:
    def __init__(self):
        self.free, self.taken = 0, set()

    def reserve(self, at, length):
        start = max(at, self.free - 64, 0)
        while start + length <= self.free:  # the first gap within the last 64 cycles
            if not any(cycle in self.taken for cycle in range(start, start + length)):
                break
            start += 1
        else:
            start = max(at, self.free)
            self.free = start + length
        self.taken |= set(range(start, start + length))
        self.taken = {cycle for cycle in self.taken if cycle >= self.free - 64}
        return start


class Network:
    def __init__(self, net):
        self.net, self.links = net, {}

    def step(self, a, b):
        shape, net = self.net["shape"], self.net
        if shape == "mesh":
            columns = net["columns"]
            if a % columns != b % columns:
                return a + (1 if a % columns < b % columns else -1)
            return a + (columns if a < b else -columns)
        if shape == "ring":
            nodes, up = net["nodes"], (b - a) % net["nodes"]
            return (a + 1) % nodes if up <= nodes - up else (a - 1) % nodes
        return b

    def length(self, size, between):
        return -(-size // self.net["width"]) * (self.net["beat"] if between else 1)

    def send(self, a, b, at, size, reserve=True):
        net, length = self.net, self.length(size, a != b)
        head = at + net["local"]
        while a != b:
            to = self.step(a, b)
            if reserve:
                up = net["shape"] == "ring" and to == (a + 1) % net["nodes"]
                name = "bus" if net["shape"] == "bus" else (a, to, up)
                head = self.links.setdefault(name, Link()).reserve(head, length)
            head += net["hop"]
            a = to
        return head + length - 1

    def distance(self, a, b, size):
        return self.send(a, b, 0, size, reserve=False)


class Dram:
    def __init__(self, figures):
        self.d, self.wires, self.banks = figures, {}, {}

    def controller(self, address):
        return address // self.d["interleave"] % len(self.d["nodes"])

    def node(self, address):
        return self.d["nodes"][self.controller(address)]

    def access(self, address, at):
        d, controller = self.d, self.controller(address)
        bank, row = (controller, parities(d["banks"], address)), address // d["row"]
        free, opened, epoch = self.banks.get(bank, (0, None, 0))
        start = max(at, free)
        if d["refresh"]:
            start += max(0, d["refresh_time"] - start % d["refresh"])
            if start // d["refresh"] != epoch:
                opened, epoch = None, start // d["refresh"]
        first = d["row_closed"] if opened is None else d["row_hit"] if opened == row else d["row_conflict"]
        data = max(start + first, self.wires.get(controller, 0))
        self.wires[controller] = end = data + d["burst"]
        self.banks[bank] = max(end - min(d["row_hit"], first), start + 1), row, epoch
        return end


class Tlb:
    def __init__(self, entries):
        self.entries, self.next = [None] * entries, 0

    def find(self, page):
        for entry in self.entries:
            if entry and page >> entry["shift"] == entry["page"] >> entry["shift"]:
                return entry

    def insert(self, page, entry):
        old = self.find(page)
        at = self.entries.index(old) if old else self.next
        if not old:
            self.next = (self.next + 1) % len(self.entries)
        self.entries[at] = entry

    def fence(self, page):
        fenced = (lambda e: True) if page is None else lambda e: (e["page"] ^ page) >> e["shift"] == 0
        self.entries = [entry if entry and not fenced(entry) else None for entry in self.entries]


class Machine:
    def __init__(self, program):
        t = self.t = program["timing"]
        self.core, self.dir = t["core"], t["coherence"]
        self.memory = {int(k): v for k, v in program["memory"]}
        self.root = program["root"]
        self.words = {}
        self.l1i, self.l1d = Cache(t["l1i"]), Cache(t["l1d"])
        self.l2 = Cache(t["l2"]) if t["l2"] else None
        self.l2hit = t["l2"]["hit"] if t["l2"] else 0
        self.lookup = t["l1d"]["hit"] + self.l2hit
        self.itlb, self.dtlb = Tlb(t["tlb"]["entries"]), Tlb(t["tlb"]["entries"])
        self.net, self.dram = Network(t["interconnect"]), Dram(t["dram"])
        self.home_free, self.home_cache = {}, {}
        self.owner, self.sharer = set(), set()
        self.write_backs = {}
        self.events, self.number, self.own_number = [], 0, 0
        self.clock = self.began = program["start"]
        self.stores, self.misses, self.stream = [], set(), None
        self.latest = self.reserved = self.walk = self.split = None
        self.answered = False
        self.waits = self.resumed = None

    # ---- events: everything in the machine is caused by the one hart

    def push(self, tick, kind, source, *what, own=False):
        if own:
            self.own_number += 1
        else:
            self.number += 1
        number = self.own_number if own else self.number + (1 << 31)
        lot = scatter(tick ^ source << 32) & 0xffff
        heapq.heappush(self.events, (tick, kind, lot, source, number, what))

    def happen(self):
        tick, kind, _, _, _, what = heapq.heappop(self.events)
        HANDLERS[kind](self, tick, *what)

    def home(self, line):
        homes = self.dir["homes"]
        hashed = homes["kind"] == "hash" or homes["kind"] == "split" and line * 64 < homes["pages_from"]
        if hashed:
            return scatter(line) % self.t["nodes"]
        if homes["kind"] in ("page", "split"):
            return line * 64 // homes.get("interleave", 4096) % self.t["nodes"]
        return homes["nodes"][line * 64 // homes["interleave"] % len(homes["nodes"])]

    def request(self, line, want, lookup):
        self.push(max(self.clock + lookup, self.began + 1), REQUEST, 0, line, want, own=True)

    def depart(self, now, line, want):
        arrival = self.net.send(0, self.home(line), now, SHORT)
        if self.write_backs.get(line, 0) > now:
            arrival = max(arrival, self.write_backs[line] + 1)
        self.push(arrival, HOME, 0, "arrives", line, want)

    def at_home(self, now, what, line, want):
        if what == "serve":
            return self.serve(now, line, want)
        home = self.home(line)
        start = max(now, self.home_free.get(home, 0))
        self.home_free[home] = start + self.dir["service"]
        self.push(start, HOME, 0, "serve", line, want) if start > now else self.serve(now, line, want)

    def serve(self, now, line, want):
        home, leaves = self.home(line), now + self.dir["directory"]
        kind = want[0]
        if kind == "share":
            grant = SHARED if want[1] == "code" else EXCLUSIVE
            if grant == EXCLUSIVE:
                self.owner.add(line), self.sharer.discard(line)
            elif self.l2:
                self.owner.discard(line), self.sharer.add(line)
            self.supply(leaves, line, want, grant)
        elif kind == "own":
            holds = want[1] and line in self.sharer
            self.owner.add(line), self.sharer.discard(line)
            if holds:
                self.grant_at(self.net.send(home, 0, leaves, SHORT), line, MODIFIED, "data")
            else:
                self.supply(leaves, line, want, MODIFIED)
        else:
            self.owner.discard(line), self.sharer.discard(line)
            self.supply(leaves, line, want, INVALID)

    def cache_of(self, home):
        if not self.dir["cache"]:
            return None
        if home not in self.home_cache:
            self.home_cache[home] = Cache(self.dir["cache"])
        return self.home_cache[home]

    def supply(self, leaves, line, want, grant):
        home = self.home(line)
        cache = self.cache_of(home)
        if cache:
            leaves += self.dir["cache"]["hit"]
            if cache.touch(line):
                return self.data_leaves(leaves, line, want, grant)
        arrival = self.net.send(home, self.dram.node(line * 64), leaves, SHORT)
        self.push(arrival, CONTROLLER, home, line, want, grant)

    def at_controller(self, now, line, want, grant):
        self.push(self.dram.access(line * 64, now), DATA, self.home(line), "leaves", line, want, grant)

    def data(self, now, what, line, want, grant):
        if what == "leaves":
            arrival = self.net.send(self.dram.node(line * 64), self.home(line), now, LONG)
            return self.push(arrival, DATA, self.home(line), "there", line, want, grant)
        self.keep(now, line, False)
        self.data_leaves(now, line, want, grant)

    def data_leaves(self, leaves, line, want, grant):
        home = self.home(line)
        if want[0] == "operation":
            work = self.dir["atomic"] if want[1] == "atomic" else 1
            return self.push(leaves + work, PERFORM, home, line, want)
        purpose = want[1] if want[0] == "share" else "data"
        self.grant_at(self.net.send(home, 0, leaves, LONG), line, grant, purpose)

    def perform(self, now, line, want):
        home = self.home(line)
        if want[1] == "atomic":
            self.keep(now, line, True)
        else:
            cache = self.cache_of(home)
            if cache:
                cache.change(line, INVALID)
            self.to_memory(now, line, home)
        self.push(self.net.send(home, 0, now, SHORT), DELIVER, 0, "answer")

    def keep(self, now, line, dirty):
        home = self.home(line)
        cache = self.cache_of(home)
        if not cache:
            gone = line if dirty else None
        else:
            dirty = dirty or cache.peek(line) == MODIFIED
            victim = cache.insert(line, MODIFIED if dirty else SHARED)
            gone = victim[0] if victim and victim[1] == MODIFIED else None
        if gone is not None:
            self.to_memory(now, gone, home)

    def to_memory(self, now, line, home):
        self.push(self.net.send(home, self.dram.node(line * 64), now, LONG), WRITEBACK, home, "memory", line, True)

    def written_back(self, now, where, line, dirty):
        if where == "memory":
            return self.dram.access(line * 64, now)
        self.owner.discard(line)
        if dirty:
            self.keep(now, line, True)

    def grant_at(self, tick, line, state, purpose):
        self.push(tick, DELIVER, 0, "grant", line, state, purpose)

    def deliver(self, now, what, line=None, state=None, purpose=None):
        if what == "answer":
            self.answered = True
            self.resume(now)
            return
        self.misses.discard(line)
        if purpose == "code":
            self.l1i.insert(line, SHARED)
        if purpose != "code" or self.l2:
            self.fill(now, line, state, purpose == "data")
        self.drain(now)
        if self.waits == "drained" and not self.stores or self.waits == line:
            self.resume(now)
        elif self.waits == "room" and len(self.stores) < self.core["store_buffer"]:
            self.resume(now)

    def resume(self, now):
        self.waits, self.resumed = None, now

    # ---- the core's caches

    def state(self, line):
        return max(self.l1d.peek(line), self.l2.peek(line) if self.l2 else INVALID)

    def fill(self, now, line, state, into_l1):
        if not self.l2:
            victim = self.l1d.insert(line, state)
        else:
            victim = self.l2.insert(line, state)
            if victim:
                victim = victim[0], max(victim[1], self.l1d.peek(victim[0]))
                self.l1d.change(victim[0], INVALID)
            if into_l1:
                self.into_l1(line, state)
            else:
                self.l1d.change(line, state)
        if victim:
            if self.reserved == victim[0]:
                self.reserved = None
            if victim[1] != SHARED:
                dirty = victim[1] == MODIFIED
                home = self.home(victim[0])
                arrival = self.net.send(0, home, now, LONG if dirty else SHORT)
                self.write_backs[victim[0]] = arrival
                self.push(arrival, WRITEBACK, 0, "home", victim[0], dirty)

    def into_l1(self, line, state):
        victim = self.l1d.insert(line, state)
        if victim and victim[1] == MODIFIED:
            self.l2.change(victim[0], MODIFIED)

    def own_hit(self, line, write):
        """What a hit in L1 or L2 takes; None: a miss."""
        serves = (lambda state: state >= EXCLUSIVE) if write else bool
        after = (lambda state: MODIFIED) if write else (lambda state: state)
        state = self.l1d.touch(line)
        if serves(state):
            self.l1d.change(line, after(state))
            return self.t["l1d"]["hit"]
        if not self.l2:
            return None
        state = self.l2.touch(line)
        if not serves(state):
            return None
        self.into_l1(line, after(state))
        return self.lookup

    def ready(self, line, write):
        hit = self.own_hit(line, write)
        if hit is None:
            self.ask(line, write)
            raise Wait(line)
        self.clock += hit

    def ask(self, line, write):
        if line in self.misses:
            return
        self.misses.add(line)
        want = ("own", self.state(line) == SHARED) if write else ("share", "data")
        self.request(line, want, self.lookup)
        if write:
            return
        streams, self.stream = self.stream == line, line + 1
        for ahead in range(line + 1, line + 1 + self.core["prefetch"]) if streams else ():
            if ahead // 64 == line // 64 and ahead not in self.misses and not self.state(ahead):
                self.misses.add(ahead)
                self.request(ahead, ("share", "ahead"), self.lookup)
                self.stream = ahead + 1

    # ---- translation

    def translate(self, address, kind):
        if not self.translated:
            return address
        tlb, page = (self.itlb if kind == "X" else self.dtlb), address >> 12
        entry = tlb.find(page)
        marks = 0xC0 if kind == "W" else 0x40  # the bits A and, for stores, D
        if not entry or entry["flags"] & marks != marks:
            entry = self.walk_table(page, kind, marks)
            tlb.insert(page, entry)
        return (entry["ppn"] << 12) + (address & ((4096 << entry["shift"]) - 1))

    def walk_table(self, page, kind, marks):
        walk, self.walk = self.walk, None
        level, table = walk[2:] if walk and walk[:2] == (page, kind) else (2, self.root)
        while True:
            at = table + 8 * (page >> 9 * level & 511)
            self.walk = page, kind, level, table  # where the walk continues if it has to wait
            self.ready(at // 64, False)
            self.clock += self.t["tlb"]["level"]
            entry = self.memory[at]
            if entry & 0xE:
                break
            level, table = level - 1, entry >> 10 << 12
        if entry & marks != marks:
            self.ready(at // 64, True)
            self.memory[at] = entry = entry | marks
        self.walk = None
        return {"page": page, "shift": 9 * level, "ppn": entry >> 10, "flags": entry & 255}

    # ---- instructions

    def fetch_line(self, pc):
        line = self.translate(pc, "X") // 64
        if self.l1i.touch(line):
            return line
        if not (self.l2 and self.l2.touch(line)):
            if line not in self.misses:
                self.misses.add(line)
                self.request(line, ("share", "code"), self.t["l1i"]["hit"] + self.l2hit)
            raise Wait(line)
        self.clock += self.l2hit
        self.l1i.insert(line, SHARED)
        return line

    def fetch(self, pc, long):
        line = self.fetch_line(pc)
        if self.latest != pc // 64:
            self.clock += self.t["l1i"]["hit"]
            self.latest = pc // 64
        if long and pc % 64 == 62:
            self.fetch_line(pc + 2)
            self.clock += self.t["l1i"]["hit"]
            self.l1i.touch(line)

    def parts(self, address, size):
        first = min(64 - address % 64, size)
        return [(address, first)] + ([(address + first, size - first)] if first < size else [])

    def load(self, address, size):
        if address % size == 0:
            physical = self.translate(address, "R")
            for at, bytes_ in reversed(self.stores):
                if at < physical + size and physical < at + bytes_:
                    if at <= physical and physical + size <= at + bytes_:
                        self.clock += self.t["l1d"]["hit"]
                        return
                    raise Wait("drained")
            return self.ready(physical // 64, False)
        parts = self.parts(address, size)
        if len(parts) == 2 and self.split == address:
            parts = parts[1:]
        self.split = None
        for at, part in parts:
            try:
                line = self.translate(at, "R") // 64
                if any(store[0] // 64 == line for store in self.stores):
                    raise Wait("drained")
                self.ready(line, False)
            except Wait:
                if at != address:
                    self.split = address
                raise

    def store(self, address, size):
        parts = [(self.translate(at, "W"), part) for at, part in self.parts(address, size)]
        if len(parts) == 2 and self.split == address:
            parts = parts[1:]
        self.split = None
        for number, (at, part) in enumerate(parts):
            try:
                self.store_part(at, part)
            except Wait:
                if number == 1 or len(parts) == 1 and len(self.parts(address, size)) == 2:
                    self.split = address
                raise

    def store_part(self, at, size):
        line = at // 64
        if self.core["drain"] == "fifo":
            behind = bool(self.stores)
        else:
            behind = any(store[0] // 64 == line for store in self.stores)
        if not behind and self.own_hit(line, True) is not None:
            return
        depth = self.core["store_buffer"]
        if depth == 0:
            return self.ready(line, True)
        if len(self.stores) >= depth:
            raise Wait("room")
        self.stores.append((at, size))
        if self.state(line) < EXCLUSIVE:
            self.ask(line, True)

    def drain(self, now):
        self.clock = self.began = now
        at = 0
        while at < len(self.stores):
            line = self.stores[at][0] // 64
            first = all(other[0] // 64 != line for other in self.stores[:at])
            if first and self.own_hit(line, True) is not None:
                del self.stores[at]
                continue
            if self.state(line) < EXCLUSIVE:
                self.ask(line, True)
            if self.core["drain"] == "fifo":
                break
            at += 1

    def drained(self):
        if self.stores:
            raise Wait("drained")

    def atomic(self, kind, address):
        if self.answered:
            self.answered = False
            return
        line = self.translate(address, "R" if kind == "lr" else "W") // 64
        self.drained()
        if kind == "sc":
            reserved, self.reserved = self.reserved, None
            if reserved == line:
                self.own_hit(line, True)
        elif kind == "amo" and self.core["atomics"] == "home":
            self.at_its_home(line, "atomic")
        else:
            self.ready(line, True)
            if kind == "lr":
                self.reserved = line

    def at_its_home(self, line, what):
        if line in self.misses:
            raise Wait(line)
        self.l1d.change(line, INVALID)
        if self.l2:
            self.l2.change(line, INVALID)
        if self.reserved == line:
            self.reserved = None
        self.request(line, ("operation", what), self.lookup)
        raise Wait("answer")

    def execute(self, pc, word, address, following):
        i = decode(word)
        self.fetch(pc, i.length == 4)
        kind = i.kind
        if kind == "load":
            self.load(address, i.size)
            if self.uses_follow(pc, i):
                self.clock += self.core["load_use"]
        elif kind == "store":
            self.store(address, i.size)
        elif kind in ("lr", "sc", "amo"):
            self.atomic(kind, address)
        elif kind == "fence":
            orders_reads = i.successor & 0b1010
            if i.predecessor & 0b0101 and (orders_reads or self.core["drain"] == "any"):
                self.drained()
        elif kind == "fence.i":
            self.drained()
            self.l1i.sets.clear()
        elif kind == "sfence":
            self.drained()
            for tlb in self.itlb, self.dtlb:
                tlb.fence(address >> 12 if word >> 15 & 31 else None)
        elif kind == "flush":
            line = self.translate(address & -64, "R") // 64
            if not self.answered:
                self.drained()
                self.at_its_home(line, "flush")
            self.answered = False
        elif kind == "ecall":
            self.clock += self.core["trap"]
            self.walk = self.split = None
        elif kind in ("branch", "jump") and (kind == "jump" or following != pc + i.length):
            self.clock += self.core["taken_branch"]
        self.clock += self.core[i.cost] if i.cost else 1

    def uses_follow(self, pc, i):
        """The next instruction in memory (not in time), if it lies in this line whole."""
        at = pc + i.length
        if pc % 64 == 62 and i.length == 4 or at // 64 != pc // 64:
            return False
        word = self.words.get(at)
        if word is None:
            return False
        follower = decode(word)
        if (at + follower.length - 1) // 64 != pc // 64:
            return False
        return i.writes is not None and i.writes in follower.reads

    def run(self, trace, code):
        """The cycles at which the reads of the `cycle` CSR happened."""
        marks = []
        self.words = code
        for at in range(0, len(trace), 4):
            pc, word, address, self.translated = trace[at : at + 4]
            following = trace[at + 4] if at + 4 < len(trace) else 0
            while True:
                while self.events and self.events[0][0] <= self.clock:
                    clock = self.clock
                    self.happen()
                    self.clock = clock
                self.began = self.clock
                try:
                    self.execute(pc, word, address, following)
                    if decode(word).mark:
                        marks.append(self.clock - self.core["system"])
                    break
                except Wait as wait:
                    self.waits = wait.args[0]
                    while self.resumed is None:
                        self.happen()
                    self.clock, self.resumed = self.resumed, None
        return marks


HANDLERS = {
    DELIVER: Machine.deliver, PERFORM: Machine.perform, DATA: Machine.data, WRITEBACK: Machine.written_back,
    HOME: Machine.at_home, CONTROLLER: Machine.at_controller, REQUEST: Machine.depart,
}


class Instruction:
    def __init__(self, kind, length=4, size=0, cost=None, reads=(), writes=None):
        self.kind, self.length, self.size, self.cost, self.reads, self.writes = kind, length, size, cost, reads, writes
        self.mark = False


DECODED = {}


def decode(word):
    if word not in DECODED:
        DECODED[word] = long(word) if word & 3 == 3 else short(word)
    return DECODED[word]


def x(number):
    return ("x", number)


def f(number):
    return ("f", number)


def long(w):
    """The instructions of 4 bytes that the generator makes."""
    op, rd, f3, rs1, rs2, f7 = w & 127, w >> 7 & 31, w >> 12 & 7, w >> 15 & 31, w >> 20 & 31, w >> 25
    result = x(rd) if rd else None
    if op == 0x03:
        return Instruction("load", size=1 << (f3 & 3), reads=(x(rs1),), writes=result)
    if op == 0x07:
        return Instruction("load", size=1 << f3, reads=(x(rs1),), writes=f(rd))
    if op == 0x23:
        return Instruction("store", size=1 << f3, reads=(x(rs1), x(rs2)))
    if op == 0x27:
        return Instruction("store", size=1 << f3, reads=(x(rs1), f(rs2)))
    if op == 0x63:
        return Instruction("branch", reads=(x(rs1), x(rs2)))
    if op in (0x6F, 0x67):
        return Instruction("jump", reads=(x(rs1),) if op == 0x67 else ())
    if op in (0x33, 0x3B):
        cost = None if f7 != 1 else "divide" if f3 & 4 else "multiply"
        return Instruction("alu", cost=cost, reads=(x(rs1), x(rs2)))
    if op in (0x13, 0x1B):
        return Instruction("alu", reads=(x(rs1),))
    if op in (0x37, 0x17):
        return Instruction("alu")
    if op in (0x43, 0x47, 0x4B, 0x4F):
        return Instruction("alu", cost="float_fused", reads=(f(rs1), f(rs2), f(w >> 27)))
    if op == 0x53:
        group = f7 >> 2
        cost = {0: "float_add", 1: "float_add", 2: "float_multiply", 3: "float_divide", 11: "float_root"}
        from_x = group in (26, 30)
        one = group in (8, 11, 24, 26, 28, 30)
        reads = (x(rs1),) if from_x else (f(rs1),) if one else (f(rs1), f(rs2))
        move = group in (4, 5, 20, 28, 30)
        return Instruction("alu", cost="float_move" if move else cost.get(group, "float_add"), reads=reads)
    if op == 0x2F:
        kind = {2: "lr", 3: "sc"}.get(w >> 27, "amo")
        return Instruction(kind, size=1 << f3, reads=(x(rs1),) if kind == "lr" else (x(rs1), x(rs2)))
    if op == 0x0F:
        if f3 == 2:
            return Instruction("flush", reads=(x(rs1),))
        i = Instruction("fence.i" if f3 == 1 else "fence", cost="system")
        i.predecessor, i.successor = w >> 24 & 15, w >> 20 & 15
        return i
    if op == 0x73:
        if w == 0x73:
            return Instruction("ecall")
        if w == 0x30200073:
            return Instruction("return", cost="system")
        if f7 == 9:
            return Instruction("sfence", cost="system", reads=(x(rs1), x(rs2)))
        i = Instruction("csr", cost="system", reads=() if f3 & 4 else (x(rs1),))
        i.mark = w >> 20 in (0xC00, 0xB00)
        return i
    raise ValueError(f"an instruction that the generator does not make: {w:#x}")


def short(w):
    """Those of 2 bytes."""
    quadrant, f3 = w & 3, w >> 13
    high, low = x(8 + (w >> 7 & 7)), 8 + (w >> 2 & 7)
    if quadrant == 0:
        size = 8 if f3 & 1 else 4
        if f3 in (1, 2, 3):
            return Instruction("load", 2, size, None, (high,), f(low) if f3 == 1 else x(low))
        return Instruction("store", 2, size, None, (high, f(low) if f3 == 5 else x(low)))
    rd, rs2 = w >> 7 & 31, w >> 2 & 31
    if quadrant == 1:  # c.addi
        return Instruction("alu", 2, reads=(x(rd),))
    # c.add, c.mv
    return Instruction("alu", 2, reads=(x(rd), x(rs2)) if w >> 12 & 1 else (x(0), x(rs2)))


def difference(text):
    program = json.loads(text)
    code = dict(zip(program["code"][0::2], program["code"][1::2]))
    marks = Machine(program).run(program["trace"], code)
    if marks == program["marks"]:
        return None
    pairs = enumerate(zip(program["marks"], marks))
    first = next(((n, pair) for n, pair in pairs if pair[0] != pair[1]), "their number")
    return f"program {program['number']}: mark {first} (machine, model) of {len(marks)}"


def main():
    with open(sys.argv[1]) as file, multiprocessing.Pool(2) as pool:
        results = list(pool.imap(difference, file, 8))
    differences = [result for result in results if result]
    print(*differences, sep="\n", end="\n" if differences else "")
    print(f"{len(results) - len(differences)} of {len(results)} programs agree to the cycle")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
