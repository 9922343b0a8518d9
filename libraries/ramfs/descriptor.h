/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARIES_RAMFS_DESCRIPTOR_H
#define LIBRARIES_RAMFS_DESCRIPTOR_H

#include "node.h"

#define DESCRIPTORS 256

/* An open file. Mutexes are locked in this order: the tree's, a descriptor's, a file's. */
struct descriptor {
    pthread_mutex_t mutex;
    /* Written with both the tree's mutex and this one locked. NULL: not in use. */
    struct node *node;
    /* Guarded by the mutex. */
    int flags;
    uint64_t position;
};

/* Returns the lowest descriptor that is not in use; NULL: all are in use. The tree's mutex is
 * locked. */
struct descriptor *descriptor_find(int *number);

struct stat;
/* Fills the status that stat and fstat return. */
void node_status(struct node *node, struct stat *status);

/* Sets errno and returns -1. */
int failed(int error);

#endif
