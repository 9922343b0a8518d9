/* SPDX-License-Identifier: Apache-2.0 */
/* What the control core knows of all cores; the tables are made from the description. */
#ifndef LIBRARIES_DATAFLOW_SCHEDULER_H
#define LIBRARIES_DATAFLOW_SCHEDULER_H

#include "transport.h"

/* An object: "step1[3] on core 4", its longest execution as text and in nanoseconds. */
struct object {
    const char *name, *wcet;
    uint64_t wcet_ns;
};

/* The image of some workers; the last row has none. */
struct image {
    const uint8_t *start, *end;
    uint32_t cores; /* bit c: core c */
};

extern const struct object dataflow_objects[];
extern const char *const dataflow_edges[];
extern const struct image dataflow_images[];
extern const uint32_t dataflow_cores;        /* bit c: core c has objects, or is the control core */
extern const int64_t dataflow_longest_wcet;  /* of all objects, in nanoseconds */
extern const uint64_t dataflow_scratchpad;   /* the physical address of each */
extern const uint64_t dataflow_image_offset; /* in a worker's scratchpad */
extern const uint64_t dataflow_lowest_buffer;   /* in the control core's scratchpad */
extern void (*const dataflow_sequential)(void); /* null: none */
extern uint32_t (*const dataflow_check)(void);  /* null: none */

/* From the linker script: the end of the variables in the control core's scratchpad. */
extern uint8_t dataflow_local_end[];

enum { CONTROL_CORE = 0 };

/* The control core's task: loads the workers, executes the graph, checks it, and ends the run. */
void takt_dataflow_scheduler(intptr_t unused);

/* The cyclic handler that ends the run if a core hangs or has failed. Bound: the cores. */
void takt_dataflow_watch(intptr_t unused);

#endif
