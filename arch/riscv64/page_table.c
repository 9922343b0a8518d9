/* SPDX-License-Identifier: Apache-2.0 */
#include "page_table.h"

#include "arch.h"
#include "config.h"
#include "partition/partition.h"
#include "system.h"

enum {
    VALID = 1,
    READ = 2,
    WRITE = 4,
    EXECUTE = 8,
    USER = 16,
    GLOBAL = 32,
    ACCESSED = 64,
    DIRTY = 128
};
enum { ENTRIES = 512, DEVICES_MAX = ENTRIES };
/* In the table of TREE_WINDOW: two for the tree, one for the devices' table, the windows. */
enum { WINDOWS = 3, WINDOWS_MAX = 500 };

#define SATP_SV39 (8ul << 60)
#define SATP_ASID 44

typedef uint64_t table_t[ENTRIES];

/* Where the image lies: its physical address minus its linked one. Set by boot_map. */
static uintptr_t physical_offset;
static uintptr_t tables_used;
static table_t *tree_table, *device_table;
static uint32_t devices_mapped, windows_mapped;

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
    (*last)[index_at(virtual, 0)] = entry(physical, bits | ACCESSED | DIRTY);
}

static uint64_t page_bits(uint32_t permissions) {
    return (permissions & TAKT_READ ? READ : 0) | (permissions & TAKT_WRITE ? WRITE : 0) |
           (permissions & TAKT_EXECUTE ? EXECUTE : 0);
}

static uintptr_t block_size(void) {
    return takt_homing.block_pages * PAGE_SIZE;
}

static uintptr_t turn_size(void) {
    return takt_homing.turn * block_size();
}

/* Where the turns of homed pages begin: the first whole one behind the image, and where pages have
 * homes. `image_end` is physical. */
static uintptr_t homed_base(uintptr_t image_end) {
    uintptr_t from = image_end > takt_homing.from ? image_end : takt_homing.from;
    return (from + turn_size() - 1) / turn_size() * turn_size();
}

/* The next page that is at home at a place in the turn. */
static uintptr_t homed_page(uintptr_t base, uint32_t place) {
    uint32_t number = takt_homed_pages[place]++;
    return base + number / takt_homing.block_pages * turn_size() + place * block_size() +
           number % takt_homing.block_pages * PAGE_SIZE;
}

/* `scope`: USER or GLOBAL. */
static void map_region(table_t *root, const struct takt_region *region, uintptr_t offset,
                       uint64_t scope) {
    uintptr_t base = region->home == 0 ? 0 : homed_base((uintptr_t)takt_image_end);
    for (uintptr_t at = 0; at < region->end - region->start; at += PAGE_SIZE) {
        uintptr_t physical =
            region->home == 0 ? region->linear + at + offset : homed_page(base, region->home - 1);
        map_page(root, region->start + at, physical, page_bits(region->permissions) | scope);
    }
}

/* Builds a table for each partition: its regions, and the slots of the kernel's own, whose tables
 * below the root they share. Bound: the partitions, and the pages of all. */
static void map_partitions(table_t *kernel, uintptr_t offset) {
    table_t *roots[TAKT_PARTITIONS_MAX];
    for (uint32_t i = 0; i < takt_partition_count; i++) {
        roots[i] = new_table();
        for (uint32_t slot = index_at(TAKT_LINK_BASE, 2); slot < ENTRIES; slot++) {
            (*roots[i])[slot] = (*kernel)[slot];
        }
        uint64_t *tables = arch_opaque(takt_partition_tables);
        tables[i] = SATP_SV39 | (i + 1ul) << SATP_ASID | (uintptr_t)roots[i] >> 12;
    }
    for (uint32_t i = 0; i < takt_partition_region_count; i++) {
        const struct takt_partition_region *one = arch_opaque(&takt_partition_regions[i]);
        map_region(roots[one->partition], &one->region, offset, one->closed ? 0 : USER);
    }
}

uint64_t boot_map(uintptr_t image, uintptr_t tree) {
    uintptr_t offset = image - TAKT_LINK_BASE;
    table_t *root = new_table();
    for (uint32_t i = 0; i < takt_region_count; i++) {
        /* Opaque: where GCC knew the linked addresses in the table it could form them from the
         * program counter, which is physical here. */
        const struct takt_region *region = arch_opaque(&takt_regions[i]);
        map_region(root, region, offset, GLOBAL);
    }
    table_t *middle = table_below(&(*root)[index_at(TREE_WINDOW, 2)]);
    uintptr_t tree_page = tree & ~(MEGAPAGE_SIZE - 1);
    for (uint32_t i = 0; i < 2; i++) { /* a tree of up to 2 MiB may cross into the second */
        (*middle)[i] = entry(tree_page + i * MEGAPAGE_SIZE, READ | GLOBAL | ACCESSED);
    }
    table_t *devices = table_below(&(*middle)[2]);

    if (PARTITIONS) {
        map_partitions(root, offset);
    }
    physical_offset = offset;
    /* From now on the tables are used by their linked addresses. */
    tree_table = (table_t *)((uintptr_t)middle - offset);
    device_table = (table_t *)((uintptr_t)devices - offset);
    return SATP_SV39 | (uintptr_t)root >> 12;
}

#define DEVICE_BITS (READ | WRITE | GLOBAL | ACCESSED | DIRTY)

/* Adds entries for pages that follow one another, unless a single page is there already; returns
 * the index of the first. */
static uint32_t map_pages(uint64_t first, uint32_t count) {
    uint32_t index = 0;
    while (index < devices_mapped && (count != 1 || (*device_table)[index] != first)) {
        index++;
    }
    if (index < devices_mapped) {
        return index;
    }
    if (count > DEVICES_MAX - devices_mapped) {
        boot_panic("too many devices to map");
    }
    for (uint32_t i = 0; i < count; i++) {
        (*device_table)[devices_mapped++] = first + entry(i * PAGE_SIZE, 0) - VALID;
    }
    return index;
}

void *map_device(uintptr_t physical, uintptr_t size) {
    uintptr_t offset = physical & (PAGE_SIZE - 1);
    uintptr_t count = (offset + size + PAGE_SIZE - 1) / PAGE_SIZE;
    if (size > DEVICES_MAX * PAGE_SIZE) {
        boot_panic("a device is too large to map");
    }
    uint32_t index = map_pages(entry(physical - offset, DEVICE_BITS), (uint32_t)count);
    __asm__ volatile("sfence.vma" ::: "memory");
    return (void *)(TREE_WINDOW + 2 * MEGAPAGE_SIZE + index * PAGE_SIZE + offset);
}

void *map_window(uintptr_t physical, uintptr_t size) {
    uintptr_t offset = physical & (MEGAPAGE_SIZE - 1);
    uintptr_t count = (offset + size + MEGAPAGE_SIZE - 1) / MEGAPAGE_SIZE;
    if (count > WINDOWS_MAX - windows_mapped) {
        boot_panic("too many devices to map");
    }
    uint32_t first = WINDOWS + windows_mapped;
    for (uint32_t i = 0; i < count; i++) {
        (*tree_table)[WINDOWS + windows_mapped++] =
            entry(physical - offset + i * MEGAPAGE_SIZE, DEVICE_BITS);
    }
    __asm__ volatile("sfence.vma" ::: "memory");
    return (void *)(TREE_WINDOW + first * MEGAPAGE_SIZE + offset);
}

void unmap_tree(void) {
    (*tree_table)[0] = (*tree_table)[1] = 0;
    __asm__ volatile("sfence.vma" ::: "memory");
}

struct range homed_memory(void) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < takt_homing.turn; i++) {
        most = takt_homed_pages[i] > most ? takt_homed_pages[i] : most;
    }
    if (most == 0) {
        return (struct range){0, 0};
    }
    uint64_t turns = (most + takt_homing.block_pages - 1) / takt_homing.block_pages;
    return (struct range){homed_base(physical_address(takt_image_end)), turns * turn_size()};
}

uint8_t *arch_page_tables_end(void) {
    return takt_page_tables + PAGE_SIZE * tables_used;
}

uintptr_t physical_address(const void *in_image) {
    return (uintptr_t)in_image + physical_offset;
}
