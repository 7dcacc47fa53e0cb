// What waits for the interpreter: signals, calls made by other threads, exceptions sent to this one.
// In C because CPython's internal headers are not C++.
#define Py_BUILD_CORE_MODULE 1
#include <Python.h>

#include "internal/pycore_ceval.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"

// Whether the interpreter would do something else before this thread's next instruction; the
// collection of garbage and other threads do not count.
int something_pending(void) {
    PyThreadState *thread = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030D0000
    const uintptr_t bits =
        _PY_SIGNALS_PENDING_BIT | _PY_CALLS_TO_DO_BIT | _PY_ASYNC_EXCEPTION_BIT;
    return (_Py_atomic_load_uintptr_relaxed(&thread->eval_breaker) & bits) != 0;
#else
    struct _pending_calls *pending = &thread->interp->ceval.pending;
    int signals = _Py_atomic_load_relaxed(&_PyRuntime.ceval.signals_pending) &&
                  _Py_ThreadCanHandleSignals(thread->interp);
    return signals || _Py_atomic_load_relaxed(&pending->calls_to_do) || pending->async_exc;
#endif
}
