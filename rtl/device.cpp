// SPDX-License-Identifier: Apache-2.0
// The Verilated unit as a device of the modelled board: takt/board_device.h.
//
// The unit's clock stands still but for accesses and edges at which something is under way, so that
// idle time costs nothing. A bus clock with an access has no step; the edges have one. A library of
// the tests (MEET) instead performs, at each other edge, the latest access in the clock of the
// step: nobody may see the difference.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <takt/board_device.h>
#include <verilated.h>
#include <verilated_save.h>

#include "Vrtu.h"

namespace {

constexpr uint64_t PAGE = 0x1000;

// Serializes a unit into memory.
struct Writer final : VerilatedSerialize {
    std::vector<uint8_t> bytes;
    void flush() override {
        bytes.insert(bytes.end(), m_bufp, m_cp);
        m_cp = m_bufp;
    }
};

// Serializes a unit from memory; `complete` turns false if the bytes end too early.
struct Reader final : VerilatedDeserialize {
    const uint8_t *from;
    size_t left;
    bool complete = true;
    Reader(const uint8_t *from, size_t left) : from(from), left(left) {
        m_cp = m_endp = m_bufp;
    }
    void fill() override {
        size_t kept = m_endp - m_cp;
        memmove(m_bufp, m_cp, kept);
        size_t more = std::min(left, bufferSize() - kept);
        memcpy(m_bufp + kept, from, more);
        from += more, left -= more;
        m_cp = m_bufp;
        m_endp = m_bufp + kept + more;
    }
    bool empty() {
        return m_cp == m_endp && left == 0;
    }
};

struct Device {
    takt_board_machine machine;
    VerilatedContext context;
    std::unique_ptr<Vrtu> unit;
    uint64_t latest = 0;         // cycle of the latest step or access
    takt_board_access last = {}; // with MEET: the latest access, and the state before it
    std::vector<uint8_t> before;

    explicit Device(const takt_board_machine &machine) : machine(machine) {
        context.randReset(INITIAL); // what memories hold before they are written
        unit.reset(new Vrtu(&context, "rtu"));
        unit->step = unit->access = unit->write = unit->size = unit->offset = 0;
        unit->mtime = unit->value = 0;
        unit->reset = 1;
        clock();
        unit->reset = 0;
        unit->eval();
    }

    // One clock of the bus.
    void clock() {
        unit->clock = 0;
        unit->eval();
        unit->clock = 1;
        unit->eval();
        unit->clock = 0;
    }

    uint64_t time(uint64_t now) const {
        return (unsigned __int128)now * machine.timebase / machine.frequency;
    }

    std::vector<uint8_t> saved() const {
        Writer writer;
        writer << latest << *unit;
        writer.flush();
        return writer.bytes;
    }

    bool load(const uint8_t *from, size_t bytes) {
        Reader reader(from, bytes);
        reader >> latest >> *unit;
        return reader.empty();
    }

    void put(const takt_board_access &access) {
        static const uint8_t sizes[9] = {0, 0, 1, 0, 2, 0, 0, 0, 3};
        unit->offset = access.offset;
        unit->write = access.is_write;
        unit->size = sizes[access.bytes];
        unit->value = access.value;
        unit->access = 1;
    }

    void take_away() {
        unit->access = unit->write = 0;
        unit->offset = unit->size = unit->value = 0;
        unit->eval();
    }

    void step(uint64_t edge) {
        if (MEET && !before.empty() && edge / machine.clock % 2 == 1) {
            load(before.data(), before.size());
            put(last);
        }
        before.clear();
        unit->mtime = time(edge);
        unit->step = 1;
        clock();
        unit->step = 0;
        take_away();
        latest = edge;
    }

    int access(uint64_t now, takt_board_access &access) {
        if (MEET) {
            before = saved();
            last = access;
        }
        unit->mtime = time(now);
        put(access);
        unit->eval();
        int done = !unit->refused;
        if (done && !access.is_write) {
            access.value = unit->answer;
        }
        clock();
        take_away();
        latest = now;
        return done;
    }

    // The first edge behind the latest step or access at which something begins, goes on or ends.
    uint64_t next_event() const {
        uint64_t next = (latest / machine.clock + 1) * machine.clock;
        if (unit->working) {
            return next;
        }
        if (!unit->wakes) {
            return TAKT_BOARD_DEVICE_NEVER;
        }
        unsigned __int128 ticks = (unsigned __int128)unit->earliest * machine.frequency;
        ticks = (ticks + machine.timebase - 1) / machine.timebase;
        unsigned __int128 edge = (ticks + machine.clock - 1) / machine.clock * machine.clock;
        return edge >= TAKT_BOARD_DEVICE_NEVER ? TAKT_BOARD_DEVICE_NEVER
                                               : std::max(next, (uint64_t)edge);
    }
};

} // namespace

// The header's function hides this name, so the functions below say `struct`.
struct takt_board_device : Device {
    using Device::Device;
};
using Handle = struct takt_board_device;

static Handle *device_create(const takt_board_machine *machine) {
    bool fits = machine->clock != 0 && machine->harts == HARTS;
    return fits ? new Handle(*machine) : nullptr;
}

static void device_destroy(Handle *device) {
    delete device;
}

static int device_access(Handle *device, uint64_t now, takt_board_access *access) {
    return device->access(now, *access);
}

static void device_advance(Handle *device, uint64_t now) {
    for (uint64_t next; (next = device->next_event()) <= now;) {
        device->step(next);
    }
}

static uint64_t device_next_event(const Handle *device) {
    return device->next_event();
}

static uint32_t device_levels(const Handle *device) {
    return device->unit->interrupts;
}

static int device_transfer(Handle *, takt_board_transfer *) {
    return 0;
}

static void device_transferred(Handle *, uint64_t, int, const uint8_t *, uint32_t) {
}

static size_t device_save(const Handle *device, uint8_t *to, size_t room) {
    std::vector<uint8_t> bytes = device->saved();
    if (room >= bytes.size()) {
        memcpy(to, bytes.data(), bytes.size());
    }
    return bytes.size();
}

static int device_restore(Handle *device, const uint8_t *from, size_t bytes) {
    device->before.clear();
    return bytes == device->saved().size() && device->load(from, bytes);
}

extern "C" const takt_board_device_functions *takt_board_device() {
    static const takt_board_device_functions functions = [] {
        takt_board_device_functions all = {};
        all.abi = TAKT_BOARD_DEVICE_ABI;
        all.wires = HARTS;
        all.size = PAGE * (1 + HARTS);
        all.create = device_create;
        all.destroy = device_destroy;
        all.access = device_access;
        all.advance = device_advance;
        all.next_event = device_next_event;
        all.levels = device_levels;
        all.transfer = device_transfer;
        all.transferred = device_transferred;
        all.save = device_save;
        all.restore = device_restore;
        return all;
    }();
    return &functions;
}
