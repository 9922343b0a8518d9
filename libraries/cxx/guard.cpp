/* SPDX-License-Identifier: Apache-2.0 */
/* Static objects of functions are constructed once, by the first thread that comes; others wait.
 * The compiler reads the first byte of a guard (acquire), and calls these functions only while it
 * is 0. */
#include <pthread.h>
#include <stdint.h>

namespace {
struct guard {
    uint8_t constructed;
    uint8_t under_way; /* guarded by the mutex */
};

/* One for all objects: the mutex is held for a few instructions, and by no constructor. */
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void leave(guard *object, bool constructed) {
    pthread_mutex_lock(&mutex);
    /* Release: pairs with the acquire of who reads that the object is constructed. */
    __atomic_store_n(&object->constructed, static_cast<uint8_t>(constructed), __ATOMIC_RELEASE);
    object->under_way = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}
} // namespace

/* Returns whether the caller is to construct the object. A constructor that needs its own object
 * waits for ever, as the standard leaves that undefined. */
extern "C" int __cxa_guard_acquire(guard *object) {
    pthread_mutex_lock(&mutex);
    while (object->under_way != 0) {
        pthread_cond_wait(&changed, &mutex);
    }
    bool mine = object->constructed == 0;
    object->under_way = static_cast<uint8_t>(mine);
    pthread_mutex_unlock(&mutex);
    return mine;
}

extern "C" void __cxa_guard_release(guard *object) {
    leave(object, true);
}

extern "C" void __cxa_guard_abort(guard *object) {
    leave(object, false);
}
