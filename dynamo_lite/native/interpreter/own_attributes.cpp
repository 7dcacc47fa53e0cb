// What objects themselves hold, for Python: read without making the dict that they may have.
#include "base/core.h"
#include "interpreter/interpreter.h"

namespace {

PyObject *get_present_dict(PyObject *, PyObject *object) {
    PyObject *dict = PyType_Check(object) ? nullptr : present_dict(object);
    return Py_NewRef(dict ? dict : Py_None);
}

PyObject *get_own_value(PyObject *, PyObject *args) {
    PyObject *object, *name, *otherwise;
    if (!PyArg_ParseTuple(args, "OUO:own_value", &object, &name, &otherwise)) return nullptr;
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    PyObject *value = own_value(object, name);
    Py_DECREF(name);
    return Py_NewRef(value ? value : otherwise);
}

PyMethodDef functions[] = {
    {"present_dict", get_present_dict, METH_O,
     "present_dict($self, object, /)\n--\n\n"
     "The __dict__ of an object, no class; None where it has none, or was never asked for it."},
    {"own_value", get_own_value, METH_VARARGS,
     "own_value($self, object, name, otherwise, /)\n--\n\n"
     "What an object, no class, itself holds under a name: vars(object).get(name, otherwise), which\n"
     "does not make a dict."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_own_attributes(PyObject *module) { return PyModule_AddFunctions(module, functions); }
