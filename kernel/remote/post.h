/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a core, linked into its inbox at most once. */
#ifndef KERNEL_POST_H
#define KERNEL_POST_H

struct post {
    struct post *next; /* posted before it, or INBOX_BUSY; then behind it: see inbox.c */
    void (*answer)(struct post *post); /* on that core, interrupts disabled */
};

#endif
