/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device as an example: an alarm clock that also adds to a doubleword of memory.
 *
 *     0x00 after    writing n lets it ring n cycles from now; reading tells the cycles until then,
 * 0 if it does not 0x08 rung     how often it rang; writing anything takes the interrupt away 0x10
 * address  of a doubleword in memory, a multiple of 8 0x18 add      writing n reads the doubleword,
 * adds n and writes it back; reads 1 while it does, 2 if that was refused
 *
 * Registers are of 8 bytes. Compile it with  cc -shared -fPIC -I host/device/include -o alarm.so
 * alarm.c
 */
#include <stdlib.h>
#include <string.h>
#include <takt/board_device.h>

enum { IDLE, WANTS_READ, READING, WANTS_WRITE, WRITING, REFUSED };

struct takt_board_device {
    uint64_t now; /* the time of the latest call */
    uint64_t rings_at;
    uint64_t rung;
    uint64_t interrupt;
    uint64_t address;
    uint64_t addend;
    uint64_t value;
    uint64_t step;
};

static struct takt_board_device *create(const struct takt_board_machine *machine) {
    (void)machine;
    struct takt_board_device *device = calloc(1, sizeof *device);
    if (device != NULL) {
        device->rings_at = TAKT_BOARD_DEVICE_NEVER;
    }
    return device;
}

static void destroy(struct takt_board_device *device) {
    free(device);
}

static void advance(struct takt_board_device *device, uint64_t now) {
    device->now = now;
    if (device->rings_at <= now) {
        device->rings_at = TAKT_BOARD_DEVICE_NEVER;
        device->rung++;
        device->interrupt = 1;
    }
}

static uint64_t read_register(const struct takt_board_device *device, uint64_t offset) {
    switch (offset) {
    case 0x00:
        return device->rings_at == TAKT_BOARD_DEVICE_NEVER ? 0 : device->rings_at - device->now;
    case 0x08:
        return device->rung;
    case 0x10:
        return device->address;
    default:
        return device->step == REFUSED ? 2 : device->step != IDLE;
    }
}

static void write_register(struct takt_board_device *device, uint64_t offset, uint64_t value) {
    switch (offset) {
    case 0x00:
        device->rings_at = device->now + value;
        break;
    case 0x08:
        device->interrupt = 0;
        break;
    case 0x10:
        device->address = value & ~(uint64_t)7;
        break;
    default:
        if (device->step == IDLE || device->step == REFUSED) {
            device->addend = value;
            device->step = WANTS_READ;
        }
    }
}

static int access(struct takt_board_device *device, uint64_t now,
                  struct takt_board_access *access) {
    if (access->bytes != 8 || access->offset > 0x18) {
        return 0;
    }
    device->now = now;
    if (access->is_write) {
        write_register(device, access->offset, access->value);
    } else {
        access->value = read_register(device, access->offset);
    }
    return 1;
}

static uint64_t next_event(const struct takt_board_device *device) {
    return device->rings_at;
}

static uint32_t levels(const struct takt_board_device *device) {
    return (uint32_t)device->interrupt;
}

static int transfer(struct takt_board_device *device, struct takt_board_transfer *transfer) {
    if (device->step != WANTS_READ && device->step != WANTS_WRITE) {
        return 0;
    }
    transfer->address = device->address;
    transfer->bytes = 8;
    transfer->is_write = device->step == WANTS_WRITE;
    memcpy(transfer->data, &device->value, sizeof device->value);
    device->step++;
    return 1;
}

static void transferred(struct takt_board_device *device, uint64_t now, int done,
                        const uint8_t *data, uint32_t bytes) {
    device->now = now;
    if (!done) {
        device->step = REFUSED;
    } else if (device->step == READING && bytes == sizeof device->value) {
        memcpy(&device->value, data, sizeof device->value);
        device->value += device->addend;
        device->step = WANTS_WRITE;
    } else {
        device->step = IDLE;
    }
}

static size_t save(const struct takt_board_device *device, uint8_t *to, size_t room) {
    if (room >= sizeof *device) {
        memcpy(to, device, sizeof *device);
    }
    return sizeof *device;
}

static int restore(struct takt_board_device *device, const uint8_t *from, size_t bytes) {
    if (bytes != sizeof *device) {
        return 0;
    }
    memcpy(device, from, sizeof *device);
    return 1;
}

const struct takt_board_device_functions *takt_board_device(void) {
    static const struct takt_board_device_functions functions = {
        .abi = TAKT_BOARD_DEVICE_ABI,
        .wires = 1,
        .size = 0x1000,
        .create = create,
        .destroy = destroy,
        .access = access,
        .advance = advance,
        .next_event = next_event,
        .levels = levels,
        .transfer = transfer,
        .transferred = transferred,
        .save = save,
        .restore = restore,
    };
    return &functions;
}
