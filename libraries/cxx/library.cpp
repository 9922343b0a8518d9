/* SPDX-License-Identifier: Apache-2.0 */
/* What libc++'s headers declare and leave to its library, as far as it needs no threads. */
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <unordered_map>

#include <takt/system.h>

namespace std {
const nothrow_t nothrow{};

void terminate() noexcept {
    takt_panic("std::terminate was called");
}

void __throw_bad_alloc() {
    takt_panic("C++: there is no memory");
}

inline namespace _LIBCPP_ABI_NAMESPACE {
void __throw_system_error(int, const char *what) {
    takt_panic(what);
}

__shared_count::~__shared_count() {
}

__shared_weak_count::~__shared_weak_count() {
}

/* The object is destroyed by its last owner, and the counts by the last of all: the owners count as
 * one. */
void __shared_weak_count::__release_weak() noexcept {
    if (__libcpp_atomic_refcount_decrement(__shared_weak_owners_) == -1) {
        __on_zero_shared_weak();
    }
}

/* Makes an owner of who has a weak pointer, unless the object is gone: the count is -1 then. */
__shared_weak_count *__shared_weak_count::lock() noexcept {
    long owners = __atomic_load_n(&__shared_owners_, __ATOMIC_RELAXED);
    while (owners != -1) {
        if (__atomic_compare_exchange_n(&__shared_owners_, &owners, owners + 1, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return this;
        }
    }
    return nullptr;
}

/* Asked for by the deleter's type, which nothing has without run-time type information. */
const void *__shared_weak_count::__get_deleter(const type_info &) const noexcept {
    return nullptr;
}

/* The sizes of hash tables are primes. */
size_t __next_prime(size_t least) {
    if (least <= 2) {
        return least == 0 ? 0 : 2;
    }
    for (size_t number = least | 1;; number += 2) {
        size_t divisor = 3;
        while (divisor <= number / divisor && number % divisor != 0) {
            divisor += 2;
        }
        if (divisor > number / divisor) {
            return number;
        }
    }
}
} // namespace _LIBCPP_ABI_NAMESPACE
} // namespace std
