/* SPDX-License-Identifier: Apache-2.0 */
/* The one address space of the kernel and its tasks (Sv39), built from the region list.
 *
 *   0xffffffff80000000  the image, its cores' sections, the stacks with a guard page below each
 *   0xffffffffc0000000  the device tree, while the boot reads it
 *   0xffffffffc0400000  devices
 *   0xffffffffc0600000  an interrupt controller
 *
 * Nothing else is mapped: no address below, and nothing that is both writable and executable. */
#ifndef ARCH_PAGE_TABLE_H
#define ARCH_PAGE_TABLE_H

#include <stdint.h>

#include "machine.h"

#define PAGE_SIZE     4096ul
#define MEGAPAGE_SIZE (2ul << 20)
#define TREE_WINDOW   0xffffffffc0000000ul

/* Builds the tables, at physical addresses, before translation is on. `image`: where the image
 * was loaded; returns satp. */
uint64_t boot_map(uintptr_t image, uintptr_t tree);

/* Maps the pages of a large device and returns where its registers appear (map_device of arch.h: of
 * a small one), in pages of 2 MiB; at most 500 in all. */
void *map_window(uintptr_t physical, uintptr_t size);

/* Takes the device tree out of the address space. */
void unmap_tree(void);

/* The physical memory of what has a home, whole turns; may be empty. */
struct range homed_memory(void);

/* The physical address of something in the image that has no home. */
uintptr_t physical_address(const void *in_image);

#endif
