// What only CPython's internal headers tell, or allow. In C because they are not C++.
#define Py_BUILD_CORE_MODULE 1
#include <Python.h>

#include <stdbool.h>

#include "internal/pycore_ceval.h"
#include "internal/pycore_dict.h"
#include "internal/pycore_frame.h"
#include "internal/pycore_gc.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_object.h"
#if PY_VERSION_HEX >= 0x030C0000
#include "internal/pycore_instruments.h"
#endif
#include "internal/pycore_runtime.h"

// Whether our own call is among those that the interpreter is to make; see sampling.cpp.
bool sample_is_due = false;

// The calls that wait in a queue of the interpreter's.
static int queued(const struct _pending_calls *calls) {
#if PY_VERSION_HEX >= 0x030D0000
    return calls->npending;
#else
    return (calls->last - calls->first + NPENDINGCALLS) % NPENDINGCALLS;
#endif
}

// The calls that the main thread is to make. (They are counted, as the note that there are some may
// outlast the calls: the interpreter takes it back before it makes them, and not behind them.)
static int calls_of_main(void) {
#if PY_VERSION_HEX >= 0x030C0000
    return queued(&_PyRuntime.ceval.pending_mainthread);
#else
    return queued(&PyInterpreterState_Get()->ceval.pending);
#endif
}

// Whether the interpreter would do something else before this thread's next instruction; the
// collection of garbage, other threads and our own samples do not count.
int something_pending(PyThreadState *thread) {
    int calls = 0;
    if (PyThread_get_thread_ident() == _PyRuntime.main_thread) {
        calls = calls_of_main() - __atomic_load_n(&sample_is_due, __ATOMIC_RELAXED);
    }
#if PY_VERSION_HEX >= 0x030C0000
    calls += queued(&thread->interp->ceval.pending);
#endif
#if PY_VERSION_HEX >= 0x030D0000
    const uintptr_t bits = _PY_SIGNALS_PENDING_BIT | _PY_ASYNC_EXCEPTION_BIT;
    return calls > 0 || (_Py_atomic_load_uintptr_relaxed(&thread->eval_breaker) & bits) != 0;
#else
    int signals = _Py_atomic_load_relaxed(&_PyRuntime.ceval.signals_pending) &&
                  _Py_ThreadCanHandleSignals(thread->interp);
    return calls > 0 || signals || thread->interp->ceval.pending.async_exc;
#endif
}

// Whether another thread has waited for the interpreter for so long that it is to be given to it. A
// thread that lets go of it more often, and takes it again, only keeps the others from saying so.
int others_wait(PyThreadState *thread) {
#if PY_VERSION_HEX >= 0x030D0000
    return (_Py_atomic_load_uintptr_relaxed(&thread->eval_breaker) & _PY_GIL_DROP_REQUEST_BIT) != 0;
#else
    return _Py_atomic_load_relaxed(&thread->interp->ceval.gil_drop_request);
#endif
}

// The thread that makes pending calls; null if it has none of Python.
PyThreadState *main_thread(void) {
    PyThreadState *thread = PyInterpreterState_ThreadHead(PyInterpreterState_Main());
    while (thread && thread->thread_id != _PyRuntime.main_thread) thread = PyThreadState_Next(thread);
    return thread;
}

// Has the main thread look for calls that it is to make before its next instruction, if it runs now.
// Before 3.13 it does not see what another thread asks for until it takes the interpreter again. (Other
// threads must not be told: they would look again and again.)
void look_for_calls(PyThreadState *main) {
#if PY_VERSION_HEX < 0x030D0000
    if (!main) return;
#if PY_VERSION_HEX >= 0x030C0000
    struct _gil_runtime_state *lock = main->interp->ceval.gil;
#else
    struct _gil_runtime_state *lock = &_PyRuntime.ceval.gil;
#endif
    int runs = _Py_atomic_load_relaxed(&lock->locked) > 0 && _PyRuntime.main_thread &&
               (PyThreadState *)_Py_atomic_load_relaxed(&lock->last_holder) == main;
    if (runs) _Py_atomic_store_relaxed(&main->interp->ceval.eval_breaker, 1);
#else
    (void)main;
#endif
}

// Whether a signal has arrived; it may have been tried, and put off, while it had to wait.
#if PY_VERSION_HEX >= 0x030D0000
static int has_signal(void) { return _Py_atomic_load_int(&_PyRuntime.signals.is_tripped); }
#elif PY_VERSION_HEX >= 0x030C0000
static int has_signal(void) { return _Py_atomic_load_relaxed(&_PyRuntime.signals.is_tripped); }
#else
static int has_signal(void) { return _Py_atomic_load_relaxed(&_PyRuntime.ceval.signals_pending); }
#endif

// Has signals wait in the thread that handles them, if that is this one; gives what release_signals
// takes. CPython knows that thread by this number, and no other has the number 0. Of what has arrived
// already the thread is not told again: CPython 3.11 asks without end where calls are profiled.
unsigned long hold_signals(void) {
    unsigned long main = _PyRuntime.main_thread;
    if (main != PyThread_get_thread_ident()) return 0;
    _PyRuntime.main_thread = 0;
#if PY_VERSION_HEX < 0x030D0000
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    struct _ceval_state *evaluation = &interpreter->ceval;
    int others = _Py_atomic_load_relaxed(&evaluation->gil_drop_request) || evaluation->pending.async_exc;
#if PY_VERSION_HEX >= 0x030C0000
    others |= _Py_atomic_load_relaxed(&evaluation->gc_scheduled);
#endif
    if (has_signal() || calls_of_main()) _Py_atomic_store_relaxed(&evaluation->eval_breaker, others);
#endif
    return main;
}

// What has arrived meanwhile is handled before the thread's next instruction.
void release_signals(unsigned long main) {
    if (!main) return;
    _PyRuntime.main_thread = main;
#if PY_VERSION_HEX >= 0x030D0000
    PyThreadState *thread = PyThreadState_Get();
    if (has_signal()) _Py_set_eval_breaker_bit(thread, _PY_SIGNALS_PENDING_BIT);
    if (calls_of_main()) _Py_set_eval_breaker_bit(thread, _PY_CALLS_TO_DO_BIT);
#else
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    if (calls_of_main()) {
        _Py_atomic_store_relaxed(&interpreter->ceval.pending.calls_to_do, 1);
        _Py_atomic_store_relaxed(&interpreter->ceval.eval_breaker, 1);
    }
    if (has_signal()) _PyEval_SignalReceived(interpreter);
#endif
}

// Puts off the automatic collection of garbage, which counts new objects; gives what
// release_collection takes. gc.collect() works as ever.
int hold_collection(void) {
    int *count = &PyInterpreterState_Get()->gc.generations[0].count, before = *count;
    *count = INT_MIN / 2;
    return before;
}

// A thread that is left when the interpreter ends comes here without it, on its way out.
void release_collection(int before) {
    if (!_PyThreadState_UncheckedGet()) return;
    int *count = &PyInterpreterState_Get()->gc.generations[0].count;
    if (*count < 0) *count = before;
}

// Whether a tool of sys.monitoring is there: a debugger, coverage tool, profiler or any other.
int is_monitored(void) {
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *const *names = PyInterpreterState_Get()->monitoring_tool_names;
    return names[0] || names[1] || names[2] || names[3] || names[4] || names[5];
#else
    return 0;
#endif
}

// Whether somebody counts on being told of every line that runs: a debugger, a coverage tool, a
// line profiler. What counts calls alone (sys.setprofile, cProfile) does not.
int lines_are_watched(PyThreadState *thread) {
    if (thread->c_tracefunc) return 1;
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *const *names = thread->interp->monitoring_tool_names;
    PyObject *profiler = names[PY_MONITORING_PROFILER_ID];
    return names[0] || names[1] || names[3] || names[4] || names[5] ||
           (profiler && !(PyUnicode_Check(profiler) &&
                          PyUnicode_CompareWithASCIIString(profiler, "cProfile") == 0));
#else
    return 0;
#endif
}

// The number of changes of the filters of warnings, by which every module knows whether what it
// has warned of before still counts.
long filters_version(void) { return PyInterpreterState_Get()->warnings.filters_version; }

void set_filters_version(long version) {
    PyInterpreterState_Get()->warnings.filters_version = version;
}

// Tells tracemalloc of memory; the header that declares this has no place in C++ before 3.13.
void track_memory(unsigned domain, void *memory, size_t nbytes) {
    PyTraceMalloc_Track(domain, (uintptr_t)memory, nbytes);
}

static PyCodeObject *code_of_frame(_PyInterpreterFrame *frame) {
#if PY_VERSION_HEX >= 0x030D0000
    return (PyCodeObject *)frame->f_executable;
#else
    return frame->f_code;
#endif
}

// Where a frame that runs on a thread's stack keeps a variable or a value of its stack, counted from
// its first variable; null for frames that have ended, and those of generators.
PyObject **place_in_frame(PyFrameObject *object, int slot) {
    _PyInterpreterFrame *frame = object->f_frame;
    if (frame->owner != FRAME_OWNED_BY_THREAD) return NULL;
    PyCodeObject *code = code_of_frame(frame);
    if (slot < 0 || slot >= code->co_nlocalsplus + code->co_stacksize) return NULL;
    return &frame->localsplus[slot];
}

// Has a frame that runs on a thread's stack be at the instruction at this offset of its code; at -2,
// CPython takes it for one that is still being made, which is in no traceback and no f_back.
void set_place(PyFrameObject *object, int offset) {
    _PyInterpreterFrame *frame = object->f_frame;
#if PY_VERSION_HEX >= 0x030D0000
    frame->instr_ptr = _PyCode_CODE(code_of_frame(frame)) + offset / 2;
#else
    frame->prev_instr = _PyCode_CODE(code_of_frame(frame)) + offset / 2;
#endif
}

// Whether it is the frame that this thread runs, and no other above it, seen or not.
int is_running(PyFrameObject *object) {
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_Get()->current_frame == object->f_frame;
#else
    return PyThreadState_Get()->cframe->current_frame == object->f_frame;
#endif
}

static int is_only_thread_of(PyInterpreterState *interpreter) {
    PyThreadState *first = PyInterpreterState_ThreadHead(interpreter);
    return first && !PyThreadState_Next(first);
}

// Whether no other thread can make objects meanwhile.
int is_alone(void) { return is_only_thread_of(PyInterpreterState_Get()); }

// Whether there are objects that the garbage collector does not look at, as after gc.freeze().
int has_frozen(void) {
    PyGC_Head *kept = &PyInterpreterState_Get()->gc.permanent_generation.head;
    return _PyGCHead_NEXT(kept) != kept;
}

// Has the garbage collector look no more at the objects that were made after `first`, as
// gc.freeze() does for all objects; nothing where it has gone through them already.
void keep_from(PyObject *first) {
    struct _gc_runtime_state *state = &PyInterpreterState_Get()->gc;
    PyGC_Head *young = state->generation0, *kept = &state->permanent_generation.head;
    PyGC_Head *before = _Py_AS_GC(first), *last = _PyGCHead_PREV(young);
    for (PyGC_Head *each = before; each != young; each = _PyGCHead_NEXT(each)) {
        bool is_other = each == kept || each == &state->generations[1].head ||
                        each == &state->generations[2].head;
        if (is_other) return;
    }
    if (last == before) return;
    PyGC_Head *next = _PyGCHead_NEXT(before), *end = _PyGCHead_PREV(kept);
    _PyGCHead_SET_NEXT(before, young);
    _PyGCHead_SET_PREV(young, before);
    _PyGCHead_SET_NEXT(end, next);
    _PyGCHead_SET_PREV(next, end);
    _PyGCHead_SET_NEXT(last, kept);
    _PyGCHead_SET_PREV(kept, last);
}

static bool has_managed_dict(PyObject *object) {
    return (Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
}

// The values of an object's attributes, where these need no dict. One is made as soon as somebody
// asks for it; up to Python 3.12 the interpreter takes longer for each attribute from then on, and
// from 3.13 on the dict shares the values.
static PyDictValues *values_of(PyObject *object) {
    if (!has_managed_dict(object)) return NULL;
#if PY_VERSION_HEX >= 0x030D0000
    if (!(Py_TYPE(object)->tp_flags & Py_TPFLAGS_INLINE_VALUES)) return NULL;
    PyDictValues *values = _PyObject_InlineValues(object);
    return values->valid ? values : NULL;
#elif PY_VERSION_HEX >= 0x030C0000
    PyDictOrValues either = *_PyObject_DictOrValuesPointer(object);
    return _PyDictOrValues_IsValues(either) ? _PyDictOrValues_GetValues(either) : NULL;
#else
    return *_PyObject_ValuesPointer(object);
#endif
}

static bool is_name(PyObject *key, PyObject *name) {
    return key == name || (!PyUnicode_CHECK_INTERNED(key) && PyUnicode_Compare(key, name) == 0);
}

static PyObject *value_in(PyDictValues *values, PyDictKeysObject *keys, PyObject *name) {
    PyDictUnicodeEntry *entries = DK_UNICODE_ENTRIES(keys);
    for (Py_ssize_t i = 0; i < keys->dk_nentries; ++i) {
        if (is_name(entries[i].me_key, name)) return values->values[i];
    }
    return NULL;
}

// The dict of an object's attributes, borrowed; null where there is none by now.
PyObject *present_dict(PyObject *object) {
    if (!has_managed_dict(object)) {
        PyObject **place = _PyObject_GetDictPtr(object);
        return place ? *place : NULL;
    }
#if PY_VERSION_HEX >= 0x030D0000
    return (PyObject *)_PyObject_GetManagedDict(object);
#elif PY_VERSION_HEX >= 0x030C0000
    return values_of(object) ? NULL
                             : _PyDictOrValues_GetDict(*_PyObject_DictOrValuesPointer(object));
#else
    return *_PyObject_ManagedDictPointer(object);
#endif
}

// What an object itself holds under a name, an interned str, in its dict or where that would be;
// borrowed, null without an exception where it holds nothing.
PyObject *own_value(PyObject *object, PyObject *name) {
    PyDictValues *values = values_of(object);
    if (values) {
        return value_in(values, ((PyHeapTypeObject *)Py_TYPE(object))->ht_cached_keys, name);
    }
    PyObject *dict = present_dict(object);
    PyObject *value = dict && PyDict_Check(dict) ? PyDict_GetItemWithError(dict, name) : NULL;
    if (!value) PyErr_Clear();
    return value;
}
