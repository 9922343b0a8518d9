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

/* The version of this interface, raised with every change of it. */
#define TAKT_BOARD_DEVICE_ABI 2

/* The result of `next_event` of a device that will do nothing by itself. */
#define TAKT_BOARD_DEVICE_NEVER UINT64_MAX

/* The device's own state, which the library defines. */
struct takt_board_device;

/* The machine in which a device is. */
struct takt_board_machine {
    uint64_t frequency; /* of the harts' clock, in hertz */
    uint64_t timebase;  /* of `mtime`, in hertz: at `now` it is now x timebase / frequency */
    uint64_t clock;     /* cycles in one of the device's clock, if the board says so; else 1 */
    uint32_t harts;
    uint32_t reserved; /* 0 */
};

/* An access to one of the device's registers, in the order in which the machine performs accesses.
 */
struct takt_board_access {
    uint64_t
        offset; /* from the start of the device's window; a multiple of bytes, inside the window */
    uint64_t value; /* the value of a write, without bits above its width; a read stores its result
                       here */
    uint32_t bytes; /* 1, 2, 4 or 8 */
    uint32_t is_write;  /* 0 or 1 */
    uint32_t initiator; /* a hart's index, or a device's number beyond the harts */
    uint32_t reserved;  /* 0 */
};

/* A transfer from or to memory that the device requests. It lies within one line of 64 bytes. */
struct takt_board_transfer {
    uint64_t address;  /* a physical address */
    uint32_t bytes;    /* 1 to 64 */
    uint32_t is_write; /* 0 or 1 */
    uint8_t data[64];  /* the bytes of a write */
};

struct takt_board_device_functions {
    /* TAKT_BOARD_DEVICE_ABI; the machine checks it before it reads any other field. */
    uint32_t abi;

    /* The number of the device's interrupt wires, 0 to 32. */
    uint32_t wires;

    /* The size of the window of its registers in bytes, a multiple of 8, at least 8. */
    uint64_t size;

    /* Creates a device in the state after a reset, which may keep what it needs of `machine`;
     * returns NULL if that fails, or if the device is not one for this machine. */
    struct takt_board_device *(*create)(const struct takt_board_machine *machine);

    /* Destroys a device, which is not used any more. */
    void (*destroy)(struct takt_board_device *device);

    /* Performs an access that arrives at `now`. Returns 1 on success. Returns 0, which is an access
     * fault, if there is no such register or if it does not have this width. */
    int (*access)(struct takt_board_device *device, uint64_t now, struct takt_board_access *access);

    /* Performs everything that is due at `now`. */
    void (*advance)(struct takt_board_device *device, uint64_t now);

    /* Returns when `advance` must be called next if no other call comes first. An interrupt that is
     * to rise at a given time rises in the call of `advance` at that time. */
    uint64_t (*next_event)(const struct takt_board_device *device);

    /* Returns the levels of the wires, bit i for wire i. The machine calls it after each of the
     * functions above and after `transferred`; the interrupt controller sees a change at the time
     * of that call. */
    uint32_t (*levels)(const struct takt_board_device *device);

    /* Returns 1 and the next transfer, which the machine then begins at this time, like a request
     * of a core; or 0 if the device requests none. The machine calls it after each of the functions
     * above, but not while a transfer is under way, which ends with `transferred`. */
    int (*transfer)(struct takt_board_device *device, struct takt_board_transfer *transfer);

    /* Ends a transfer: it was performed (`done` is 1; `data` holds the bytes of a read), or it was
     * refused (0) because there is no memory at its address or because it crosses a line. */
    void (*transferred)(struct takt_board_device *device, uint64_t now, int done,
                        const uint8_t *data, uint32_t bytes);

    /* Writes the state to `to` if there is room for all of it. Returns the size of the state in
     * bytes. Equal states give equal bytes. */
    size_t (*save)(const struct takt_board_device *device, uint8_t *to, size_t room);

    /* Replaces the state by one that `save` of the same library wrote. Returns 1, or 0 if the bytes
     * are no such state.
     * */
    int (*restore)(struct takt_board_device *device, const uint8_t *from, size_t bytes);
};

/* The function that the library exports. The functions to which it points exist as long as the
 * library is loaded. */
const struct takt_board_device_functions *takt_board_device(void);

#ifdef __cplusplus
}
#endif

#endif
