/* SPDX-License-Identifier: Apache-2.0 */
#include "page_table.h"

#include "arch.h"
#include "config.h"
#include "system.h"

enum { VALID = 1, READ = 2, WRITE = 4, EXECUTE = 8, GLOBAL = 32, ACCESSED = 64, DIRTY = 128 };
enum { ENTRIES = 512, DEVICES_MAX = 16 };

#define SATP_SV39 (8ul << 60)

typedef uint64_t table_t[ENTRIES];

/* Where the image lies: its physical address minus its linked one. Set by boot_map. */
static uintptr_t physical_offset;
static uintptr_t tables_used;
static table_t *tree_table, *device_table;
static uint32_t devices_mapped;

/* The tables lie in the image, zeroed. This file runs before and after translation is turned on: it
 * refers to itself relative to the program counter only. */
static table_t *new_table(void) {
    return (table_t *)(takt_page_tables + PAGE_SIZE * tables_used++);
}

static uint64_t entry(uintptr_t physical, uint64_t bits) {
    return physical >> 12 << 10 | bits | VALID;
}

static uint32_t index_at(uintptr_t address, int level) {
    return address >> (12 + 9 * level) & (ENTRIES - 1);
}

/* The table below an entry, made where it is missing. Before translation is on. */
static table_t *table_below(uint64_t *slot) {
    if (*slot == 0) {
        *slot = entry((uintptr_t)new_table(), 0);
    }
    return (table_t *)(*slot >> 10 << 12);
}

static void map_page(table_t *root, uintptr_t virtual, uintptr_t physical, uint64_t bits) {
    table_t *middle = table_below(&(*root)[index_at(virtual, 2)]);
    table_t *last = table_below(&(*middle)[index_at(virtual, 1)]);
    (*last)[index_at(virtual, 0)] = entry(physical, bits | GLOBAL | ACCESSED | DIRTY);
}

static uint64_t bits_of(uint32_t permissions) {
    return (permissions & TAKT_READ ? READ : 0) | (permissions & TAKT_WRITE ? WRITE : 0) |
           (permissions & TAKT_EXECUTE ? EXECUTE : 0);
}

uint64_t boot_map(uintptr_t image, uintptr_t tree) {
    uintptr_t offset = image - TAKT_LINK_BASE;
    table_t *root = new_table();
    for (uint32_t i = 0; i < takt_region_count; i++) {
        const struct takt_region *region = &takt_regions[i];
        for (uintptr_t at = 0; at < region->end - region->start; at += PAGE_SIZE) {
            map_page(root, region->start + at, region->linear + at + offset,
                     bits_of(region->permissions));
        }
    }
    table_t *middle = table_below(&(*root)[index_at(TREE_WINDOW, 2)]);
    uintptr_t tree_page = tree & ~(MEGAPAGE_SIZE - 1);
    for (uint32_t i = 0; i < 2; i++) { /* a tree of up to 2 MiB may cross into the second */
        (*middle)[i] = entry(tree_page + i * MEGAPAGE_SIZE, READ | GLOBAL | ACCESSED);
    }
    table_t *devices = table_below(&(*middle)[2]);

    physical_offset = offset;
    /* From now on the tables are used by their linked addresses. */
    tree_table = (table_t *)((uintptr_t)middle - offset);
    device_table = (table_t *)((uintptr_t)devices - offset);
    return SATP_SV39 | (uintptr_t)root >> 12;
}

void *map_device(uintptr_t physical) {
    uint64_t wanted = entry(physical & ~(PAGE_SIZE - 1), READ | WRITE | GLOBAL | ACCESSED | DIRTY);
    uint32_t index = 0; /* the page may be mapped already, for another hart's register */
    while (index < devices_mapped && (*device_table)[index] != wanted) {
        index++;
    }
    if (index == DEVICES_MAX) {
        boot_panic("too many devices to map");
    }
    if (index == devices_mapped) {
        devices_mapped++;
        (*device_table)[index] = wanted;
        __asm__ volatile("sfence.vma" ::: "memory");
    }
    return (void *)(TREE_WINDOW + 2 * MEGAPAGE_SIZE + index * PAGE_SIZE +
                    (physical & (PAGE_SIZE - 1)));
}

void unmap_tree(void) {
    (*tree_table)[0] = (*tree_table)[1] = 0;
    __asm__ volatile("sfence.vma" ::: "memory");
}

uintptr_t physical_address(const void *in_image) {
    return (uintptr_t)in_image + physical_offset;
}
