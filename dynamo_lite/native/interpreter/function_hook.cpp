// Candidates on Python 3.12 and later: a function whose code was made in a region gets a vectorcall
// of ours, until it is decided to leave it alone. Functions that are left alone cost nothing; the
// others cost each call more than the call itself, so calls are not watched all the time: during a
// pause a function that Python is to run is given back at its next call.
#include "interpreter/regions.h"

#include <unordered_set>

#if PY_VERSION_HEX >= 0x030C0000

namespace {

int watcher = -1;
bool is_installed = false;
bool is_watching = true;     // nobody has asked for a pause
regions::CallsSeen seen;
std::unordered_set<PyObject *> given_back;  // borrowed, during a pause: taken again after it
uint32_t first_version = 0;  // of code objects that are made in the region; they count up

PyFunctionObject *as_function(PyObject *object) {
    return reinterpret_cast<PyFunctionObject *>(object);
}

// Every positional and keyword value of a call.
Ref values_of(PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    Py_ssize_t n = PyVectorcall_NARGS(nargsf) + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    Ref values(PyTuple_New(n));
    for (Py_ssize_t i = 0; values && i < n; ++i) {
        PyTuple_SET_ITEM(values.get(), i, Py_NewRef(args[i]));
    }
    return values;
}

PyObject *call_candidate(PyObject *function, PyObject *const *args, size_t nargsf,
                         PyObject *kwnames);

// Gives the function back to the interpreter. From 3.13 on only a new function gets a version, which
// is its code's, and call sites are fast only for functions that have one.
void release(PyObject *function) {
    PyFunction_SetVectorcall(as_function(function), plain_vectorcall);
#if PY_VERSION_HEX >= 0x030D0000
    PyObject *code = PyFunction_GET_CODE(function);
    regions::CodeNote *note = regions::note_of(code);
    as_function(function)->func_version = note ? note->version : regions::version_of(code);
#endif
}

// The same until calls are watched again.
void release_for_now(PyObject *function) {
    given_back.insert(function);
    release(function);
}

// The interpreter calls such a function without using C stack.
PyObject *step_aside(PyObject *function, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    PyFunction_SetVectorcall(as_function(function), plain_vectorcall);
    PyObject *result = plain_vectorcall(function, args, nargsf, kwnames);
    PyFunction_SetVectorcall(as_function(function), call_candidate);
    return result;
}

PyObject *call_candidate(PyObject *function, PyObject *const *args, size_t nargsf,
                         PyObject *kwnames) {
    PyThreadState *thread = PyThreadState_Get();
    Ref target = regions::compiled_form(function);
    if (!target && !regions::is_candidate(PyFunction_GET_CODE(function))) {
        release(function);
        return plain_vectorcall(function, args, nargsf, kwnames);
    }
    if (!regions::is_open(thread)) return plain_vectorcall(function, args, nargsf, kwnames);
    if (regions::is_deep(thread)) return step_aside(function, args, nargsf, kwnames);
    if (!target && regions::is_importing()) {
        return plain_vectorcall(function, args, nargsf, kwnames);
    }
    PyObject *code = PyFunction_GET_CODE(function);
    if (target ? regions::is_reviewed(code) : regions::is_due(code)) {
        Ref values = target ? Ref::borrow(Py_None) : values_of(args, nargsf, kwnames);
        if (!regions::ask(function, std::move(values))) return nullptr;
        target = regions::compiled_form(function);
    }
    if (!target && !is_watching) {
        release_for_now(function);
        return plain_vectorcall(function, args, nargsf, kwnames);
    }
    if (!target || !regions::is_due(code)) {
        ++seen.all;
        ++seen.timed;
        regions::Runs runs(code);
        return plain_vectorcall(function, args, nargsf, kwnames);
    }
    auto compiled = reinterpret_cast<CompiledFunction *>(target.get());
    regions::Runs runs(code, true);
    PyObject *result;
    if (call_fitting(compiled, function, args, nargsf, kwnames, result)) return result;
    runs.in_python();
    Waits waits(compiled);
    return plain_vectorcall(function, args, nargsf, kwnames);
}

void intercept(PyFunctionObject *function, PyObject *code) {
    if (code == regions::left_alone) return;
    if (!regions::is_of_function(code) || function->vectorcall != plain_vectorcall) return;
    if (regions::expect_functions(code)) PyFunction_SetVectorcall(function, call_candidate);
}

int watch(PyFunction_WatchEvent event, PyFunctionObject *function, PyObject *new_value) {
    switch (event) {
    case PyFunction_EVENT_CREATE:
        if (is_installed) intercept(function, function->func_code);
        break;
    case PyFunction_EVENT_MODIFY_CODE:
        if (is_installed) intercept(function, new_value);
        break;
    case PyFunction_EVENT_DESTROY:
        regions::forget(reinterpret_cast<PyObject *>(function));
        if (!given_back.empty()) given_back.erase(reinterpret_cast<PyObject *>(function));
        break;
    default: break;
    }
    return 0;
}

int intercept_existing(PyObject *object, void *) {
    if (!PyFunction_Check(object)) return 1;  // go on
    PyObject *code = PyFunction_GET_CODE(object);
    if (regions::version_of(code) > first_version) intercept(as_function(object), code);
    return 1;
}

}  // namespace

bool regions::prepare_hook() {
    Ref code(reinterpret_cast<PyObject *>(PyCode_NewEmpty("", "", 0)));
    if (code) first_version = regions::version_of(code.get());
    return bool(code);
}

void regions::install_hook() {
    if (watcher < 0) watcher = PyFunction_AddWatcher(watch);
    if (watcher < 0) return PyErr_Clear();
    is_installed = is_watching = true;
    PyUnstable_GC_VisitObjects(intercept_existing, nullptr);
}

// The watcher stays: it also tells of the end of functions that have a compiled form.
void regions::uninstall_hook() {
    is_installed = false;
    given_back.clear();
}

void regions::watch_calls(bool is_on) {
    is_watching = is_on;
    if (!is_on) return;
    for (PyObject *function : std::exchange(given_back, {})) {
        if (as_function(function)->vectorcall == plain_vectorcall) {
            PyFunction_SetVectorcall(as_function(function), call_candidate);
        }
    }
}

regions::CallsSeen regions::calls_seen() { return seen; }

PyObject *run_plain(PyObject *function, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    return plain_vectorcall(function, args, nargsf, kwnames);
}

#endif
