// Room on the C stack, for calls from C into Python that may recurse.
#pragma once
#include "base/core.h"

// Whether less than half of this thread's C stack is left: Python's own calls, which need none, are
// better then than those of compiled code.
bool is_stack_low();

// Whether less than a quarter is left.
bool is_stack_gone();

// Stands around a call of a Python function. From 3.12 on the interpreter counts such calls and
// stops at a number that some releases set below the recursion limit; here the stack itself is
// looked at, so that recursion through C goes as deep as the plain function's.
class PythonCall {
public:
    PythonCall() : is_possible(!is_stack_gone()) {
        if (is_possible) {
            allow(CALL_UNITS);
        } else {
            PyErr_SetString(PyExc_RecursionError, "maximum recursion depth exceeded");
        }
    }
    ~PythonCall() {
        if (is_possible) allow(-CALL_UNITS);
    }
    PythonCall(const PythonCall &) = delete;
    explicit operator bool() const { return is_possible; }

private:
    static constexpr int CALL_UNITS = 2;  // PY_EVAL_C_STACK_UNITS: what evaluating a frame counts

    static void allow(int units) {
#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030E0000
        PyThreadState_Get()->c_recursion_remaining += units;
#else
        static_cast<void>(units);
#endif
    }

    bool is_possible;
};
