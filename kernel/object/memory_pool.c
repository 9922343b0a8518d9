/* SPDX-License-Identifier: Apache-2.0 */
#include "object/memory_pool.h"

#include "core.h"
#include "object/object.h"
#include "task/wait.h"

#define MEMORY_POOL_TAKEN UINT32_MAX

/* Takes a free block, null: there is none; with the lock held. */
static void *take(struct memory_pool *pool, const struct takt_memory_pool_config *config) {
    uint32_t number = pool->free;
    if (number != 0) {
        pool->free = config->next[number - 1];
    } else if (pool->fresh < config->count) {
        number = ++pool->fresh;
    } else {
        return 0;
    }
    config->next[number - 1] = MEMORY_POOL_TAKEN;
    pool->taken++;
    return config->blocks + (size_t)(number - 1) * config->stride;
}

takt_error takt_memory_pool_get_for(takt_id id, void **block, takt_time timeout) {
    if (id - 1 >= takt_memory_pool_count) {
        return refused(TAKT_E_ID);
    }
    if (block == 0 || timeout < 0) {
        return refused(TAKT_E_PAR);
    }
    if (timeout != 0 && !wait_allowed()) {
        return refused(TAKT_E_CTX);
    }
    struct memory_pool *pool = &takt_memory_pools[id - 1];
    const struct takt_memory_pool_config *config = &takt_memory_pool_configs[id - 1];
    if (cpu_locked()) {
        return refused(TAKT_E_CTX);
    }
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&pool->waiters.lock);
    void *taken = take(pool, config);
    bool waits = taken == 0 && timeout != 0;
    if (waits) {
        waiters_join(&pool->waiters, config->by_priority);
    }
    lock_release(&pool->waiters.lock);
    takt_error result = taken != 0 ? TAKT_OK : TAKT_E_TMOUT;
    if (waits) {
        result = wait_begin(WAIT_OBJECT, timeout, TAKT_OBJECT_MEMORY_POOL, id);
        taken = (void *)task_self()->wait_value;
    }
    arch_interrupts_restore(interrupts);
    if (result == TAKT_OK) {
        *block = taken;
    }
    return result;
}

takt_error takt_memory_pool_get(takt_id pool, void **block) {
    return takt_memory_pool_get_for(pool, block, TAKT_FOR_EVER);
}

takt_error takt_memory_pool_try_get(takt_id pool, void **block) {
    return takt_memory_pool_get_for(pool, block, 0);
}

/* The number of a block, from 0; `count`: it is none. */
static uint32_t number_of(const struct takt_memory_pool_config *config, const void *block) {
    uintptr_t offset = (uintptr_t)block - (uintptr_t)config->blocks;
    bool is_block = offset % config->stride == 0 && offset / config->stride < config->count;
    return is_block ? (uint32_t)(offset / config->stride) : config->count;
}

takt_error takt_memory_pool_release(takt_id id, void *block) {
    if (id - 1 >= takt_memory_pool_count) {
        return refused(TAKT_E_ID);
    }
    struct memory_pool *pool = &takt_memory_pools[id - 1];
    const struct takt_memory_pool_config *config = &takt_memory_pool_configs[id - 1];
    uint32_t number = number_of(config, block);
    if (number == config->count) {
        return refused(TAKT_E_PAR);
    }
    struct task *woken = 0;
    if (cpu_locked()) {
        return refused(TAKT_E_CTX);
    }
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&pool->waiters.lock);
    bool is_taken = config->next[number] == MEMORY_POOL_TAKEN;
    if (is_taken) {
        woken = waiters_take(&pool->waiters);
        if (woken != 0) {
            woken->wait_value = (intptr_t)block;
        } else {
            config->next[number] = pool->free;
            pool->free = number + 1;
            pool->taken--;
        }
    }
    lock_release(&pool->waiters.lock);
    if (woken != 0) {
        wait_end(woken, TAKT_OK);
    }
    arch_interrupts_restore(interrupts);
    return is_taken ? TAKT_OK : refused(TAKT_E_PAR);
}

takt_error takt_memory_pool_state(takt_id id, struct takt_memory_pool_state *state) {
    takt_error error = object_check(id, takt_memory_pool_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct memory_pool *object = &takt_memory_pools[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->first = object_first_waiting(&object->waiters, true);
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
