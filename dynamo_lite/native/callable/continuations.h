// Continuations of frames: how compiled code that left a frame in the middle goes on.
#pragma once
#include "base/core.h"

// Arguments that nobody but the callee needs. It may take them for its own, so that what it drops
// ends there and then.
struct HandedOver {
    PyObject **values;
    Py_ssize_t n;
};

// Stands around the call of a Python function with these arguments.
class PassedOn {
public:
    explicit PassedOn(PyObject *const *values);
    ~PassedOn();
    PassedOn(const PassedOn &) = delete;

private:
    HandedOver *outer;
};

// `(CONTINUATION, function, *arguments)`, a new reference, or null with an error set.
PyObject *new_continuation(PyObject *function, PyObject *const *arguments, Py_ssize_t n);

// Whether a target is one that drives a frame through its continuations.
bool is_driver(PyObject *target);
