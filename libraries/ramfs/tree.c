/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <heap.h>

#include "node.h"

static struct node root = {.name = "", .kind = RAMFS_DIRECTORY, .parent = &root};

/* takt finds this variable by its name, and reads the tree from it. */
struct {
    uint64_t version;
    struct node *root;
} takt_ramfs_tree = {1, &root};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_ready;

/* The first call fills the tree. */
void tree_lock(void) {
    pthread_mutex_lock(&mutex);
    if (!is_ready) {
        is_ready = true;
        initrd_unpack();
    }
}

void tree_unlock(void) {
    pthread_mutex_unlock(&mutex);
}

struct node *tree_child(const struct node *directory, const char *name, size_t length) {
    struct node *child = directory->first;
    while (child && (child->name_length != length || memcmp(child->name, name, length) != 0)) {
        child = child->next;
    }
    return child;
}

/* The name is stored behind the node. */
struct node *tree_add(struct node *directory, const char *name, size_t length, unsigned kind) {
    struct node *node = heap_allocate(sizeof *node + length + 1);
    if (!node) {
        return 0;
    }
    char *own_name = (char *)(node + 1);
    memcpy(own_name, name, length);
    own_name[length] = 0;
    *node = (struct node){.name = own_name,
                          .name_length = length,
                          .kind = kind,
                          .changed = 1,
                          .parent = directory,
                          .next = directory->first};
    directory->first = node;
    return node;
}

static void node_destroy(struct node *node) {
    content_resize(node, 0);
    if (node->name != (const char *)(node + 1)) {
        heap_free((void *)(uintptr_t)node->name);
    }
    heap_free(node);
}

struct directory_stream *takt_ramfs_streams;

/* Takes a node out of its directory's list. A stream that would have read it next reads the one
 * behind it. The loops are bounded by the open streams and the members of the directory. */
static void node_unlink(struct node *node) {
    struct directory_stream *stream = takt_ramfs_streams;
    for (; stream; stream = stream->other) {
        if (stream->next == node) {
            stream->next = node->next;
        }
    }
    struct node **place = &node->parent->first;
    while (*place != node) {
        place = &(*place)->next;
    }
    *place = node->next;
}

void tree_remove(struct node *node) {
    node_unlink(node);
    node->unlinked = true;
    if (node->opened == 0) {
        node_destroy(node);
    }
}

/* Notes that all nodes of a subtree are new where they are; once for each of them. */
static void subtree_change(struct node *top) {
    struct node *node = top;
    for (;;) {
        pthread_mutex_lock(&node->mutex);
        node->changed = node->kind != RAMFS_CONSOLE;
        pthread_mutex_unlock(&node->mutex);
        if (node->first) {
            node = node->first;
            continue;
        }
        while (node != top && !node->next) {
            node = node->parent;
        }
        if (node == top) {
            return;
        }
        node = node->next;
    }
}

/* A longer name gets memory of its own. */
bool tree_move(struct node *node, struct node *directory, const char *name, size_t length) {
    char *own_name = (char *)(uintptr_t)node->name;
    if (length > node->name_length) {
        own_name = heap_allocate(length + 1);
        if (!own_name) {
            return false;
        }
        if (node->name != (const char *)(node + 1)) {
            heap_free((void *)(uintptr_t)node->name);
        }
    }
    memcpy(own_name, name, length);
    own_name[length] = 0;
    node_unlink(node);
    node->name = own_name;
    node->name_length = length;
    node->parent = directory;
    node->next = directory->first;
    directory->first = node;
    subtree_change(node);
    return true;
}

void tree_close(struct node *node) {
    node->opened--;
    if (node->unlinked && node->opened == 0) {
        node_destroy(node);
    }
}

/* Follows one component of a path, down or up. */
static struct node *tree_step(struct node *directory, const char *name, size_t length, int *error) {
    struct node *next;
    if (directory->kind != RAMFS_DIRECTORY) {
        *error = ENOTDIR;
        return 0;
    }
    if (length == 1 && name[0] == '.') {
        next = directory;
    } else if (length == 2 && name[0] == '.' && name[1] == '.') {
        next = directory->parent;
    } else {
        next = tree_child(directory, name, length);
    }
    *error = next ? 0 : ENOENT;
    return next;
}

/* Relative paths also begin at the root. */
struct node *tree_find_parent(const char *path, const char **name, size_t *length, int *error) {
    if (path[0] == 0) {
        *error = ENOENT;
        return 0;
    }
    if (strnlen(path, RAMFS_PATH) == RAMFS_PATH) {
        *error = ENAMETOOLONG;
        return 0;
    }
    struct node *directory = takt_ramfs_tree.root;
    *name = ".";
    *length = 1;
    bool has_name = false;
    for (;;) {
        path += strspn(path, "/");
        size_t part = strcspn(path, "/");
        if (part > RAMFS_NAME) {
            *error = ENAMETOOLONG;
            return 0;
        }
        if (part == 0) {
            break;
        }
        if (has_name) {
            directory = tree_step(directory, *name, *length, error);
            if (!directory) {
                return 0;
            }
        }
        *name = path;
        *length = part;
        has_name = true;
        path += part;
    }
    *error = directory->kind == RAMFS_DIRECTORY ? 0 : ENOTDIR;
    return *error ? 0 : directory;
}

struct node *tree_find(const char *path, int *error) {
    const char *name;
    size_t length;
    struct node *directory = tree_find_parent(path, &name, &length, error);
    struct node *found = directory ? tree_step(directory, name, length, error) : 0;
    /* A slash at the end requires a directory. */
    if (found && name[length] == '/' && found->kind != RAMFS_DIRECTORY) {
        *error = ENOTDIR;
        return 0;
    }
    return found;
}
