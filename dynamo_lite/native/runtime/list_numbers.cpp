// Lists and tuples of Python's own numbers: of which types they are, and the numbers as an array.
#include "base/core.h"
#include "runtime/runtime.h"

#include "base/numpy_api.h"

namespace {

bool is_list_or_tuple(PyObject *items) {
    if (PyList_Check(items) || PyTuple_Check(items)) return true;
    PyErr_Format(PyExc_TypeError, "a list or tuple is asked for, not %s", Py_TYPE(items)->tp_name);
    return false;
}

// How each of Python's types of numbers is stored. False of an int that needs more than 64 bits.
bool store(PyObject *item, double *to) {
    *to = PyFloat_AS_DOUBLE(item);
    return true;
}

bool store(PyObject *item, npy_bool *to) {
    *to = item == Py_True;
    return true;
}

bool store(PyObject *item, npy_int64 *to) {
    int overflow;
    *to = PyLong_AsLongLongAndOverflow(item, &overflow);
    return overflow == 0;
}

// The array, None where an item is of another type; null with an error set.
template <typename T>
PyObject *stored(PyObject *const *items, Py_ssize_t count, int type_number) {
    PyTypeObject *kind = Py_TYPE(items[0]);
    Ref descr(reinterpret_cast<PyObject *>(PyArray_DescrFromType(type_number)));
    int64_t shape[] = {count};
    Ref array(packed_array(reinterpret_cast<PyArray_Descr *>(descr.get()), 1, shape, nullptr));
    if (!array) return nullptr;
    auto *data = static_cast<T *>(PyArray_DATA(reinterpret_cast<PyArrayObject *>(array.get())));
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (Py_TYPE(items[i]) != kind || !store(items[i], data + i)) Py_RETURN_NONE;
    }
    return array.release();
}

PyObject *numbers_in(PyObject *, PyObject *sequence) {
    if (!is_list_or_tuple(sequence)) return nullptr;
    PyObject **items = PySequence_Fast_ITEMS(sequence);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    if (count == 0) Py_RETURN_NONE;
    if (PyFloat_CheckExact(items[0])) return stored<double>(items, count, NPY_DOUBLE);
    if (PyLong_CheckExact(items[0])) return stored<npy_int64>(items, count, NPY_INT64);
    if (PyBool_Check(items[0])) return stored<npy_bool>(items, count, NPY_BOOL);
    Py_RETURN_NONE;
}

// The bit of a type, 0 of what is no number of Python's own.
int bit_of(PyObject *item) {
    if (PyFloat_CheckExact(item)) return 4;
    if (PyLong_CheckExact(item)) return 2;
    return PyBool_Check(item) ? 1 : 0;
}

PyObject *number_kinds(PyObject *, PyObject *sequence) {
    if (!is_list_or_tuple(sequence)) return nullptr;
    PyObject **items = PySequence_Fast_ITEMS(sequence);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    int seen = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        int bit = bit_of(items[i]);
        if (bit == 0) Py_RETURN_NONE;
        seen |= bit;
    }
    static const char *const NAMES[] = {"", "b", "i", "bi", "f", "bf", "if", "bif"};
    return PyUnicode_FromString(NAMES[seen]);
}

PyMethodDef functions[] = {
    {"numbers_in", numbers_in, METH_O,
     "An array of the numbers of a list or tuple where all are floats, ints of 64 bits or bools;\n"
     "None of others, of mixed ones and of no items. Subclasses count as other types."},
    {"number_kinds", number_kinds, METH_O,
     "The types of the items of a list or tuple, as NumPy's letters: of 'bif'. None where one is no\n"
     "float, int or bool; subclasses count as other types."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_list_numbers(PyObject *module) { return PyModule_AddFunctions(module, functions); }
