/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks the archive that takt has made from the description's folder: cpio, format newc. Each
 * member is a header of 110 characters, a zero-terminated name, and the content; the last two are
 * padded to four bytes. */
#include <string.h>

#include <takt/system.h>

#include "node.h"

__asm__(".pushsection .rodata.initrd,\"a\"\n"
        ".balign 16\n"
        "initrd_begin: .incbin \"" INITRD "\"\n"
        "initrd_end: .byte 0\n"
        ".popsection\n");
extern const uint8_t initrd_begin[], initrd_end[];

#define HEADER    110u
#define KINDS     0170000u
#define FILE_     0100000u
#define FOLDER    0040000u
#define AT_MODE   14u
#define AT_SIZE   54u
#define AT_NAME   94u
#define DAMAGED   "ramfs: the initrd is damaged"
#define LAST      "TRAILER!!!"
#define FILLED(x) (((x) + 3u) & ~(size_t)3)

static uint32_t hex_number(const uint8_t *digits) {
    uint32_t value = 0;
    for (int index = 0; index < 8; index++) {
        uint8_t digit = digits[index];
        if (digit >= '0' && digit <= '9') {
            value = value * 16 + (digit - '0');
        } else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f') {
            value = value * 16 + ((digit | 0x20) - 'a' + 10);
        } else {
            takt_panic(DAMAGED);
        }
    }
    return value;
}

/* A parent comes before its members in the archive. */
static void member_add(const char *path, uint32_t mode, const uint8_t *content, size_t size) {
    const char *name;
    size_t length;
    int error;
    struct node *directory = tree_find_parent(path, &name, &length, &error);
    unsigned kind = (mode & KINDS) == FOLDER ? RAMFS_DIRECTORY : RAMFS_FILE;
    if (!directory || tree_child(directory, name, length) ||
        ((mode & KINDS) != FOLDER && (mode & KINDS) != FILE_)) {
        takt_panic(DAMAGED);
    }
    struct node *node = tree_add(directory, name, length, kind);
    if (!node) {
        takt_panic("ramfs: the heap is too small for the names in the initrd");
    }
    node->origin = content;
    node->origin_size = node->size = size;
    node->changed = 0;
}

static void console_add(void) {
    member_add("dev", FOLDER, 0, 0);
    int error;
    struct node *console = tree_add(tree_find("dev", &error), "console", 7, RAMFS_CONSOLE);
    console->changed = 0;
}

/* Adds the member at this position; returns the position of the next member, or NULL after the last
 * one. */
static const uint8_t *member_unpack(const uint8_t *at) {
    size_t rest = (size_t)(initrd_end - at);
    if (rest < HEADER || memcmp(at, "070701", 6) != 0) {
        takt_panic(DAMAGED);
    }
    size_t name_size = hex_number(at + AT_NAME), size = hex_number(at + AT_SIZE);
    size_t content = FILLED(HEADER + name_size);
    if (name_size == 0 || content > rest || size > rest - content ||
        at[HEADER + name_size - 1] != 0) {
        takt_panic(DAMAGED);
    }
    const char *path = (const char *)at + HEADER;
    if (strcmp(path, LAST) == 0) {
        return 0;
    }
    member_add(path, hex_number(at + AT_MODE), at + content, size);
    return at + FILLED(content + size);
}

void initrd_unpack(void) {
    const uint8_t *at = initrd_begin;
    while (at) { /* once for each member */
        at = member_unpack(at);
    }
    console_add();
}
