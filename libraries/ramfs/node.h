/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the tree of files, and the content of a file. docs/design/threads.md, "Files". */
#ifndef LIBRARIES_RAMFS_NODE_H
#define LIBRARIES_RAMFS_NODE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMFS_BLOCK   4096u
#define RAMFS_ENTRIES 512u /* entries of each of the two levels */
#define RAMFS_LARGEST ((uint64_t)RAMFS_BLOCK * RAMFS_ENTRIES * RAMFS_ENTRIES)
#define RAMFS_NAME    255u
#define RAMFS_PATH    1024u

enum { RAMFS_DIRECTORY = 1, RAMFS_FILE = 2, RAMFS_CONSOLE = 3 };

typedef uint8_t *ramfs_leaf[RAMFS_ENTRIES]; /* blocks; NULL: not written yet */
typedef ramfs_leaf *ramfs_table[RAMFS_ENTRIES];

/* A file or directory. takt reads the fields up to `table` from the machine's memory after the run:
 * host/cli/src/files/output.rs knows their offsets. */
struct node {
    /* Guarded by the tree's mutex. */
    struct node *first; /* the first member of a directory */
    struct node *next;  /* the next member of the same directory */
    const char *name;
    uint64_t name_length;
    uint64_t kind;
    /* Guarded by `mutex`. */
    uint64_t changed; /* whether the run has created or written it */
    uint64_t size;
    const uint8_t *origin; /* the content from the initrd, used where there is no block */
    uint64_t origin_size;  /* at most `size` */
    ramfs_table *table;    /* NULL: there are no blocks */
    pthread_mutex_t mutex;
    /* Guarded by the tree's mutex. */
    struct node *parent;
    unsigned opened; /* the number of descriptors */
    bool unlinked;   /* freed when the last one is closed */
};
_Static_assert(offsetof(struct node, kind) == 32, "read by takt");
_Static_assert(offsetof(struct node, table) == 72, "read by takt");

/* --- The tree: the tree's mutex is locked ------------------------------------------------------
 * */

void tree_lock(void);
void tree_unlock(void);

/* Returns the node of a path; NULL, with the error, if there is none. */
struct node *tree_find(const char *path, int *error);

/* Returns the directory of a path's last component, and that component: `name` points into the
 * path, and `length` is not 0. */
struct node *tree_find_parent(const char *path, const char **name, size_t *length, int *error);

/* Returns the member of a directory with this name; NULL: there is none. */
struct node *tree_child(const struct node *directory, const char *name, size_t length);

/* Creates a node in a directory; NULL: there is no memory. */
struct node *tree_add(struct node *directory, const char *name, size_t length, unsigned kind);

/* Removes a node from its directory; its memory is freed when it is not open any more. */
void tree_remove(struct node *node);

/* Moves a node to another directory, or gives it another name; returns false, with nothing changed,
 * if there is no memory. */
bool tree_move(struct node *node, struct node *directory, const char *name, size_t length);

/* What opendir has opened; guarded by the tree's mutex. */
struct directory_stream {
    struct directory_stream *other; /* the next one of all open streams */
    struct node *directory;
    struct node *next; /* the member to be read next */
};
extern struct directory_stream *takt_ramfs_streams;

/* Accounts for a descriptor that was closed. */
void tree_close(struct node *node);

/* Fills the tree from the initrd; panics if the initrd is damaged. */
void initrd_unpack(void);

/* --- A file's content: the file's mutex is locked ----------------------------------------------
 * */

/* Copies as many bytes as the file has; returns their number. */
size_t content_read(const struct node *file, uint64_t position, void *buffer, size_t count);

/* Copies as many bytes as there is memory for; returns their number. */
size_t content_write(struct node *file, uint64_t position, const void *buffer, size_t count);

/* Shortens the file, or extends it with zeros. */
void content_resize(struct node *file, uint64_t size);

#endif
