// NumPy's floating-point error state (np.errstate). It is a context variable that holds an opaque,
// immutable object; what the object says is asked once and kept for as long as the object stays
// current.
#include "base/core.h"
#include "runtime/fp_state.h"
#include "runtime/runtime.h"

#include <cstring>

namespace {

PyObject *variable;       // numpy._core.umath._extobj_contextvar
PyObject *describe;       // _get_extobj_dict() -> {"divide": "warn", ...} of the current object
PyObject *make_extobj;    // _make_extobj(divide="raise", ...) -> object based on the current one

// The last state that was looked at.
struct ErrorState {
    PyObject *object;     // owned: so its address cannot be reused
    PyObject *raising[FP_REPORTED + 1];  // by FpFlag bits: states in which just those raise
    unsigned reported;    // FpFlag bits whose mode is not "ignore"
} state;

struct Mode {
    const char *name;
    unsigned flag;
} const MODES[] = {{"divide", FP_DIVIDE},
                   {"over", FP_OVERFLOW},
                   {"under", FP_UNDERFLOW},
                   {"invalid", FP_INVALID}};

bool ask_reported(unsigned *reported) {
    PyObject *modes = PyObject_CallNoArgs(describe);
    if (modes == nullptr) return false;
    *reported = 0;
    for (const Mode &mode : MODES) {
        PyObject *value = PyDict_GetItemString(modes, mode.name);
        bool ignored = value != nullptr && PyUnicode_Check(value) &&
                       PyUnicode_CompareWithASCIIString(value, "ignore") == 0;
        if (!ignored) *reported |= mode.flag;
    }
    Py_DECREF(modes);
    return true;
}

// Brings `state` up to date with the context; false with an exception set.
bool refresh() {
    PyObject *object = nullptr;
    if (PyContextVar_Get(variable, nullptr, &object) < 0) return false;
    if (object == state.object) {
        Py_XDECREF(object);
        return object != nullptr;
    }
    unsigned reported;
    if (object == nullptr || !ask_reported(&reported)) {
        Py_XDECREF(object);
        return false;
    }
    state.reported = reported;
    Py_XSETREF(state.object, object);
    for (PyObject *&kept : state.raising) Py_CLEAR(kept);
    return true;
}

PyObject *make_raising(unsigned reported) {
    Ref kwargs(PyDict_New()), no_args(PyTuple_New(0));
    bool ok = kwargs && no_args;
    for (const Mode &mode : MODES) {
        Ref name(ok ? PyUnicode_FromString(reported & mode.flag ? "raise" : "ignore") : nullptr);
        ok = name && PyDict_SetItemString(kwargs.get(), mode.name, name.get()) == 0;
    }
    return ok ? PyObject_Call(make_extobj, no_args.get(), kwargs.get()) : nullptr;
}

}  // namespace

bool reports(unsigned fp_flags) {
    if (!refresh()) {
        PyErr_Clear();
        return true;
    }
    return (fp_flags & state.reported) != 0;
}

bool raising_errstate(Errstate own, PyObject **variable_or_null, PyObject **raising) {
    *variable_or_null = nullptr;
    if (!refresh()) return false;
    unsigned reported = (state.reported & ~own.ignored) | own.reported;
    if (reported == 0 && state.reported == 0) return true;
    PyObject *&kept = state.raising[reported];
    if (kept == nullptr && (kept = make_raising(reported)) == nullptr) return false;
    *variable_or_null = variable;
    *raising = kept;
    return true;
}

int add_errstate() {
    PyObject *umath = PyImport_ImportModule("numpy._core.umath");
    if (umath == nullptr) return -1;
    variable = PyObject_GetAttrString(umath, "_extobj_contextvar");
    describe = PyObject_GetAttrString(umath, "_get_extobj_dict");
    make_extobj = PyObject_GetAttrString(umath, "_make_extobj");
    Py_DECREF(umath);
    return variable != nullptr && describe != nullptr && make_extobj != nullptr ? 0 : -1;
}
