/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARIES_RAMFS_DESCRIPTOR_H
#define LIBRARIES_RAMFS_DESCRIPTOR_H

#include "node.h"

#define DESCRIPTORS 256

/* A file that is open. Lock order: the tree, a descriptor, a file. */
struct descriptor {
    pthread_mutex_t mutex;
    /* Written with the tree's mutex and this one's held. NULL: not in use. */
    struct node *node;
    /* Guarded by the mutex. */
    int flags;
    uint64_t position;
};

/* The lowest one that is not in use; NULL: all are. With the tree's mutex held. */
struct descriptor *descriptor_find(int *number);

struct stat;
/* What stat and fstat say. */
void node_status(struct node *node, struct stat *status);

/* Sets errno; returns -1. */
int failed(int error);

#endif
