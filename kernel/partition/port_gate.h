/* SPDX-License-Identifier: Apache-2.0 */
/* The services of ports as a partition's tasks call them: each checks the addresses that it is
 * given, which belong to user mode, and calls the service. The gate has checked the port's ID. */
#ifndef KERNEL_PORT_GATE_H
#define KERNEL_PORT_GATE_H

#include "object/queuing_port.h"
#include "object/sampling_port.h"

takt_error port_gate_sampling_write(takt_id port, const void *message);
takt_error port_gate_sampling_read(takt_id port, void *message, void *sample);
takt_error port_gate_queuing_send(takt_id port, const void *message, size_t size);
takt_error port_gate_queuing_receive(takt_id port, void *message, void *size, takt_time timeout);
takt_error port_gate_queuing_state(takt_id port, void *state);

#endif
