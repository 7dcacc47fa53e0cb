// Samples: a thread of our own has the interpreter call back now and then, in the program's main
// thread and between two instructions, where pending calls are made. It needs no lock of the
// interpreter.
#include "interpreter/regions.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <pthread.h>

namespace {

using Seconds = std::chrono::duration<double>;

// One run of the thread that posts samples.
struct Sampler {
    PyObject *callback;
    std::atomic<double> interval;
    PyThreadState *main;
    std::mutex lock;
    std::condition_variable wake;
    bool is_over = false;
    std::thread thread;

    void run();
};

Sampler *sampler = nullptr;
PyObject *wanted = nullptr;  // what is to be called back, once there is an array
double wanted_interval = 0.0;

std::atomic<bool> &due() { return reinterpret_cast<std::atomic<bool> &>(sample_is_due); }

int look() {
    PyThreadState *thread = PyThreadState_Get();
    if (!sampler || regions::is_outside() || regions::is_importing()) return 0;
    if (thread->tracing || lines_are_watched(thread)) return 0;
    Ref frame(reinterpret_cast<PyObject *>(PyThreadState_GetFrame(thread)));
    if (!frame) return 0;
    Ref callback = Ref::borrow(sampler->callback);
    CompilerWorks works(true);
    Ref interval(PyObject_CallOneArg(callback.get(), frame.get()));
    if (!interval) return -1;
    if (sampler && PyFloat_CheckExact(interval.get())) {
        sampler->interval = PyFloat_AS_DOUBLE(interval.get());
    }
    return 0;
}

// Called by the interpreter. While it looks, no other sample is asked for, however long it takes: the
// interpreter would take it next, before the program's next instruction.
int take_sample(void *) {
    int status = look();
    due() = false;
    return status;
}

void Sampler::run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);  // the program's signals are its own threads'
    std::unique_lock<std::mutex> held(lock);
    while (!wake.wait_for(held, Seconds(interval), [this] { return is_over; })) {
        if (!due().exchange(true) && Py_AddPendingCall(take_sample, nullptr) < 0) due() = false;
        if (due()) look_for_calls(main);
    }
}

// In the child of a fork there is no such thread.
void forget_in_child() { sampler = nullptr, sample_is_due = false; }

PyObject *sample_with(PyObject *, PyObject *args) {
    PyObject *callback;
    double seconds;
    if (!PyArg_ParseTuple(args, "Od:sample_with", &callback, &seconds)) return nullptr;
    Py_XSETREF(wanted, callback == Py_None ? nullptr : Py_NewRef(callback));
    wanted_interval = seconds;
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"sample_with", sample_with, METH_VARARGS,
     "sample_with(callback, seconds, /)\n--\n\n"
     "In the next region, from its first array on, callback(frame) is called every so many seconds\n"
     "in the main thread, with the frame that runs there, or in as many as it answers with, a float.\n"
     "None: no more."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void regions::start_sampling() {
    if (sampler || !wanted) return;
    static const bool is_told = pthread_atfork(nullptr, nullptr, forget_in_child) == 0;
    if (!is_told) return;
    sampler = new Sampler{Py_NewRef(wanted), wanted_interval, main_thread()};
    sampler->thread = std::thread(&Sampler::run, sampler);
}

void regions::stop_sampling() {
    Sampler *stopped = std::exchange(sampler, nullptr);
    if (!stopped) return;
    {
        std::lock_guard<std::mutex> held(stopped->lock);
        stopped->is_over = true;
    }
    stopped->wake.notify_one();
    stopped->thread.join();
    Py_DECREF(stopped->callback);
    delete stopped;
}

int add_sampling(PyObject *module) { return PyModule_AddFunctions(module, functions); }
