/* SPDX-License-Identifier: Apache-2.0 */
/* The threads, mutexes, condition variables and clocks of C++ are those of the library `posix`. */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <time.h>
#include <unistd.h>

#include <takt/system.h>

namespace std {
inline namespace _LIBCPP_ABI_NAMESPACE {
/* A misuse is a panic here, where libc++ throws an exception. */
static void must(int error, const char *what) {
    if (error != 0) {
        takt_panic(what);
    }
}

mutex::~mutex() noexcept {
    pthread_mutex_destroy(&__m_);
}

void mutex::lock() {
    must(pthread_mutex_lock(&__m_), "std::mutex::lock failed");
}

bool mutex::try_lock() noexcept {
    return pthread_mutex_trylock(&__m_) == 0;
}

void mutex::unlock() noexcept {
    must(pthread_mutex_unlock(&__m_), "std::mutex::unlock: another thread has locked it");
}

recursive_mutex::recursive_mutex() : __m_{} {
    __m_.type = PTHREAD_MUTEX_RECURSIVE;
}

recursive_mutex::~recursive_mutex() {
    pthread_mutex_destroy(&__m_);
}

void recursive_mutex::lock() {
    must(pthread_mutex_lock(&__m_), "std::recursive_mutex::lock failed");
}

bool recursive_mutex::try_lock() noexcept {
    return pthread_mutex_trylock(&__m_) == 0;
}

void recursive_mutex::unlock() noexcept {
    must(pthread_mutex_unlock(&__m_), "std::recursive_mutex::unlock: another thread has locked it");
}

condition_variable::~condition_variable() {
    pthread_cond_destroy(&__cv_);
}

void condition_variable::notify_one() noexcept {
    pthread_cond_signal(&__cv_);
}

void condition_variable::notify_all() noexcept {
    pthread_cond_broadcast(&__cv_);
}

void condition_variable::wait(unique_lock<mutex> &lock) noexcept {
    must(pthread_cond_wait(&__cv_, lock.mutex()->native_handle()),
         "std::condition_variable::wait failed");
}

void condition_variable::__do_timed_wait(
    unique_lock<mutex> &lock,
    chrono::time_point<chrono::system_clock, chrono::nanoseconds> until) noexcept {
    chrono::nanoseconds time = until.time_since_epoch();
    chrono::seconds whole = chrono::duration_cast<chrono::seconds>(time);
    timespec at = {whole.count(), (time - whole).count()};
    pthread_cond_timedwait(&__cv_, lock.mutex()->native_handle(), &at);
}

/* One routine is called, and others wait for it, as pthread_once does; the flag has no room for its
 * mutex. */
static pthread_mutex_t once_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t once_changed = PTHREAD_COND_INITIALIZER;

/* The flag is 0 at first, 1 while the routine runs, and all ones then, which call_once reads
 * (acquire). */
void __call_once(volatile once_flag::_State_type &flag, void *argument, void (*routine)(void *)) {
    pthread_mutex_lock(&once_mutex);
    while (flag == 1) {
        pthread_cond_wait(&once_changed, &once_mutex);
    }
    if (flag == 0) {
        flag = 1;
        pthread_mutex_unlock(&once_mutex);
        routine(argument);
        pthread_mutex_lock(&once_mutex);
        __atomic_store_n(&flag, ~once_flag::_State_type(0), __ATOMIC_RELEASE);
        pthread_cond_broadcast(&once_changed);
    }
    pthread_mutex_unlock(&once_mutex);
}

thread::~thread() {
    if (joinable()) {
        takt_panic("a std::thread was destroyed that is neither joined nor detached");
    }
}

void thread::join() {
    must(pthread_join(__t_, nullptr), "std::thread::join: there is no such thread");
    __t_ = _LIBCPP_NULL_THREAD;
}

void thread::detach() {
    must(pthread_detach(__t_), "std::thread::detach: there is no such thread");
    __t_ = _LIBCPP_NULL_THREAD;
}

unsigned thread::hardware_concurrency() noexcept {
    return static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
}

/* libc++ keeps here what happens when a thread ends: nothing, as futures and
 * notify_all_at_thread_exit do not link. */
__thread_struct::__thread_struct() : __p_(nullptr) {
}

__thread_struct::~__thread_struct() {
}

__thread_specific_ptr<__thread_struct> &__thread_local_data() {
    static __thread_specific_ptr<__thread_struct> data;
    return data;
}

namespace chrono {
static nanoseconds now_of(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

system_clock::time_point system_clock::now() noexcept {
    return time_point(duration_cast<duration>(now_of(CLOCK_REALTIME)));
}

time_t system_clock::to_time_t(const time_point &time) noexcept {
    return duration_cast<seconds>(time.time_since_epoch()).count();
}

system_clock::time_point system_clock::from_time_t(time_t time) noexcept {
    return time_point(seconds(time));
}

steady_clock::time_point steady_clock::now() noexcept {
    return time_point(now_of(CLOCK_MONOTONIC));
}
} // namespace chrono

namespace this_thread {
void sleep_for(const chrono::nanoseconds &time) {
    if (time > chrono::nanoseconds::zero()) {
        chrono::seconds whole = chrono::duration_cast<chrono::seconds>(time);
        timespec left = {whole.count(), (time - whole).count()};
        nanosleep(&left, nullptr);
    }
}
} // namespace this_thread
} // namespace _LIBCPP_ABI_NAMESPACE
} // namespace std
