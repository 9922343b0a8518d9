/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a flattened device tree (Devicetree Specification 0.4, chapter 5) in place.
 *
 * A node is the offset of its token in the structure block. The tree's internal offsets may be used
 * only after devicetree_open() has accepted the tree. All loops are bounded by the tree's size. */
#ifndef DRIVERS_DEVICETREE_H
#define DRIVERS_DEVICETREE_H

#include <stdbool.h>
#include <stdint.h>

struct devicetree {
    const uint8_t *structure, *strings, *reservations;
    /* The reservations extend to the blob's end. */
    uint32_t structure_size, strings_size, reservations_size;
};

/* A property's value: big endian, not aligned. */
struct devicetree_value {
    const uint8_t *bytes; /* null: the node has no such property */
    uint32_t size;
};

#define DEVICETREE_ROOT 0
#define DEVICETREE_END  (-1)

/* Opens the device tree at `blob`; returns false if it is no device tree of at most `limit` bytes.
 * */
bool devicetree_open(struct devicetree *tree, const void *blob, uint32_t limit);

/* Returns the size of a device tree in bytes from its header; 0 if there is none. */
uint32_t devicetree_size(const void *blob);

/* Returns the first child of a node, and the next node with the same parent; DEVICETREE_END after
 * the last one. */
int32_t devicetree_child(const struct devicetree *tree, int32_t node);
int32_t devicetree_next(const struct devicetree *tree, int32_t node);

const char *devicetree_name(const struct devicetree *tree, int32_t node);
struct devicetree_value devicetree_property(const struct devicetree *tree, int32_t node,
                                            const char *name);

/* Returns the 32-bit cell at `index` of a value; 0 beyond the value's end. */
uint32_t devicetree_cell(struct devicetree_value value, uint32_t index);

/* Returns `cells` cells from `index` on as one number. */
uint64_t devicetree_number(struct devicetree_value value, uint32_t index, uint32_t cells);

/* Returns the property as one cell, or `otherwise` if the node has no such property. */
uint32_t devicetree_u32(const struct devicetree *tree, int32_t node, const char *name,
                        uint32_t otherwise);

/* Reads the `index`-th entry of a node's `reg`, whose cells the parent defines; returns false if
 * there is none. */
bool devicetree_reg(const struct devicetree *tree, int32_t node, int32_t parent, uint32_t index,
                    uint64_t *base, uint64_t *size);

/* Returns the node with this path, such as "/soc/serial@10000000"; DEVICETREE_END if there is none.
 * Also returns the node's parent, and its own or inherited `interrupt-parent` (0: none). */
int32_t devicetree_find(const struct devicetree *tree, const char *path, int32_t *parent,
                        uint32_t *interrupt_parent);

/* Returns whether one of the strings of the property is `text`. */
bool devicetree_has_string(struct devicetree_value value, const char *text);

/* Returns false if the node has a status that is neither "okay" nor "ok". */
bool devicetree_enabled(const struct devicetree *tree, int32_t node);

#endif
