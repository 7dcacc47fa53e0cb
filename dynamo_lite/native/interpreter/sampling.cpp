// On-stack replacement: what Python code needs to look at frames that are running, and to change them.
//
// A thread of our own has the interpreter call back now and then, in the program's main thread and
// between two instructions, where pending calls are made. It needs no lock of the interpreter.
#include "interpreter/regions.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <pthread.h>
#include <structmember.h>

#include "interpreter/interpreter.h"

namespace {

using Seconds = std::chrono::duration<double>;

// One run of the thread that posts samples.
struct Sampler {
    PyObject *callback;
    Seconds interval;
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

// Called by the interpreter.
int take_sample(void *) {
    due() = false;
    PyThreadState *thread = PyThreadState_Get();
    if (!sampler || regions::is_outside() || regions::is_importing()) return 0;
    if (thread->tracing || lines_are_watched(thread)) return 0;
    Ref frame(reinterpret_cast<PyObject *>(PyThreadState_GetFrame(thread)));
    if (!frame) return 0;
    Ref callback = Ref::borrow(sampler->callback);
    CompilerWorks works(true);
    Ref done(PyObject_CallOneArg(callback.get(), frame.get()));
    return done ? 0 : -1;
}

void Sampler::run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);  // the program's signals are its own threads'
    std::unique_lock<std::mutex> held(lock);
    while (!wake.wait_for(held, interval, [this] { return is_over; })) {
        if (!due().exchange(true) && Py_AddPendingCall(take_sample, nullptr) < 0) due() = false;
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

PyFrameObject *frame_of(PyObject *object) {
    if (Py_TYPE(object) == &PyFrame_Type) return reinterpret_cast<PyFrameObject *>(object);
    PyErr_Format(PyExc_TypeError, "a frame is needed, not %s", Py_TYPE(object)->tp_name);
    return nullptr;
}

PyObject *exchange_in_frame(PyObject *, PyObject *args) {
    PyObject *object, *value, *unbound;
    int slot;
    if (!PyArg_ParseTuple(args, "OiOO:exchange_in_frame", &object, &slot, &value, &unbound)) {
        return nullptr;
    }
    PyFrameObject *frame = frame_of(object);
    PyObject **place = frame ? place_in_frame(frame, slot) : nullptr;
    if (!place) {
        if (frame) PyErr_SetString(PyExc_ValueError, "the frame has no such place");
        return nullptr;
    }
    PyObject *before = std::exchange(*place, value == unbound ? nullptr : Py_NewRef(value));
    return before ? before : Py_NewRef(unbound);
}

PyObject *value_in_frame(PyObject *, PyObject *args) {
    PyObject *object, *unbound;
    int slot;
    if (!PyArg_ParseTuple(args, "OiO:value_in_frame", &object, &slot, &unbound)) return nullptr;
    PyFrameObject *frame = frame_of(object);
    if (!frame) return nullptr;
    PyObject **place = place_in_frame(frame, slot);
    return Py_NewRef(place && *place ? *place : unbound);
}

PyObject *set_frame_place(PyObject *, PyObject *args) {
    PyObject *object;
    int offset;
    if (!PyArg_ParseTuple(args, "Oi:set_frame_place", &object, &offset)) return nullptr;
    PyFrameObject *frame = frame_of(object);
    if (!frame) return nullptr;
    if (place_in_frame(frame, 0)) set_place(frame, offset);
    Py_RETURN_NONE;
}

PyObject *call_outside(PyObject *, PyObject *const *args, Py_ssize_t nargs) {
    if (nargs < 1) {
        PyErr_SetString(PyExc_TypeError, "call_outside() needs a callable");
        return nullptr;
    }
    CompilerWorks works(true);
    return PyObject_Vectorcall(args[0], args + 1, nargs - 1, nullptr);
}

// Called by the interpreter with a frame and an error, again and again until it is in that frame.
int raise_in_frame(void *waiting) {
    Ref pair(static_cast<PyObject *>(waiting));
    auto frame = reinterpret_cast<PyFrameObject *>(PyTuple_GET_ITEM(pair.get(), 0));
    PyObject *error = PyTuple_GET_ITEM(pair.get(), 1);
    if (!is_running(frame) && Py_AddPendingCall(raise_in_frame, pair.get()) == 0) {
        pair.release();
        return 0;
    }
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error)), error);
    return -1;
}

PyObject *raise_soon(PyObject *, PyObject *args) {
    PyObject *frame, *error;
    if (!PyArg_ParseTuple(args, "O!O:raise_soon", &PyFrame_Type, &frame, &error)) return nullptr;
    Ref pair(PyTuple_Pack(2, frame, error));
    if (!pair) return nullptr;
    if (Py_AddPendingCall(raise_in_frame, pair.get()) == 0) pair.release();
    Py_RETURN_NONE;
}

// -- an iterator that can be told to end before its time

struct Steps {
    PyObject_HEAD
    PyObject *iterator;
    char is_stopped, was_stopped;
};

Steps *as_steps(PyObject *object) { return reinterpret_cast<Steps *>(object); }

PyObject *steps_new(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *iterator;
    if (!PyArg_ParseTuple(args, "O:Steps", &iterator)) return nullptr;
    PyObject *object = type->tp_alloc(type, 0);
    if (object) as_steps(object)->iterator = Py_NewRef(iterator);
    return object;
}

int steps_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(as_steps(object)->iterator);
    return 0;
}

int steps_clear(PyObject *object) {
    Py_CLEAR(as_steps(object)->iterator);
    return 0;
}

void steps_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    steps_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject *steps_next(PyObject *object) {
    Steps *self = as_steps(object);
    if (self->is_stopped) self->was_stopped = 1;
    return self->is_stopped || !self->iterator ? nullptr : PyIter_Next(self->iterator);
}

PyObject *steps_length_hint(PyObject *object, PyObject *) {
    PyObject *iterator = as_steps(object)->iterator;
    Py_ssize_t hint = iterator ? PyObject_LengthHint(iterator, 0) : 0;
    return hint < 0 ? nullptr : PyLong_FromSsize_t(hint);
}

PyMethodDef steps_methods[] = {
    {"__length_hint__", steps_length_hint, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef steps_members[] = {
    {"iterator", T_OBJECT, offsetof(Steps, iterator), READONLY, "What the items come from."},
    {"is_stopped", T_BOOL, offsetof(Steps, is_stopped), 0, "Whether there is to be no next item."},
    {"was_stopped", T_BOOL, offsetof(Steps, was_stopped), READONLY,
     "Whether an item was asked for after that."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot steps_slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(steps_new)},
    {Py_tp_traverse, reinterpret_cast<void *>(steps_traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(steps_clear)},
    {Py_tp_dealloc, reinterpret_cast<void *>(steps_dealloc)},
    {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void *>(steps_next)},
    {Py_tp_members, steps_members},
    {Py_tp_methods, steps_methods},
    {Py_tp_doc, const_cast<char *>("The items of an iterator, until it is stopped.")},
    {0, nullptr},
};

PyType_Spec steps_spec = {
    "dynamo_lite.native.Steps", sizeof(Steps), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, steps_slots,
};

PyMethodDef functions[] = {
    {"sample_with", sample_with, METH_VARARGS,
     "sample_with(callback, seconds, /)\n--\n\n"
     "In the next region, from its first array on, callback(frame) is called every so many seconds\n"
     "in the main thread, with the frame that runs there; None: no more."},
    {"value_in_frame", value_in_frame, METH_VARARGS,
     "value_in_frame(frame, slot, unbound, /)\n--\n\n"
     "What a running frame keeps in a slot: its variables, cells and free variables, then its\n"
     "stack. `unbound` where there is nothing."},
    {"exchange_in_frame", exchange_in_frame, METH_VARARGS,
     "exchange_in_frame(frame, slot, value, unbound, /)\n--\n\n"
     "Puts another value there, and gives the one before. The frame must be in a loop whose\n"
     "iterator that is, or read the variable again before it uses it."},
    {"set_frame_place", set_frame_place, METH_VARARGS,
     "set_frame_place(frame, offset, /)\n--\n\n"
     "Has a running frame seem to be at an offset of its code; at -2 it is not seen at all."},
    {"call_outside",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_outside)), METH_FASTCALL,
     "call_outside(callable, /, *args)\n--\n\n"
     "Calls it in no region: what it calls is no candidate."},
    {"raise_soon", raise_soon, METH_VARARGS,
     "raise_soon(frame, error, /)\n--\n\n"
     "Raises the error in a frame of the main thread, before one of its next instructions."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void regions::start_sampling() {
    if (sampler || !wanted) return;
    static const bool is_told = pthread_atfork(nullptr, nullptr, forget_in_child) == 0;
    if (!is_told) return;
    sampler = new Sampler{Py_NewRef(wanted), Seconds(wanted_interval)};
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

int add_sampling(PyObject *module) {
    Ref type(PyType_FromSpec(&steps_spec));
    if (!type || PyModule_AddObjectRef(module, "Steps", type.get()) < 0) return -1;
    return PyModule_AddFunctions(module, functions);
}
