/* SPDX-License-Identifier: Apache-2.0 */
/* The controller that brings interrupts of devices to harts: one interface for all kinds.
 *
 * A context is the controller's number of a hart in S-mode, a source that of a device's interrupt,
 * from 1. Levels are 1 (lowest) to 7. No function waits or loops but `reset` and `open`. */
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
    /* Disables all sources and opens the controller; once, before all else. */
    void (*reset)(const struct interrupt_controller *controller);
    /* Lets a context take sources of any level; none is delivered to it yet. On its hart. False:
     * nothing reaches it. */
    bool (*open)(const struct interrupt_controller *controller, uint32_t context);
    /* Prepares a source, disabled: high or, with `edge`, rising. Higher levels first, before any
     * context is open. */
    void (*prepare)(const struct interrupt_controller *controller, uint32_t source, bool edge,
                    uint32_t level);

    /* The source of the highest level that is pending for the context, 0: none. It is not pending
     * again before it is complete. It may be below the threshold. */
    uint32_t (*claim)(const struct interrupt_controller *controller, uint32_t context);
    void (*complete)(const struct interrupt_controller *controller, uint32_t context,
                     uint32_t source);
    /* Lets a context be interrupted by levels above this one only. */
    void (*threshold)(const struct interrupt_controller *controller, uint32_t context,
                      uint32_t level);

    /* From any hart, one store. What is pending stays so. */
    void (*enable)(const struct interrupt_controller *controller, uint32_t source, uint32_t level);
    void (*disable)(const struct interrupt_controller *controller, uint32_t source);
    bool (*pending)(const struct interrupt_controller *controller, uint32_t source);

    /* Ends the delivery to `from`, on that hart; then begins that to `to`, on that one. */
    void (*leave)(const struct interrupt_controller *controller, uint32_t source, uint32_t from,
                  uint32_t to, uint32_t level);
    void (*arrive)(const struct interrupt_controller *controller, uint32_t source, uint32_t to,
                   uint32_t level);
};

extern const struct interrupt_driver plic_driver, aplic_driver;

#endif
