// filler: the fields of an instance with slots, set in one call and past the refusal of a frozen
// class.
#include "core.h"

#include <structmember.h>

namespace {

PyObject **place(PyObject *member, PyObject *instance) {
    auto *found = reinterpret_cast<PyMemberDescrObject *>(member);
    if (!PyObject_TypeCheck(instance, PyDescr_TYPE(member))) return nullptr;
    return reinterpret_cast<PyObject **>(reinterpret_cast<char *>(instance) +
                                         found->d_member->offset);
}

// fill(instance, *values)
PyObject *fill(PyObject *members, PyObject *const *args, Py_ssize_t count) {
    if (count != PyTuple_GET_SIZE(members) + 1) {
        PyErr_SetString(PyExc_TypeError, "an instance and one value for each of its fields");
        return nullptr;
    }
    for (Py_ssize_t i = 1; i < count; ++i) {
        PyObject **slot = place(PyTuple_GET_ITEM(members, i - 1), args[0]);
        if (!slot) {
            PyErr_SetString(PyExc_TypeError, "an instance of another class");
            return nullptr;
        }
        PyObject *old = *slot;
        *slot = Py_NewRef(args[i]);
        Py_XDECREF(old);
    }
    Py_RETURN_NONE;
}

PyMethodDef fill_definition = {
    "fill", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fill)), METH_FASTCALL,
    nullptr};

PyObject *filler(PyObject *, PyObject *members) {
    bool fits = PyTuple_CheckExact(members);
    for (Py_ssize_t i = 0; fits && i < PyTuple_GET_SIZE(members); ++i) {
        PyObject *member = PyTuple_GET_ITEM(members, i);
        fits = Py_IS_TYPE(member, &PyMemberDescr_Type) &&
               reinterpret_cast<PyMemberDescrObject *>(member)->d_member->type == T_OBJECT_EX;
    }
    if (fits) return PyCFunction_New(&fill_definition, members);
    PyErr_SetString(PyExc_TypeError, "a tuple of the slots of a class");
    return nullptr;
}

PyMethodDef functions[] = {
    {"filler", filler, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_filler(PyObject *module) { return PyModule_AddFunctions(module, functions); }
