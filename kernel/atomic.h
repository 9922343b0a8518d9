/* SPDX-License-Identifier: Apache-2.0 */
/* A store with release, as the memory model wants it: a fence and a plain store.
 *
 * GCC up to 13 makes an atomic exchange of __atomic_store_n. Where atomics are performed at a
 * line's home that is a journey there and back, and takes the line out of the writer's cache. */
#ifndef KERNEL_ATOMIC_H
#define KERNEL_ATOMIC_H

#define atomic_store_release(pointer, value)                                                       \
    do {                                                                                           \
        __atomic_thread_fence(__ATOMIC_RELEASE);                                                   \
        *(volatile __typeof__(*(pointer)) *)(pointer) = (value);                                   \
    } while (0)

#endif
