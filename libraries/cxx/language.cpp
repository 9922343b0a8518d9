/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler calls for C++: memory, and what must not happen. Names and types are those of
 * the Itanium C++ ABI. */
#include <stddef.h>
#include <stdlib.h>

#include <takt/system.h>

namespace std {
struct nothrow_t;
enum class align_val_t : size_t;
} // namespace std

extern "C" {
/* The destructors of static objects belong to the one image. */
void *__dso_handle;

/* The function of an abstract class, called while its object is constructed or destroyed. */
void __cxa_pure_virtual() {
    takt_panic("a pure virtual function was called");
}

void __cxa_deleted_virtual() {
    takt_panic("a deleted virtual function was called");
}
}

/* Without exceptions a program cannot handle a failure: it asks with std::nothrow, or stops here.
 */
static void *or_panic(void *block) {
    if (!block) {
        takt_panic("operator new: there is no memory");
    }
    return block;
}

/* An object of no bytes has an address of its own, too: malloc(0) gives a block. */
void *operator new(size_t size) {
    return or_panic(malloc(size));
}

void *operator new[](size_t size) {
    return or_panic(malloc(size));
}

void *operator new(size_t size, const std::nothrow_t &) noexcept {
    return malloc(size);
}

void *operator new[](size_t size, const std::nothrow_t &) noexcept {
    return malloc(size);
}

void *operator new(size_t size, std::align_val_t alignment) {
    return or_panic(aligned_alloc(static_cast<size_t>(alignment), size));
}

void *operator new[](size_t size, std::align_val_t alignment) {
    return or_panic(aligned_alloc(static_cast<size_t>(alignment), size));
}

void *operator new(size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
    return aligned_alloc(static_cast<size_t>(alignment), size);
}

void *operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
    return aligned_alloc(static_cast<size_t>(alignment), size);
}

void operator delete(void *block) noexcept {
    free(block);
}

void operator delete[](void *block) noexcept {
    free(block);
}

void operator delete(void *block, size_t) noexcept {
    free(block);
}

void operator delete[](void *block, size_t) noexcept {
    free(block);
}

void operator delete(void *block, const std::nothrow_t &) noexcept {
    free(block);
}

void operator delete[](void *block, const std::nothrow_t &) noexcept {
    free(block);
}

void operator delete(void *block, std::align_val_t) noexcept {
    free(block);
}

void operator delete[](void *block, std::align_val_t) noexcept {
    free(block);
}

void operator delete(void *block, size_t, std::align_val_t) noexcept {
    free(block);
}

void operator delete[](void *block, size_t, std::align_val_t) noexcept {
    free(block);
}
