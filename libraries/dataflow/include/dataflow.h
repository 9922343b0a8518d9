/* SPDX-License-Identifier: Apache-2.0 */
/* Objects and edges, on a mesh of cores without shared memory or on a board with it.
 *
 * An object is a function, void entry(const struct dataflow_ENTRY *ports), that reads its inputs,
 * writes its outputs and returns. <takt/dataflow_system.h> has the structure of each entry, with a
 * pointer for each port; a port for which the object has no edge is null. An object of a worker
 * may call the C library's functions that need no console and no heap, and no service of takt: on a
 * mesh it runs in machine mode without a kernel. */
#ifndef LIBRARIES_DATAFLOW_H
#define LIBRARIES_DATAFLOW_H

#include <stdint.h>

#include <takt/dataflow_system.h>

/* Places a variable of static storage into the control core's scratchpad, and on a worker into that
 * worker's, where everything is. On the control core it must have no initialiser, and its value is
 * unspecified until the application has written it, as from the start hook. In shared memory it is
 * as any other variable. */
#ifdef DATAFLOW_SHARED
#define DATAFLOW_LOCAL
#else
#define DATAFLOW_LOCAL __attribute__((section(".dataflow_local")))
#endif

/* The number of the present iteration, from 0, on the core that asks. Only in a graph with
 * `iterations`. Context: an object. */
uint32_t dataflow_iteration(void);

/* Ends the iterations: the present one is the last. Only in a graph with `until`. Context: the
 * object that `until` names. */
void dataflow_end(void);

#endif
