/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks in C++, as classes and templates, without the library `posix`. */
#include <takt/takt.h>

#include "check.h"

namespace {
/* Holds the CPU locked as long as it exists. */
class cpu_lock {
  public:
    cpu_lock() {
        CHECK_IS(takt_cpu_lock(), TAKT_OK);
    }
    ~cpu_lock() {
        CHECK_IS(takt_cpu_unlock(), TAKT_OK);
    }
    cpu_lock(const cpu_lock &) = delete;
    cpu_lock &operator=(const cpu_lock &) = delete;
};

struct filter {
    constexpr filter(int gain) : gain(gain) {
    }
    virtual int apply(int value) const {
        return gain * value;
    }
    int gain;
};

struct offset_filter : filter {
    constexpr offset_filter(int gain, int offset) : filter(gain), offset(offset) {
    }
    int apply(int value) const override {
        return filter::apply(value) + offset;
    }
    int offset;
};

/* Constructed by the compiler. */
constexpr filter plain(3);
constexpr offset_filter with_offset(2, 5);
const filter *const filters[] = {&plain, &with_offset};

template <class Value, int Size> class ring {
  public:
    bool put(Value value) {
        if (count == Size) {
            return false;
        }
        values[(first + count++) % Size] = value;
        return true;
    }
    Value take() {
        Value value = values[first];
        first = (first + 1) % Size;
        count--;
        return value;
    }

  private:
    Value values[Size] = {};
    int first = 0, count = 0;
};

ring<int, 4> results;
} // namespace

void worker_task(intptr_t) {
    for (const filter *each : filters) {
        results.put(each->apply(10));
    }
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_done), TAKT_OK);
}

void main_task(intptr_t) {
    CHECK_IS(takt_task_activate(TAKT_TASK_worker), TAKT_OK);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_done, TAKT_SECOND), TAKT_OK);
    CHECK_IS(results.take(), 30);
    CHECK_IS(results.take(), 25);
    {
        cpu_lock lock;
        CHECK(takt_cpu_locked());
    }
    CHECK(!takt_cpu_locked());
    check_end();
}
