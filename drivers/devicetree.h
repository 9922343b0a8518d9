/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a flattened device tree (Devicetree Specification 0.4, chapter 5), in place.
 *
 * A node is the offset of its token in the structure block. All functions trust the tree's
 * internal offsets only after devicetree_valid(). Loops are bounded by the tree's size. */
#ifndef DRIVERS_DEVICETREE_H
#define DRIVERS_DEVICETREE_H

#include <stdbool.h>
#include <stdint.h>

struct devicetree {
    const uint8_t *structure, *strings, *reservations;
    uint32_t structure_size, strings_size, reservations_size; /* the last: to the blob's end */
};

/* A property's value, big endian, not aligned. */
struct devicetree_value {
    const uint8_t *bytes; /* null: the node has no such property */
    uint32_t size;
};

#define DEVICETREE_ROOT 0
#define DEVICETREE_END  (-1)

/* False when `blob` is no device tree of at most `limit` bytes. */
bool devicetree_open(struct devicetree *tree, const void *blob, uint32_t limit);

/* Size in bytes of a device tree, from its header; 0 when it is none. */
uint32_t devicetree_size(const void *blob);

/* The first child of a node, and the next node with the same parent; DEVICETREE_END after the
 * last. */
int32_t devicetree_child(const struct devicetree *tree, int32_t node);
int32_t devicetree_next(const struct devicetree *tree, int32_t node);

const char *devicetree_name(const struct devicetree *tree, int32_t node);
struct devicetree_value devicetree_property(const struct devicetree *tree, int32_t node,
                                            const char *name);

/* The 32-bit cell at `index` of a value; 0 beyond its end. */
uint32_t devicetree_cell(struct devicetree_value value, uint32_t index);

/* `cells` cells from `index` as one number. */
uint64_t devicetree_number(struct devicetree_value value, uint32_t index, uint32_t cells);

/* The property as one cell, `otherwise` when it is missing. */
uint32_t devicetree_u32(const struct devicetree *tree, int32_t node, const char *name,
                        uint32_t otherwise);

/* The `index`-th place of a node's `reg`, whose cells its parent counts; false when there is none.
 */
bool devicetree_reg(const struct devicetree *tree, int32_t node, int32_t parent, uint32_t index,
                    uint64_t *base, uint64_t *size);

/* The node with this path, such as "/soc/serial@10000000"; DEVICETREE_END when there is none. Also
 * its parent, and the `interrupt-parent` that is its own or inherited (0: none). */
int32_t devicetree_find(const struct devicetree *tree, const char *path, int32_t *parent,
                        uint32_t *interrupt_parent);

/* True when one of the strings of the property is `text`. */
bool devicetree_has_string(struct devicetree_value value, const char *text);

/* False when the node's status is there and neither "okay" nor "ok". */
bool devicetree_enabled(const struct devicetree *tree, int32_t node);

#endif
