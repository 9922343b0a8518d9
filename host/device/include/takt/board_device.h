/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device of the modelled board as a shared library.
 *
 * The library exports one function, takt_board_device, which tells the machine all others. The
 * machine makes any number of devices by `create`, each a state machine of its own: it is told of
 * accesses and of the time, and calls nobody. So that runs are the same every time, it knows no
 * other time than `now`, and no state but its own: copies of a machine are run at once by several
 * threads, so a library has no variables that change. One device is called by one thread at a time,
 * but functions that take it `const` may be called by several.
 *
 * Times are cycles of the harts' clock, and never go backwards from call to call of one device.
 */
#ifndef TAKT_BOARD_DEVICE_H
#define TAKT_BOARD_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever anything below changes. */
#define TAKT_BOARD_DEVICE_ABI 1

/* What `next_event` answers when nothing will happen by itself. */
#define TAKT_BOARD_DEVICE_NEVER UINT64_MAX

/* The device's own state; the library defines it. */
struct takt_board_device;

/* An access to one of the device's registers, in the order of the machine. */
struct takt_board_access {
    uint64_t offset; /* from the start of the device's window, a multiple of bytes, inside */
    uint64_t value;  /* of a write, without bits above its width; of a read the answer goes here */
    uint32_t bytes;  /* 1, 2, 4 or 8 */
    uint32_t is_write;  /* 0 or 1 */
    uint32_t initiator; /* a hart's index, or a device's number beyond the harts */
    uint32_t reserved;  /* 0 */
};

/* A transfer in memory that the device wants; it lies in one line of 64 bytes. */
struct takt_board_transfer {
    uint64_t address;  /* physical */
    uint32_t bytes;    /* 1 to 64 */
    uint32_t is_write; /* 0 or 1 */
    uint8_t data[64];  /* of a write */
};

struct takt_board_device_functions {
    /* TAKT_BOARD_DEVICE_ABI; looked at before all else. */
    uint32_t abi;

    /* The device's interrupt wires, 0 to 32. */
    uint32_t wires;

    /* Bytes of the window of its registers, a multiple of 8, at least 8. */
    uint64_t size;

    /* A device as after a reset; NULL: it cannot be made. */
    struct takt_board_device *(*create)(void);

    /* The device is not used any more. */
    void (*destroy)(struct takt_board_device *device);

    /* An access that arrives at `now`. 1: done; 0: there is no such register, or not of this width,
     * an access fault. */
    int (*access)(struct takt_board_device *device, uint64_t now, struct takt_board_access *access);

    /* Lets everything happen that is due at `now`. */
    void (*advance)(struct takt_board_device *device, uint64_t now);

    /* When `advance` must be called next if nothing else happens: an interrupt that will rise at a
     * moment rises in the `advance` that this asks for. */
    uint64_t (*next_event)(const struct takt_board_device *device);

    /* The levels of the wires, bit i that of wire i; asked after each of the calls above and after
     * `transferred`. A change is seen by the interrupt controller at the moment of that call. */
    uint32_t (*levels)(const struct takt_board_device *device);

    /* The next transfer that it wants: 1, and the machine makes it, from this moment on, as a
     * core's request would go; 0: none. Asked after each call above. One at a time: not again
     * before `transferred`. */
    int (*transfer)(struct takt_board_device *device, struct takt_board_transfer *transfer);

    /* The transfer has been made (`done` 1; `data` are the bytes of a read) or was refused (0): no
     * memory is there, or it crosses a line. */
    void (*transferred)(struct takt_board_device *device, uint64_t now, int done,
                        const uint8_t *data, uint32_t bytes);

    /* The state as bytes: how many it takes, which are written if there is room for all. Equal
     * states give equal bytes. */
    size_t (*save)(const struct takt_board_device *device, uint8_t *to, size_t room);

    /* Takes a state that `save` of the same library gave: 1; 0: it is not one. */
    int (*restore)(struct takt_board_device *device, const uint8_t *from, size_t bytes);
};

/* What the library exports. The functions are there as long as it is loaded. */
const struct takt_board_device_functions *takt_board_device(void);

#ifdef __cplusplus
}
#endif

#endif
