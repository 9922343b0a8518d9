/* SPDX-License-Identifier: Apache-2.0 */
/* The types of <dirent.h>, which picolibc declares the functions of. There are opendir, readdir,
 * rewinddir and closedir; the others are not linked. */
#ifndef LIBRARIES_SYS_DIRENT_H
#define LIBRARIES_SYS_DIRENT_H

#include <sys/types.h>

#define DT_UNKNOWN 0
#define DT_CHR     2
#define DT_DIR     4
#define DT_REG     8

struct dirent {
    ino_t d_ino;
    unsigned char d_type; /* DT_... */
    char d_name[256];
};

typedef struct takt_ramfs_directory DIR;

#endif
