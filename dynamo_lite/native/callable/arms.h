// Arms behind side exits that Python runs: a function for what is left of an iteration.
#pragma once
#include "base/callables.h"
#include "callable/callable.h"

// A continuation that calls `function` with as many of its arguments as that takes, and goes on with
// `following`, which takes the first `n`.
struct Arm {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *function, *following;
    Py_ssize_t n;

    static constexpr const char *RELEASED = "this arm has";
    static constexpr PyObject *Arm::*OWNED[] = {&Arm::function, &Arm::following};
    void release() {}
};

extern PyTypeObject *arm_type;
inline bool is_arm(PyObject *object) { return Py_TYPE(object) == arm_type; }

// Calls the function of an arm; false with an exception.
bool run_arm(Arm *self, PyObject *const *args, Py_ssize_t n_args);
