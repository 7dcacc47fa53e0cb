// The interpreter's frames, as far as a hook must know them. The layout is fixed within a minor
// version of CPython (Include/internal/pycore_frame.h); that header does not compile as C++.
#pragma once
#include "core.h"

#if PY_VERSION_HEX < 0x030E0000
#define DYNAMO_LITE_HAS_FRAMES 1

namespace frames {

enum Owner : char { BY_THREAD = 0 };

#if PY_VERSION_HEX >= 0x030C0000
struct Layout {
    PyObject *code;
    void *previous;
    PyObject *function;
    PyObject *globals, *builtins, *locals, *frame_object;
    void *instruction;       // 3.12: the unit before the next one; 3.13: the next one
    int stacktop;
    uint16_t return_offset;
    Owner owner;
    PyObject *localsplus[1];
};
#else
struct Layout {
    PyObject *function;
    PyObject *globals, *builtins, *locals;
    PyObject *code;
    PyObject *frame_object;
    void *previous;
    void *instruction;       // the unit before the next one
    int stacktop;
    bool is_entry;
    Owner owner;
    PyObject *localsplus[1];
};
#endif

constexpr int SPECIALS = (sizeof(Layout) - 1) / sizeof(PyObject *);

inline PyCodeObject *code_of(const Layout *frame) {
    return reinterpret_cast<PyCodeObject *>(frame->code);
}

// What `instruction` holds before the code has begun to run.
inline void *entry_of(PyCodeObject *code) {
    auto units = reinterpret_cast<uint16_t *>(code->co_code_adaptive);
    return PY_VERSION_HEX >= 0x030D0000 ? units : units - 1;
}

// The words that a frame of this code takes.
inline int size_of(PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030C0000
    return code->co_framesize;
#else
    return code->co_nlocalsplus + code->co_stacksize + SPECIALS;
#endif
}

// Makes the frames that are created from here on larger.
inline void grow(PyCodeObject *code, int words) {
    code->co_stacksize += words;
#if PY_VERSION_HEX >= 0x030C0000
    code->co_framesize += words;
#endif
}

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

}  // namespace frames

#if PY_VERSION_HEX < 0x030C0000
inline Py_ssize_t PyUnstable_Eval_RequestCodeExtraIndex(freefunc release) {
    return _PyEval_RequestCodeExtraIndex(release);
}
inline int PyUnstable_Code_GetExtra(PyObject *code, Py_ssize_t index, void **extra) {
    return _PyCode_GetExtra(code, index, extra);
}
inline int PyUnstable_Code_SetExtra(PyObject *code, Py_ssize_t index, void *extra) {
    return _PyCode_SetExtra(code, index, extra);
}
#endif

#else
#define DYNAMO_LITE_HAS_FRAMES 0
#endif
