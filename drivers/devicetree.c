/* SPDX-License-Identifier: Apache-2.0 */
#include "devicetree.h"

#include <string.h>

enum token { BEGIN_NODE = 1, END_NODE = 2, PROPERTY = 3, NOP = 4, END = 9 };

#define MAGIC 0xd00dfeed

static uint32_t big_endian(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

uint32_t devicetree_size(const void *blob) {
    const uint8_t *header = blob;
    return big_endian(header) == MAGIC ? big_endian(header + 4) : 0;
}

bool devicetree_open(struct devicetree *tree, const void *blob, uint32_t limit) {
    const uint8_t *header = blob;
    uint32_t total = devicetree_size(blob);
    if (total < 40 || total > limit) {
        return false;
    }
    uint32_t structure = big_endian(header + 8), strings = big_endian(header + 12);
    uint32_t strings_size = big_endian(header + 32), structure_size = big_endian(header + 36);
    if (structure > total || structure_size > total - structure || strings > total ||
        strings_size > total - strings || big_endian(header + 16) > total - 16) {
        return false;
    }
    *tree = (struct devicetree){.structure = header + structure,
                                .strings = header + strings,
                                .reservations = header + big_endian(header + 16),
                                .reservations_size = total - big_endian(header + 16),
                                .structure_size = structure_size,
                                .strings_size = strings_size};
    return devicetree_child(tree, DEVICETREE_ROOT) != DEVICETREE_END;
}

/* The token at `at`; END beyond the structure block. */
static uint32_t token_at(const struct devicetree *tree, uint32_t at) {
    return at + 4 <= tree->structure_size ? big_endian(tree->structure + at) : END;
}

/* The offset of the next token, behind the token at `at` and its content. */
static uint32_t after(const struct devicetree *tree, uint32_t at) {
    uint32_t content = 0;
    switch (token_at(tree, at)) {
    case BEGIN_NODE:
        content =
            strnlen((const char *)tree->structure + at + 4, tree->structure_size - at - 4) + 1;
        break;
    case PROPERTY:
        content = 8 + (at + 8 <= tree->structure_size ? big_endian(tree->structure + at + 4) : 0);
        break;
    }
    if (content > tree->structure_size - at) {
        return tree->structure_size;
    }
    return at + 4 + ((content + 3) & ~3u);
}

/* The offset of the next begin or end of a node, from `at` on. */
static uint32_t skip_properties(const struct devicetree *tree, uint32_t at) {
    while (token_at(tree, at) == PROPERTY || token_at(tree, at) == NOP) {
        at = after(tree, at);
    }
    return at;
}

int32_t devicetree_child(const struct devicetree *tree, int32_t node) {
    uint32_t at = skip_properties(tree, after(tree, (uint32_t)node));
    return token_at(tree, at) == BEGIN_NODE ? (int32_t)at : DEVICETREE_END;
}

int32_t devicetree_next(const struct devicetree *tree, int32_t node) {
    uint32_t at = after(tree, (uint32_t)node);
    for (int depth = 1; depth > 0;) {
        at = skip_properties(tree, at);
        uint32_t token = token_at(tree, at);
        if (token != BEGIN_NODE && token != END_NODE) {
            return DEVICETREE_END;
        }
        depth += token == BEGIN_NODE ? 1 : -1;
        at = after(tree, at);
    }
    at = skip_properties(tree, at);
    return token_at(tree, at) == BEGIN_NODE ? (int32_t)at : DEVICETREE_END;
}

const char *devicetree_name(const struct devicetree *tree, int32_t node) {
    return (const char *)tree->structure + node + 4;
}

struct devicetree_value devicetree_property(const struct devicetree *tree, int32_t node,
                                            const char *name) {
    uint32_t at = after(tree, (uint32_t)node);
    for (; token_at(tree, at) == PROPERTY || token_at(tree, at) == NOP; at = after(tree, at)) {
        if (token_at(tree, at) == NOP || after(tree, at) == tree->structure_size) {
            continue;
        }
        uint32_t name_offset = big_endian(tree->structure + at + 8);
        if (name_offset < tree->strings_size &&
            strncmp((const char *)tree->strings + name_offset, name,
                    tree->strings_size - name_offset) == 0) {
            return (struct devicetree_value){tree->structure + at + 12,
                                             big_endian(tree->structure + at + 4)};
        }
    }
    return (struct devicetree_value){0};
}

uint32_t devicetree_cell(struct devicetree_value value, uint32_t index) {
    return index < value.size / 4 ? big_endian(value.bytes + (size_t)index * 4) : 0;
}

uint64_t devicetree_number(struct devicetree_value value, uint32_t index, uint32_t cells) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < cells; i++) {
        number = number << 32 | devicetree_cell(value, index + i);
    }
    return number;
}

uint32_t devicetree_u32(const struct devicetree *tree, int32_t node, const char *name,
                        uint32_t otherwise) {
    struct devicetree_value value = devicetree_property(tree, node, name);
    return value.size >= 4 ? devicetree_cell(value, 0) : otherwise;
}

bool devicetree_has_string(struct devicetree_value value, const char *text) {
    size_t length = strlen(text) + 1;
    for (uint32_t at = 0; at < value.size;) {
        const char *string = (const char *)value.bytes + at;
        uint32_t string_size = strnlen(string, value.size - at) + 1;
        if (string_size == length && memcmp(string, text, length - 1) == 0) {
            return true;
        }
        at += string_size;
    }
    return false;
}

bool devicetree_enabled(const struct devicetree *tree, int32_t node) {
    struct devicetree_value status = devicetree_property(tree, node, "status");
    return status.bytes == 0 || devicetree_has_string(status, "okay") ||
           devicetree_has_string(status, "ok");
}

bool devicetree_reg(const struct devicetree *tree, int32_t node, int32_t parent, uint32_t index,
                    uint64_t *base, uint64_t *size) {
    uint32_t address_cells = devicetree_u32(tree, parent, "#address-cells", 2);
    uint32_t size_cells = devicetree_u32(tree, parent, "#size-cells", 1);
    struct devicetree_value reg = devicetree_property(tree, node, "reg");
    uint32_t at = index * (address_cells + size_cells);
    if (address_cells > 2 || size_cells > 2 || at + address_cells + size_cells > reg.size / 4) {
        return false;
    }
    *base = devicetree_number(reg, at, address_cells);
    *size = devicetree_number(reg, at + address_cells, size_cells);
    return true;
}

/* The child whose name consists of the first `length` characters of `name`. */
static int32_t child_called(const struct devicetree *tree, int32_t node, const char *name,
                            size_t length) {
    int32_t child = devicetree_child(tree, node);
    while (child != DEVICETREE_END) {
        const char *other = devicetree_name(tree, child);
        if (strncmp(other, name, length) == 0 && other[length] == 0) {
            break;
        }
        child = devicetree_next(tree, child);
    }
    return child;
}

int32_t devicetree_find(const struct devicetree *tree, const char *path, int32_t *parent,
                        uint32_t *interrupt_parent) {
    int32_t node = DEVICETREE_ROOT;
    *interrupt_parent = devicetree_u32(tree, node, "interrupt-parent", 0);
    while (*path == '/') {
        path++;
        size_t length = strcspn(path, "/");
        *parent = node;
        node = child_called(tree, node, path, length);
        if (node == DEVICETREE_END) {
            return node;
        }
        *interrupt_parent = devicetree_u32(tree, node, "interrupt-parent", *interrupt_parent);
        path += length;
    }
    return node;
}
