/* SPDX-License-Identifier: Apache-2.0 */
/* C++: static objects, memory, virtual functions, templates; and the parts of libc++ that need more
 * than its headers. */
#include "other.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <shared_mutex>
#include <stdio.h>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <takt/takt.h>

#include "check.h"

int order[4], constructed;

tracer::tracer(int number) : number(number) {
    order[constructed++] = number;
}

static tracer here_early __attribute__((init_priority(300))) (2);
static tracer here_late(3);

static int alive;

struct counted {
    counted() {
        alive++;
    }
    counted(const counted &) {
        alive++;
    }
    virtual ~counted() {
        alive--;
    }
    virtual int kind() const {
        return 1;
    }
};

struct special : counted {
    int kind() const override {
        return 2;
    }
};

/* Objects of one source are constructed in its order, those with a priority before all others. */
static void test_static_objects() {
    CHECK_IS(constructed, 4);
    CHECK_IS(order[0], 1);
    CHECK_IS(order[1], 2);
    CHECK_IS(order[2] + order[3], 7);
    CHECK_IS(here_early.number + here_late.number, 5);
    shared_value<int>::value = 1;
    other_add();
    CHECK_IS(shared_value<int>::value, 3);
}

static void test_memory() {
    counted *one = new special;
    CHECK_IS(one->kind(), 2);
    delete one;
    counted *many = new counted[5];
    CHECK_IS(alive, 5);
    delete[] many;
    CHECK_IS(alive, 0);
    struct alignas(256) wide {
        char bytes[300];
    };
    wide *aligned = new wide;
    CHECK_IS(reinterpret_cast<uintptr_t>(aligned) % 256, 0);
    delete aligned;
    CHECK(::operator new(64 << 20, std::nothrow) == nullptr);
    alignas(special) unsigned char place[sizeof(special)];
    counted *placed = new (place) special;
    CHECK_IS(placed->kind(), 2);
    placed->~counted();
    CHECK_IS(alive, 0);
}

/* --- Static objects of functions, constructed by the first thread that comes -------------------
 */

static std::atomic<int> slow_constructions{0};

struct slow {
    slow() {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        value = ++slow_constructions;
    }
    int value;
};

static slow &the_slow() {
    static slow object;
    return object;
}

static void test_function_statics() {
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < 3; number++) {
        threads.emplace_back([&] { sum += the_slow().value; });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    CHECK_IS(slow_constructions, 1);
    CHECK_IS(sum, 3);
}

/* --- libc++ ------------------------------------------------------------------------------------
 */

static void test_containers() {
    std::vector<int> numbers(1000);
    std::iota(numbers.rbegin(), numbers.rend(), 0);
    std::sort(numbers.begin(), numbers.end());
    CHECK(std::is_sorted(numbers.begin(), numbers.end()));
    std::map<std::string, int> sorted;
    std::unordered_map<int, std::string> hashed;
    for (int number : numbers) {
        sorted[std::to_string(number)] = number;
        hashed[number] = std::to_string(number);
    }
    CHECK_IS(sorted.size(), 1000);
    CHECK_IS(sorted.rbegin()->second, 999);
    CHECK_IS(std::stoi(hashed[765]), 765);
    CHECK(std::to_string(2.5) == "2.500000");
    CHECK_IS(std::stod("1e3"), 1000);
    std::optional<int> nothing;
    CHECK(!nothing);
    std::function<int(int)> add = [&](int number) { return number + numbers[1]; };
    CHECK_IS(add(2), 3);
}

static void test_shared_pointers() {
    auto first = std::make_shared<special>();
    std::weak_ptr<counted> weak = first;
    {
        std::shared_ptr<counted> second = weak.lock();
        CHECK_IS(second.use_count(), 2);
        CHECK_IS(second->kind(), 2);
    }
    CHECK_IS(alive, 1);
    first.reset();
    CHECK_IS(alive, 0);
    CHECK(weak.lock() == nullptr);
}

/* --- Threads -----------------------------------------------------------------------------------
 */

static void test_threads() {
    std::mutex mutex;
    std::condition_variable changed;
    int turn = 0, sum = 0;
    std::array<std::thread, 3> threads;
    for (int number = 0; number < 3; number++) {
        threads[static_cast<size_t>(number)] = std::thread([&, number] {
            for (int round = 0; round < 20; round++) {
                std::unique_lock<std::mutex> lock(mutex);
                changed.wait(lock, [&] { return turn % 3 == number; });
                sum += turn++;
                changed.notify_all();
            }
        });
    }
    for (std::thread &thread : threads) {
        CHECK(thread.joinable());
        thread.join();
    }
    CHECK_IS(sum, 59 * 60 / 2);
    std::unique_lock<std::mutex> lock(mutex);
    CHECK(!changed.wait_for(lock, std::chrono::milliseconds(1), [] { return false; }));
    CHECK(std::thread::hardware_concurrency() == 3);

    std::recursive_mutex again;
    std::lock_guard<std::recursive_mutex> outer(again), inner(again);
    std::thread other([&] { CHECK(!again.try_lock()); });
    other.join();
}

static void test_call_once() {
    std::once_flag flag;
    std::atomic<int> calls{0};
    std::array<std::thread, 3> threads;
    for (std::thread &thread : threads) {
        thread = std::thread([&] { std::call_once(flag, [&] { calls++; }); });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    CHECK_IS(calls, 1);
}

static void test_time() {
    auto before = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    auto passed = std::chrono::steady_clock::now() - before;
    CHECK(passed >= std::chrono::milliseconds(1));
    CHECK(std::chrono::system_clock::now().time_since_epoch().count() > 0);
}

/* The destructor of a static object runs when the program ends, and says how many checks have
 * failed. */
struct reporter {
    ~reporter() {
        check_end();
    }
};

int main() {
    static reporter last;
    test_static_objects();
    test_memory();
    test_function_statics();
    test_containers();
    test_shared_pointers();
    test_threads();
    test_call_once();
    test_time();
    return 0;
}
