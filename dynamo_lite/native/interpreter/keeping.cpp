// Objects that the program keeps until its end, at which the garbage collector need not look.
#include "base/core.h"
#include "interpreter/interpreter.h"

namespace {

PyObject *begin_keeping(PyObject *, PyObject *) {
    if (!is_alone() || !has_frozen()) Py_RETURN_NONE;
    return PyList_New(0);
}

PyObject *keep_since(PyObject *, PyObject *first) {
    if (PyList_CheckExact(first) && is_alone()) keep_from(first);
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_begin_keeping", begin_keeping, METH_NOARGS,
     "_begin_keeping()\n--\n\n"
     "What `_keep_since` takes, or None where other threads make objects, too, or no objects are\n"
     "frozen."},
    {"_keep_since", keep_since, METH_O,
     "_keep_since(first, /)\n--\n\n"
     "Has the garbage collector look at no object any more that was made since; the collector must\n"
     "have been disabled meanwhile."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_keeping(PyObject *module) { return PyModule_AddFunctions(module, functions); }
