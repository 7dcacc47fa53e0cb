// Redirections: what a plain function does when it is called, with its identity kept.
#include "frame_hook.h"

namespace {

#if PY_VERSION_HEX >= 0x030C0000

// The target is an item of the function's dictionary, so that the two make an ordinary cycle.
PyObject *target_key = nullptr;

PyObject *target_of(PyObject *function) {
    PyObject *dict = reinterpret_cast<PyFunctionObject *>(function)->func_dict;
    return dict ? PyDict_GetItemWithError(dict, target_key) : nullptr;
}

PyObject *call_target(PyObject *function, PyObject *const *args, size_t nargsf,
                      PyObject *kwnames) {
    Ref target = Ref::borrow(target_of(function));
    if (!target) return plain_vectorcall(function, args, nargsf, kwnames);
    return PyObject_Vectorcall(target.get(), args, nargsf, kwnames);
}

bool redirect_to(PyObject *function, PyObject *target) {
    Ref dict(PyObject_GenericGetDict(function, nullptr));
    if (!dict || PyDict_SetItem(dict.get(), target_key, target) < 0) return false;
    PyFunction_SetVectorcall(reinterpret_cast<PyFunctionObject *>(function), call_target);
    return true;
}

bool is_redirected(PyObject *function) {
    return reinterpret_cast<PyFunctionObject *>(function)->vectorcall == call_target;
}

bool undo(PyObject *function) {
    PyFunction_SetVectorcall(reinterpret_cast<PyFunctionObject *>(function), plain_vectorcall);
    if (!target_of(function)) return !PyErr_Occurred();
    return PyDict_DelItem(reinterpret_cast<PyFunctionObject *>(function)->func_dict,
                          target_key) == 0;
}

constexpr bool CAN_REDIRECT = true;

bool prepare() {
    target_key = PyUnicode_InternFromString("__dynamo_lite_target__");
    return target_key;
}

#else

// CALL runs a Python function's code without looking at its vectorcall.
bool redirect_to(PyObject *, PyObject *) { return true; }
bool is_redirected(PyObject *) { return false; }
bool undo(PyObject *) { return true; }
constexpr bool CAN_REDIRECT = false;
bool prepare() { return true; }

#endif

PyObject *redirect(PyObject *, PyObject *args) {
    PyObject *function, *target;
    if (!PyArg_ParseTuple(args, "O!O:redirect", &PyFunction_Type, &function, &target)) {
        return nullptr;
    }
    if (!PyCallable_Check(target)) {
        PyErr_SetString(PyExc_TypeError, "redirect() needs a callable");
        return nullptr;
    }
    return redirect_to(function, target) ? PyBool_FromLong(CAN_REDIRECT) : nullptr;
}

PyObject *restore(PyObject *, PyObject *function) {
    if (!PyFunction_Check(function)) {
        PyErr_SetString(PyExc_TypeError, "restore() needs a function");
        return nullptr;
    }
    if (!is_redirected(function)) Py_RETURN_FALSE;
    return undo(function) ? Py_NewRef(Py_True) : nullptr;
}

PyMethodDef functions[] = {
    {"redirect", redirect, METH_VARARGS,
     "redirect(function, target, /)\n--\n\n"
     "Makes calls of `function` call `target`. False where that is not possible (Python 3.11)."},
    {"restore", restore, METH_O,
     "restore(function, /)\n--\n\nUndoes redirect; whether there was something to undo."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_redirect(PyObject *module) {
    return prepare() ? PyModule_AddFunctions(module, functions) : -1;
}
