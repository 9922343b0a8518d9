/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that generate.py chooses. */
#ifndef STRESS_PARAMETERS_H
#define STRESS_PARAMETERS_H

/* The counters of one core's task on another core, each in a line of its own, so that cores share
 * only what is tested.
 * */
struct pair {
    unsigned accepted, refused;                 /* written by the source core */
    unsigned jobs __attribute__((aligned(64))); /* written by the target core */
} __attribute__((aligned(128)));

extern const unsigned stress_cores;
extern const unsigned stress_quota; /* the successful calls that each core must make */
extern const unsigned stress_burst; /* the calls to one target in a row */
extern struct pair pairs[];         /* source * cores + target */

#endif
