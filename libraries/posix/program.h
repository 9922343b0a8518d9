/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARIES_POSIX_PROGRAM_H
#define LIBRARIES_POSIX_PROGRAM_H

/* The start function of the first thread: calls main, and ends the run with its result. */
void *program_run(void *unused);

#endif
