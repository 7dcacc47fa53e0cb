// The thread pool. A job is cut into chunks that threads claim one by one from an atomic counter;
// the caller works too, and at the end waits only for chunks that a worker has claimed, so a worker
// that the system does not schedule costs nothing.
#include "base/core.h"
#include "base/spans.h"
#include "base/stopwatch.h"
#include "runtime/fp_state.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace {

constexpr int64_t CHUNK_NS = 20000;           // aim for at least this much work per chunk
constexpr int64_t CHUNKS_PER_THREAD = 8;      // so that a slow thread holds up little
constexpr int64_t GIL_NS = 10000;             // releasing the GIL costs about 50 ns
constexpr int64_t ALIGN_CHUNKS_FROM = 4096;   // shorter ranges may count rows, not elements
constexpr int64_t CHUNK_MULTIPLE = 64;
constexpr int MAX_THREADS = 1024;
constexpr auto SPIN = std::chrono::microseconds(50);

void pause_thread() {
#ifdef DYNAMO_LITE_MXCSR
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Spins until `ready()`, for at most SPIN; whether it became ready. A thread of another pool may
// be runnable on this CPU (OpenBLAS's wait in the same way between two products), so it gets a turn.
template <typename Predicate>
bool spin_until(Predicate ready) {
    auto end = std::chrono::steady_clock::now() + SPIN;
    do {
        for (int i = 0; i < 32; ++i) {
            if (ready()) return true;
            pause_thread();
        }
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
    return ready();
}

struct Pool {
    // The job. Written while `unclaimed` and `unfinished` are zero, read only by those that hold
    // a claimed chunk, which keeps it in place.
    ParallelBody body;
    void *env;
    int64_t n, chunk, n_chunks;
    FpControl control;
    int64_t *waited;  // gets the nanoseconds that the caller waits for others; or null

    std::atomic<int64_t> unclaimed{0}, unfinished{0};
    std::atomic<unsigned> fp_flags{0};

    std::atomic<uint64_t> generation{0};
    std::atomic<int> sleepers{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::condition_variable wake;
    std::vector<std::thread> threads;

    bool claim(int64_t *index) {
        int64_t left = unclaimed.load(std::memory_order_acquire);
        while (left > 0) {
            if (unclaimed.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel)) {
                *index = n_chunks - left;
                return true;
            }
        }
        return false;
    }

    void run_chunk(int64_t index) {
        int64_t begin = index * chunk;
        body(env, begin, std::min(n, begin + chunk));
    }

    void work_as_worker() {
        int64_t index;
        while (claim(&index)) {
            set_fp_control(control);
            run_chunk(index);
            fp_flags.fetch_or(::fp_flags(), std::memory_order_relaxed);
            unfinished.fetch_sub(1, std::memory_order_release);
        }
    }

    void work_as_caller() {
        int64_t index;
        while (claim(&index)) {
            run_chunk(index);
            unfinished.fetch_sub(1, std::memory_order_release);
        }
        int64_t begin = waited ? nanoseconds() : 0;
        auto finished = [this] { return unfinished.load(std::memory_order_acquire) == 0; };
        while (!spin_until(finished)) std::this_thread::yield();
        if (waited) *waited = nanoseconds() - begin;
    }

    void loop() {
        for (uint64_t seen = 0; !stop.load();) {
            auto posted = [&] { return generation.load() != seen; };
            if (!spin_until(posted)) {
                std::unique_lock<std::mutex> lock(mutex);
                sleepers.fetch_add(1);
                wake.wait(lock, posted);
                sleepers.fetch_sub(1);
            }
            seen = generation.load();
            work_as_worker();
        }
    }

    void post(int64_t n_wanted) {
        generation.fetch_add(1);
        int64_t n_woken = std::min<int64_t>(n_wanted, sleepers.load());
        if (n_woken == 0) return;
        std::lock_guard<std::mutex> lock(mutex);
        for (int64_t i = 0; i < n_woken; ++i) wake.notify_one();
    }

    unsigned run(ParallelBody job, void *job_env, int64_t size, int64_t chunk_size, int64_t count,
                 int64_t *time_waited) {
        waited = time_waited;
        body = job;
        env = job_env;
        n = size;
        chunk = chunk_size;
        n_chunks = count;
        control = fp_control();
        fp_flags.store(0, std::memory_order_relaxed);
        unfinished.store(count, std::memory_order_relaxed);
        unclaimed.store(count, std::memory_order_release);
        post(count - 1);
        work_as_caller();
        return fp_flags.load(std::memory_order_relaxed);
    }

    // Signals stay with the threads that Python knows. Fewer threads than asked for is fine.
    void start(int n_workers) {
        sigset_t all, previous;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &previous);
        try {
            for (int i = 0; i < n_workers; ++i) threads.emplace_back(&Pool::loop, this);
        } catch (const std::exception &) {
        }
        pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    }

    void finish() {
        stop.store(true);
        post(static_cast<int64_t>(threads.size()));
        for (std::thread &thread : threads) thread.join();
    }
};

// `busy` is held by the one thread that runs a job or replaces the pool. The pool is never
// destroyed at exit: sleeping workers end with the process.
std::atomic<bool> busy{false};
Pool *pool = nullptr;
std::atomic<int> requested_threads{0};

// Threads of Python that run graphs beside this one, itself included: each has its share.
thread_local int side_by_side = 1;

bool take_pool() { return !busy.load(std::memory_order_relaxed) && !busy.exchange(true); }

void give_pool() { busy.store(false, std::memory_order_release); }

int usable_cpus() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1u, std::thread::hardware_concurrency());
}

int default_threads() {
    const char *text = std::getenv("DYNAMO_THREADS");
    long count = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
    return count > 0 ? static_cast<int>(std::min<long>(count, MAX_THREADS)) : usable_cpus();
}

}  // namespace

int num_threads() {
    int count = requested_threads.load(std::memory_order_relaxed);
    if (count == 0) {
        count = default_threads();
        requested_threads.store(count, std::memory_order_relaxed);
    }
    return count;
}

namespace {

// The pool, started when first needed; null when there is no memory for it.
Pool *started_pool() {
    if (pool == nullptr && (pool = new (std::nothrow) Pool) != nullptr) {
        pool->start(num_threads() - 1);
    }
    return pool;
}

// Only the forking thread lives on in a child: the old pool is left behind, with its mutex.
void after_fork_in_child() {
    pool = nullptr;
    busy.store(false);
}

int64_t chunk_size(int64_t n, int64_t cost_ns, int threads) {
    int64_t wanted = std::min(cost_ns / CHUNK_NS + 1, threads * CHUNKS_PER_THREAD);
    int64_t size = (n - 1) / std::max<int64_t>(wanted, 1) + 1;
    if (n < ALIGN_CHUNKS_FROM) return size;
    return (size + CHUNK_MULTIPLE - 1) / CHUNK_MULTIPLE * CHUNK_MULTIPLE;
}

// Flags that this thread raises stay in its own register, those of the workers are returned.
unsigned run_job(ParallelBody body, void *env, int64_t n, int64_t cost_ns, int64_t *waited) {
    int threads = num_threads() / side_by_side;
    int64_t chunk = threads > 1 && cost_ns > CHUNK_NS ? chunk_size(n, cost_ns, threads) : n;
    if (chunk >= n || !take_pool()) {
        body(env, 0, n);
        return 0;
    }
    unsigned flags = 0;
    if (Pool *workers = started_pool()) {
        flags = workers->run(body, env, n, chunk, (n - 1) / chunk + 1, waited);
    } else {
        body(env, 0, n);
    }
    give_pool();
    return flags;
}

PyObject *get_num_threads(PyObject *, PyObject *) { return PyLong_FromLong(num_threads()); }

PyObject *set_num_threads(PyObject *, PyObject *argument) {
    long count = PyLong_AsLong(argument);
    if (count == -1 && PyErr_Occurred()) return nullptr;
    if (count < 1 || count > MAX_THREADS) {
        return PyErr_Format(PyExc_ValueError, "threads must be from 1 to %d, not %ld", MAX_THREADS,
                            count);
    }
    Py_BEGIN_ALLOW_THREADS
    while (!take_pool()) std::this_thread::yield();
    if (count != num_threads() && pool != nullptr) {
        pool->finish();
        delete pool;
        pool = nullptr;
    }
    requested_threads.store(static_cast<int>(count));
    give_pool();
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

PyObject *share_threads(PyObject *, PyObject *argument) {
    long count = PyLong_AsLong(argument);
    if (count == -1 && PyErr_Occurred()) return nullptr;
    if (count < 1) return PyErr_Format(PyExc_ValueError, "%ld threads cannot share", count);
    side_by_side = static_cast<int>(std::min<long>(count, MAX_THREADS));
    Py_RETURN_NONE;
}

PyMethodDef pool_functions[] = {
    {"get_num_threads", get_num_threads, METH_NOARGS,
     "Threads that a compiled graph may use, the calling one included."},
    {"set_num_threads", set_num_threads, METH_O,
     "Use this many threads (DYNAMO_THREADS, else the usable CPUs, when never set)."},
    {"share_threads", share_threads, METH_O,
     "So many threads run graphs side by side, the calling one included: it uses its share."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void parallel(Frame *frame, ParallelBody body, void *env, int64_t n, int64_t cost_ns) {
    if (n <= 0) return;
    if (cost_ns <= GIL_NS) return body(env, 0, n);
    Call *call = call_of(frame);
    int64_t waited = 0;
    give_gil(call);
    call->fp_flags |= run_job(body, env, n, cost_ns, frame->is_counted ? &waited : nullptr);
    if (!call->keeps_gil) return;
    int64_t done = frame->is_counted ? nanoseconds() : 0;
    take_gil(call);
    if (frame->is_counted) count_waiting(waited + nanoseconds() - done);
}

int add_pool(PyObject *module) {
    static bool registered = false;
    if (!registered) registered = pthread_atfork(nullptr, nullptr, after_fork_in_child) == 0;
    return PyModule_AddFunctions(module, pool_functions);
}
