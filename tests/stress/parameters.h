/* SPDX-License-Identifier: Apache-2.0 */
/* What generate.py decides. */
#ifndef STRESS_PARAMETERS_H
#define STRESS_PARAMETERS_H

/* One core's task on another core; a line each, so that only the test's subject is shared. */
struct pair {
    unsigned accepted, refused;                 /* written by the source core */
    unsigned jobs __attribute__((aligned(64))); /* written by the target core */
} __attribute__((aligned(128)));

extern const unsigned stress_cores;
extern const unsigned stress_quota; /* of each core: calls that must succeed */
extern const unsigned stress_burst; /* calls in a row on one target */
extern struct pair pairs[];         /* source * cores + target */

#endif
