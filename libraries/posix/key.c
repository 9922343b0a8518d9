/* SPDX-License-Identifier: Apache-2.0 */
/* The values of keys are in thread-local storage, each with the generation of its key. A key that
 * is created again has another generation, so all threads find NULL. No lock is taken. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "waiting.h"

struct key {
    uint32_t generation; /* odd: in use; changed by compare-and-swap */
    void (*destructor)(void *);
};

struct value {
    uint32_t generation;
    void *value;
};

static struct key keys[PTHREAD_KEYS_MAX];
static _Thread_local struct value values[PTHREAD_KEYS_MAX];

static uint32_t generation_of(const struct key *key) {
    return __atomic_load_n(&key->generation, __ATOMIC_ACQUIRE);
}

static void keys_destroy(void);

int pthread_key_create(pthread_key_t *found, void (*destructor)(void *)) {
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
        uint32_t generation = generation_of(&keys[key]);
        /* If the exchange fails, another thread has created or deleted this key, and the search
         * goes on. */
        if (generation % 2 == 0 &&
            __atomic_compare_exchange_n(&keys[key].generation, &generation, generation + 1, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            keys[key].destructor = destructor;
            takt_posix_keys_destroy = keys_destroy;
            *found = key;
            return 0;
        }
    }
    return EAGAIN;
}

int pthread_key_delete(pthread_key_t key) {
    if (key >= PTHREAD_KEYS_MAX) {
        return EINVAL;
    }
    uint32_t generation = generation_of(&keys[key]);
    bool deleted =
        generation % 2 == 1 && change_release(&keys[key].generation, generation, generation + 1);
    return deleted ? 0 : EINVAL;
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    if (key >= PTHREAD_KEYS_MAX || generation_of(&keys[key]) % 2 == 0) {
        return EINVAL;
    }
    values[key] = (struct value){generation_of(&keys[key]), (void *)(uintptr_t)value};
    return 0;
}

void *pthread_getspecific(pthread_key_t key) {
    bool set = key < PTHREAD_KEYS_MAX && values[key].generation == generation_of(&keys[key]);
    return set ? values[key].value : 0;
}

/* Calls the destructors of the values that are not NULL; returns whether there was one. */
static bool keys_call_destructors(void) {
    bool some = false;
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
        void *value = pthread_getspecific(key);
        void (*destructor)(void *) = keys[key].destructor;
        if (value && destructor) {
            values[key].value = 0;
            destructor(value);
            some = true;
        }
    }
    return some;
}

/* Destructors may set values again, so this is repeated for a limited number of rounds. */
static void keys_destroy(void) {
    int rounds = 0;
    while (rounds < PTHREAD_DESTRUCTOR_ITERATIONS && keys_call_destructors()) {
        rounds++;
    }
}
