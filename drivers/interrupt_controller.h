/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a controller that delivers device interrupts to harts, the same for all kinds of
 * controllers.
 *
 * A context is the controller's number of a hart in S-mode, a source the number of a device's
 * interrupt, from 1. Levels are 1 (lowest) to 7. Only `reset` and `open` wait or have loops. */
#ifndef DRIVERS_INTERRUPT_CONTROLLER_H
#define DRIVERS_INTERRUPT_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

struct interrupt_controller {
    const struct interrupt_driver *driver;
    volatile uint8_t *base;
    uint32_t source_count;
};

struct interrupt_driver {
    /* Disables all sources and initialises the controller. Called once, before any other function.
     * */
    void (*reset)(const struct interrupt_controller *controller);
    /* Lets a context receive sources of any level; no source is delivered to it yet. Called on the
     * context's hart. Returns false if the context cannot be reached. */
    bool (*open)(const struct interrupt_controller *controller, uint32_t context);
    /* Configures a source and leaves it disabled: level-triggered (high) or, with `edge`,
     * edge-triggered (rising). Sources of higher levels are prepared first, before any context is
     * open. */
    void (*prepare)(const struct interrupt_controller *controller, uint32_t source, bool edge,
                    uint32_t level);

    /* Null, or returns the register of a context that is read to claim, and written to complete a
     * source; the two functions that come next are null then. */
    volatile uint32_t *(*claim_register)(const struct interrupt_controller *controller,
                                         uint32_t context);
    /* Claims the source of the highest level that is pending for the context and returns it; 0:
     * none. The source does not become pending again before it is completed. Its level may be below
     * the threshold. */
    uint32_t (*claim)(const struct interrupt_controller *controller, uint32_t context);
    void (*complete)(const struct interrupt_controller *controller, uint32_t context,
                     uint32_t source);
    /* Lets a context be interrupted only by levels above this one. */
    void (*threshold)(const struct interrupt_controller *controller, uint32_t context,
                      uint32_t level);

    /* Enables or disables a source with one store, on any hart. Pending interrupts stay pending. */
    void (*enable)(const struct interrupt_controller *controller, uint32_t source, uint32_t level);
    void (*disable)(const struct interrupt_controller *controller, uint32_t source);
    bool (*pending)(const struct interrupt_controller *controller, uint32_t source);

    /* `leave` ends the delivery to `from` and is called on that hart; then `arrive` begins the
     * delivery to `to` and is called on that one. */
    void (*leave)(const struct interrupt_controller *controller, uint32_t source, uint32_t from,
                  uint32_t to, uint32_t level);
    void (*arrive)(const struct interrupt_controller *controller, uint32_t source, uint32_t to,
                   uint32_t level);
};

extern const struct interrupt_driver plic_driver, aplic_driver;

#endif
