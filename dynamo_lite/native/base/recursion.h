// What the interpreter counts to limit recursion.
#pragma once
#include "base/core.h"

namespace recursion {

// How many more C calls the interpreter allows.
inline int c_calls_left(PyThreadState *thread) {
#if PY_VERSION_HEX >= 0x030C0000
    return thread->c_recursion_remaining;
#else
    return thread->recursion_remaining;
#endif
}

// How many more Python calls the recursion limit allows.
inline int &calls_left(PyThreadState *thread) {
#if PY_VERSION_HEX >= 0x030C0000
    return thread->py_recursion_remaining;
#else
    return thread->recursion_remaining;
#endif
}

// Allows as many as the limit says, whatever runs below; the result says how many those were.
inline int start_at_depth_zero(PyThreadState *thread) {
#if PY_VERSION_HEX >= 0x030C0000
    int depth = thread->py_recursion_limit - thread->py_recursion_remaining;
#else
    int depth = thread->recursion_limit - thread->recursion_remaining + 1;  // the call of `exec`
#endif
    calls_left(thread) += depth;
    return depth;
}

}  // namespace recursion
