/* SPDX-License-Identifier: Apache-2.0 */
/* This declares the tree of files, and a file's content. docs/design/threads.md, "Files". */
#ifndef LIBRARIES_RAMFS_NODE_H
#define LIBRARIES_RAMFS_NODE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMFS_BLOCK   4096u
#define RAMFS_ENTRIES 512u /* of each of the two levels */
#define RAMFS_LARGEST ((uint64_t)RAMFS_BLOCK * RAMFS_ENTRIES * RAMFS_ENTRIES)
#define RAMFS_NAME    255u
#define RAMFS_PATH    1024u

enum { RAMFS_DIRECTORY = 1, RAMFS_FILE = 2, RAMFS_CONSOLE = 3 };

typedef uint8_t *ramfs_leaf[RAMFS_ENTRIES]; /* blocks; NULL: not written yet */
typedef ramfs_leaf *ramfs_table[RAMFS_ENTRIES];

/* A file or directory. Up to `table` takt reads it from the machine's memory when the run has
 * ended: host/cli/src/files/output.rs has the same offsets. */
struct node {
    /* Guarded by the tree's mutex. */
    struct node *first; /* of a directory: what is in it */
    struct node *next;  /* in its directory */
    const char *name;
    uint64_t name_length;
    uint64_t kind;
    /* Guarded by `mutex`. */
    uint64_t changed; /* whether the run has made or written it */
    uint64_t size;
    const uint8_t *origin; /* the content from the initrd, where no block is */
    uint64_t origin_size;  /* at most `size` */
    ramfs_table *table;    /* NULL: no block is */
    pthread_mutex_t mutex;
    /* Guarded by the tree's mutex. */
    struct node *parent;
    unsigned opened; /* by so many descriptors */
    bool unlinked;   /* freed when the last one is closed */
};
_Static_assert(offsetof(struct node, kind) == 32, "read by takt");
_Static_assert(offsetof(struct node, table) == 72, "read by takt");

/* --- The tree: with the tree's mutex held ---------------------------------------------------- */

void tree_lock(void);
void tree_unlock(void);

/* Where a path leads: NULL, and the error, where it does not. */
struct node *tree_find(const char *path, int *error);

/* The directory of a path's last part, and that part: `name` is in the path, `length` not 0. */
struct node *tree_find_parent(const char *path, const char **name, size_t *length, int *error);

/* What has the name in a directory; NULL: nothing. */
struct node *tree_child(const struct node *directory, const char *name, size_t length);

/* Makes a node in a directory. NULL: there is no memory. */
struct node *tree_add(struct node *directory, const char *name, size_t length, unsigned kind);

/* Takes a node out of its directory; its memory goes when nobody has it open. */
void tree_remove(struct node *node);

/* One descriptor less. */
void tree_close(struct node *node);

/* Fills the tree from the initrd; panics where that is damaged. */
void initrd_unpack(void);

/* --- A file's content: with the file's mutex held -------------------------------------------- */

/* Copies what is there; returns how much. */
size_t content_read(const struct node *file, uint64_t position, void *buffer, size_t count);

/* Copies as much as there is memory for; returns how much. */
size_t content_write(struct node *file, uint64_t position, const void *buffer, size_t count);

/* Shortens the file, or lengthens it by zeros. */
void content_resize(struct node *file, uint64_t size);

#endif
