// A call of a Python function as a step of a compiled graph. It must not say anything itself: the
// graph may still bail out, and a warning belongs to the user's own line. So NumPy's error state
// turns its reports into exceptions, and a warnings filter, which matches only in a thread that is
// inside such a call, does so with warnings.
#include "base/core.h"
#include "runtime/runtime.h"

namespace {

thread_local int depth;  // extern calls that this thread is in

PyObject *warnings;      // the module
PyObject *filters_name;  // "filters"
PyObject *rule;          // ("error", <matcher>, categories, None, 0)

PyObject *match(PyObject *, PyObject *) { return PyBool_FromLong(depth > 0); }

PyMethodDef matcher_methods[] = {
    {"match", match, METH_O, "Whether this thread is inside an extern call."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot matcher_slots[] = {{Py_tp_methods, matcher_methods}, {0, nullptr}};

PyType_Spec matcher_spec = {"dynamo_lite.native._core.InExternCall", sizeof(PyObject), 0,
                            Py_TPFLAGS_DEFAULT, matcher_slots};

// The filter, in front of the others for the length of a call. The registries of warnings already
// given stay as they are, because the filters' version does.
class WarningsRaise {
public:
    WarningsRaise() : filters(PyObject_GetAttr(warnings, filters_name)) {
        ok = filters && PyList_Check(filters.get()) && PyList_Insert(filters.get(), 0, rule) == 0;
        depth += ok;
    }
    WarningsRaise(const WarningsRaise &) = delete;
    ~WarningsRaise() {
        if (!ok) return;
        depth -= 1;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(filters.get()); ++i) {
            if (PyList_GET_ITEM(filters.get(), i) != rule) continue;
            PyList_SetSlice(filters.get(), i, i + 1, nullptr);
            return;
        }
    }
    explicit operator bool() const { return ok; }

private:
    Ref filters;
    bool ok;
};

// The error state, replaced for the length of a call.
class ReportsRaise {
public:
    explicit ReportsRaise(Errstate own) {
        PyObject *raising;
        ok = raising_errstate(own, &variable, &raising);
        if (!ok || variable == nullptr) return;
        token = Ref(PyContextVar_Set(variable, raising));
        ok = static_cast<bool>(token);
    }
    ReportsRaise(const ReportsRaise &) = delete;
    ~ReportsRaise() {
        if (token && PyContextVar_Reset(variable, token.get()) < 0) PyErr_Clear();
    }
    explicit operator bool() const { return ok; }

private:
    PyObject *variable = nullptr;
    Ref token;
    bool ok;
};

}  // namespace

PyObject *call_reporting(Errstate own, PyObject *callable, PyObject *const *args,
                         Py_ssize_t n_args) {
    PyObject *result = nullptr, *type, *value, *traceback;
    {
        ReportsRaise reports_raise(own);
        if (!reports_raise) return nullptr;
        WarningsRaise warnings_raise;
        if (!warnings_raise) return nullptr;
        result = PyObject_Vectorcall(callable, args, n_args, nullptr);
        PyErr_Fetch(&type, &value, &traceback);
    }
    PyErr_Restore(type, value, traceback);
    return result;
}

int add_extern_call() {
    warnings = PyImport_ImportModule("warnings");
    filters_name = PyUnicode_InternFromString("filters");
    Ref type(PyType_FromSpec(&matcher_spec));
    Ref matcher(type ? PyObject_CallNoArgs(type.get()) : nullptr);
    if (warnings == nullptr || filters_name == nullptr || !matcher) return -1;
    rule = Py_BuildValue("(sO(OOOO)Oi)", "error", matcher.get(), PyExc_RuntimeWarning,
                         PyExc_UserWarning, PyExc_DeprecationWarning, PyExc_FutureWarning, Py_None, 0);
    return rule != nullptr ? 0 : -1;
}
