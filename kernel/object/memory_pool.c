/* SPDX-License-Identifier: Apache-2.0 */
#include "object/memory_pool.h"

#include "core.h"
#include "object/object.h"

#define MEMORY_POOL_TAKEN UINT32_MAX

/* Takes a free block, null if there is none; with the lock held. */
static void *memory_pool_take(struct memory_pool *pool,
                              const struct takt_memory_pool_config *config) {
    uint64_t number = pool->free;
    if (number != 0) {
        pool->free = config->next[number - 1];
    } else if (pool->fresh < config->count) {
        number = ++pool->fresh;
    } else {
        return 0;
    }
    config->next[number - 1] = MEMORY_POOL_TAKEN;
    pool->taken++;
    return config->blocks + (number - 1) * config->stride;
}

/* Lets the running task wait for a block. The lock is held on entry. */
static APART takt_error wait_for_block(takt_id id, void **block, takt_time timeout,
                                       unsigned long interrupts) {
    struct memory_pool *pool = &takt_memory_pools[id - 1];
    waiters_join(&pool->waiters, takt_memory_pool_configs[id - 1].by_priority);
    takt_error result = object_unlock_and_wait(&pool->waiters, 0, TAKT_OK, true, timeout,
                                               TAKT_OBJECT_MEMORY_POOL, id);
    void *taken = (void *)task_self()->wait_value;
    arch_interrupts_restore(interrupts);
    if (result == TAKT_OK) {
        *block = taken;
    }
    return result;
}

STRAIGHT takt_error takt_memory_pool_get_for(takt_id id, void **block, takt_time timeout) {
    takt_error error = service_check(id, takt_memory_pool_count, block != 0, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct memory_pool *pool = &takt_memory_pools[id - 1];
    const struct takt_memory_pool_config *config = &takt_memory_pool_configs[id - 1];
    unsigned long interrupts = object_lock(&pool->waiters);
    void *taken = memory_pool_take(pool, config);
    if (LEAVES_STRAIGHT(taken == 0) && timeout != 0) {
        return wait_for_block(id, block, timeout, interrupts);
    }
    object_unlock(&pool->waiters, interrupts);
    if (taken == 0) {
        return TAKT_E_TMOUT;
    }
    *block = taken;
    return TAKT_OK;
}

STRAIGHT takt_error takt_memory_pool_get(takt_id pool, void **block) {
    return takt_memory_pool_get_for(pool, block, TAKT_FOR_EVER);
}

STRAIGHT takt_error takt_memory_pool_try_get(takt_id pool, void **block) {
    return takt_memory_pool_get_for(pool, block, 0);
}

/* Returns the number of a block, from 0; `count` if it is none. */
static uint32_t number_of(const struct takt_memory_pool_config *config, const void *block) {
    uintptr_t offset = (uintptr_t)block - (uintptr_t)config->blocks;
    bool is_block = offset % config->stride == 0 && offset / config->stride < config->count;
    return is_block ? (uint32_t)(offset / config->stride) : config->count;
}

/* Hands the block on to the first task that waits; there is one. The lock is held on entry. */
static APART takt_error hand_on(struct memory_pool *pool, void *block, unsigned long interrupts) {
    struct task *woken = waiters_take(&pool->waiters);
    woken->wait_value = (intptr_t)block;
    object_unlock_and_wake(&pool->waiters, woken);
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

STRAIGHT takt_error takt_memory_pool_release(takt_id id, void *block) {
    bool exists = id - 1 < takt_memory_pool_count;
    uint32_t number = exists ? number_of(&takt_memory_pool_configs[id - 1], block) : 0;
    bool good = exists && number < takt_memory_pool_configs[id - 1].count;
    takt_error error = service_check(id, takt_memory_pool_count, good, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    const struct takt_memory_pool_config *config = &takt_memory_pool_configs[id - 1];
    struct memory_pool *pool = &takt_memory_pools[id - 1];
    unsigned long interrupts = object_lock(&pool->waiters);
    bool is_taken = config->next[number] == MEMORY_POOL_TAKEN;
    if (is_taken) {
        if (LEAVES_STRAIGHT(pool->waiters.first != 0)) {
            return hand_on(pool, block, interrupts);
        }
        config->next[number] = pool->free;
        pool->free = number + 1;
        pool->taken--;
    }
    object_unlock(&pool->waiters, interrupts);
    return is_taken ? TAKT_OK : refused(TAKT_E_PAR);
}

takt_error takt_memory_pool_state(takt_id id, struct takt_memory_pool_state *state) {
    takt_error error = service_check(id, takt_memory_pool_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct memory_pool *object = &takt_memory_pools[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->first = object_first_waiting(&object->waiters);
    state->free = takt_memory_pool_configs[id - 1].count - object->taken;
    object_unlock(&object->waiters, interrupts);
    return TAKT_OK;
}

static void free_blocks(struct waiters *waiters) {
    struct memory_pool *pool = (struct memory_pool *)waiters;
    pool->free = pool->fresh = pool->taken = 0;
}

takt_error takt_memory_pool_reset(takt_id id) {
    return id - 1 < takt_memory_pool_count
               ? object_reset(&takt_memory_pools[id - 1].waiters, free_blocks, __func__)
               : refused(TAKT_E_ID);
}
