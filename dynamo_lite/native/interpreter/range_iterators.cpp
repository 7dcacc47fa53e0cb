// Iterators over ranges: what is left of them, and how they go on behind a loop that compiled code
// has run. CPython tells and sets this only by way of new ranges and tuples.
#include "interpreter/range_iterators.h"

namespace {

bool has_two(Py_ssize_t n_args) {
    if (n_args != 2) PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", n_args);
    return n_args == 2;
}

PyObject *bound(PyObject *, PyObject *const *args, Py_ssize_t n_args) {
    RangeIterator *iterator = has_two(n_args) ? range_iterator(args[0]) : nullptr;
    long which = iterator ? PyLong_AsLong(args[1]) : -1;
    if (which == -1 && PyErr_Occurred()) return nullptr;
    int64_t value;
    if (bound_of(iterator, which, value)) return PyLong_FromLongLong(value);
    return PyErr_Format(PyExc_ValueError, "a range has no bound %ld", which);
}

PyObject *move_behind(PyObject *, PyObject *const *args, Py_ssize_t n_args) {
    RangeIterator *iterator = has_two(n_args) ? range_iterator(args[0]) : nullptr;
    if (!iterator || !move_iterator(iterator, args[1])) return nullptr;
    Py_RETURN_NONE;
}

template <class Function> PyCFunction as_function(Function function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef functions[] = {
    {"bound", as_function(bound), METH_FASTCALL,
     "bound(iterator, which, /)\n--\n\n"
     "The start, stop or step (0, 1, 2) of what is left of an iterator over a range."},
    {"move_behind", as_function(move_behind), METH_FASTCALL,
     "move_behind(iterator, last, /)\n--\n\n"
     "Have an iterator over a range go on behind an item that is left of it, the one before the\n"
     "next, or be at its end (None)."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool is_bound(PyObject *function) {
    return PyCFunction_CheckExact(function) &&
           PyCFunction_GET_FUNCTION(function) == as_function(bound);
}

int add_range_iterators(PyObject *module) { return PyModule_AddFunctions(module, functions); }
