/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARIES_SYS_UTSNAME_H
#define LIBRARIES_SYS_UTSNAME_H

#ifdef __cplusplus
extern "C" {
#endif

struct utsname {
    char sysname[65], nodename[65], release[65], version[65], machine[65];
};

/* Names the system, its version and its machine. */
int uname(struct utsname *names);

#ifdef __cplusplus
}
#endif

#endif
