/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARIES_SYS_SYSINFO_H
#define LIBRARIES_SYS_SYSINFO_H

#ifdef __cplusplus
extern "C" {
#endif

/* Return the number of cores. */
int get_nprocs(void);
int get_nprocs_conf(void);

#ifdef __cplusplus
}
#endif

#endif
