// Tells when the program makes its first array: NumPy's own allocator is asked for memory. Until
// then functions need no hook, and a program without arrays never has one. Arrays that modules make
// while they are imported do not count.
#include "interpreter/regions.h"

namespace {

struct Allocator {
    PyDataMem_Handler *handler;
    void *(*plain_malloc)(void *, size_t);
    void *(*plain_calloc)(void *, size_t, size_t);
};

Allocator allocator{};
PyObject *frames_then = nullptr;  // (code, globals) of what ran when the first array was made

// Functions that began before there was a hook, innermost first; without memory, fewer.
void note_frames() {
    Ref found(PyList_New(0));
    Ref frame(reinterpret_cast<PyObject *>(PyThreadState_GetFrame(PyThreadState_Get())));
    while (found && frame) {
        auto present = reinterpret_cast<PyFrameObject *>(frame.get());
        Ref code(reinterpret_cast<PyObject *>(PyFrame_GetCode(present)));
        Ref globals(PyFrame_GetGlobals(present));
        Ref pair(PyTuple_Pack(2, code.get(), globals.get()));
        if (!pair || PyList_Append(found.get(), pair.get()) < 0) break;
        frame = Ref(reinterpret_cast<PyObject *>(PyFrame_GetBack(present)));
    }
    PyErr_Clear();
    Py_XSETREF(frames_then, found.release());
}

void memory_is_asked_for() {
    if (regions::is_outside() || regions::is_importing()) return;
    regions::stop_awaiting_array();
    note_frames();
    regions::install_hook();
    regions::start_sampling();
}

void *watched_malloc(void *context, size_t size) {
    memory_is_asked_for();
    return allocator.plain_malloc(context, size);
}

void *watched_calloc(void *context, size_t count, size_t size) {
    memory_is_asked_for();
    return allocator.plain_calloc(context, count, size);
}

}  // namespace

PyObject *regions::take_first_frames() {
    PyObject *found = std::exchange(frames_then, nullptr);
    return found ? found : PyList_New(0);
}

bool regions::await_first_array() {
    void *handler = PyCapsule_GetPointer(PyDataMem_DefaultHandler, "mem_handler");
    if (!handler) return false;
    auto known = static_cast<PyDataMem_Handler *>(handler);
    if (!allocator.handler) {
        allocator = {known, known->allocator.malloc, known->allocator.calloc};
    }
    known->allocator.malloc = watched_malloc;
    known->allocator.calloc = watched_calloc;
    return true;
}

void regions::stop_awaiting_array() {
    allocator.handler->allocator.malloc = allocator.plain_malloc;
    allocator.handler->allocator.calloc = allocator.plain_calloc;
}
