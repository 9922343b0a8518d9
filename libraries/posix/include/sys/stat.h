/* SPDX-License-Identifier: Apache-2.0 */
/* The status of files: what picolibc's <sys/stat.h> declares, and lstat. */
#ifndef LIBRARIES_SYS_STAT_H
#define LIBRARIES_SYS_STAT_H

#include_next <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* There are no symbolic links: the same as stat. */
int lstat(const char *__restrict path, struct stat *__restrict status);

#ifdef __cplusplus
}
#endif

#endif
