// The frames of Python 3.11, as far as a hook must know them. The layout is fixed within a minor
// version of CPython (Include/internal/pycore_frame.h); that header does not compile as C++.
#pragma once
#include "base/core.h"

namespace frames {

enum Owner : char { BY_THREAD = 0 };

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

inline PyCodeObject *code_of(const Layout *frame) {
    return reinterpret_cast<PyCodeObject *>(frame->code);
}

// What `instruction` holds before the code has begun to run.
inline void *entry_of(PyCodeObject *code) {
    return reinterpret_cast<uint16_t *>(code->co_code_adaptive) - 1;
}

}  // namespace frames
