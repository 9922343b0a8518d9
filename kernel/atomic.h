/* SPDX-License-Identifier: Apache-2.0 */
/* Stores and loads as the memory model wants them: plain ones, for release a fence before the
 * store, and for acquire one behind the load.
 *
 * GCC up to 13 makes an atomic exchange of __atomic_store_n. Where atomics are performed at a
 * line's home that is a journey there and back, and takes the line out of the writer's cache. */
#ifndef KERNEL_ATOMIC_H
#define KERNEL_ATOMIC_H

#include "arch.h"

#define atomic_store_relaxed(pointer, value)                                                       \
    do {                                                                                           \
        *(volatile __typeof__(*(pointer)) *)(pointer) = (value);                                   \
    } while (0)

#define atomic_store_release(pointer, value)                                                       \
    do {                                                                                           \
        arch_fence_release();                                                                      \
        atomic_store_relaxed(pointer, value);                                                      \
    } while (0)

#define atomic_load_acquire(pointer)                                                               \
    __extension__({                                                                                \
        __typeof__(*(pointer)) loaded = *(const volatile __typeof__(*(pointer)) *)(pointer);       \
        arch_fence_acquire();                                                                      \
        loaded;                                                                                    \
    })

#endif
