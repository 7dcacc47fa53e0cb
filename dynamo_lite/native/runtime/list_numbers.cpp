// Lists and tuples of numbers: of which types they are, and the numbers as an array.
#include "base/core.h"
#include "runtime/runtime.h"

#include "base/numpy_api.h"
#include "runtime/list_items.h"

namespace {

using namespace list_items;

// An array of the numbers; None where one is not of the kinds, or not held by the type.
template <typename T>
PyObject *stored(const Items &items, int kinds, int type_number) {
    Ref descr(reinterpret_cast<PyObject *>(PyArray_DescrFromType(type_number)));
    Ref array(new_array(reinterpret_cast<PyArray_Descr *>(descr.get()), items.count));
    if (!array) return nullptr;
    auto *to = static_cast<T *>(data_of(array));
    for (Py_ssize_t i = 0; i < items.count; ++i) {
        int kind = kind_of(items[i]);
        bool is_one = kind != NONE && (kinds >> kind & 1);
        if (!is_one || !store(items[i], kind, to + i)) Py_RETURN_NONE;
    }
    return array.release();
}

PyObject *numbers_in(PyObject *, PyObject *sequence) {
    Items items(sequence);
    if (!items.are_there) return nullptr;
    switch (items.count ? kind_of(items[0]) : NONE) {
    case FLOAT: return stored<double>(items, 1 << FLOAT, NPY_DOUBLE);
    case INT: return stored<npy_int64>(items, 1 << INT, NPY_INT64);
    case BOOL: return stored<npy_bool>(items, 1 << BOOL, NPY_BOOL);
    default: Py_RETURN_NONE;
    }
}

bool is_type_of_numbers(PyArray_Descr *descr) {
    return PyTypeNum_ISNUMBER(descr->type_num) || PyTypeNum_ISBOOL(descr->type_num);
}

PyObject *scalars_in(PyObject *, PyObject *sequence) {
    Items items(sequence);
    if (!items.are_there) return nullptr;
    if (items.count == 0 || !PyArray_IsScalar(items[0], Generic)) Py_RETURN_NONE;
    switch (kind_of(items[0])) {
    case FLOAT64: return stored<double>(items, 1 << FLOAT64, NPY_DOUBLE);
    case INT64: return stored<npy_int64>(items, 1 << INT64, NPY_INT64);
    default: break;
    }
    PyTypeObject *type = Py_TYPE(items[0]);
    Ref descr(reinterpret_cast<PyObject *>(
        PyArray_DescrFromTypeObject(reinterpret_cast<PyObject *>(type))));
    if (!descr) return nullptr;
    auto *as_descr = reinterpret_cast<PyArray_Descr *>(descr.get());
    if (as_descr->typeobj != type || !is_type_of_numbers(as_descr)) Py_RETURN_NONE;
    Ref array(new_array(as_descr, items.count));
    if (!array) return nullptr;
    char *to = static_cast<char *>(data_of(array));
    for (Py_ssize_t i = 0; i < items.count; ++i, to += PyDataType_ELSIZE(as_descr)) {
        if (Py_TYPE(items[i]) != type) Py_RETURN_NONE;
        PyArray_ScalarAsCtype(items[i], to);
    }
    return array.release();
}

// A bit for each kind that there is; NONE where an item is of no kind.
int kinds_of(const Items &items) {
    int seen = 0;
    for (Py_ssize_t i = 0; i < items.count; ++i) {
        int kind = kind_of(items[i]);
        if (kind == NONE) return NONE;
        seen |= 1 << kind;
    }
    return seen;
}

PyObject *mixed_in(PyObject *, PyObject *sequence) {
    Items items(sequence);
    if (!items.are_there) return nullptr;
    int kinds = kinds_of(items);
    if (kinds <= 0) Py_RETURN_NONE;
    if ((kinds & FLOATS) == kinds) return stored<double>(items, kinds, NPY_DOUBLE);
    if ((kinds & INTS) == kinds) return stored<npy_int64>(items, kinds, NPY_INT64);
    if ((kinds & BOOLS) == kinds) return stored<npy_bool>(items, kinds, NPY_BOOL);
    Py_RETURN_NONE;
}

PyObject *first_kind_in(PyObject *, PyObject *sequence) {
    Items items(sequence);
    if (!items.are_there) return nullptr;
    int kinds = kinds_of(items);
    if (kinds <= 0) Py_RETURN_NONE;
    Ref descr(reinterpret_cast<PyObject *>(PyArray_DescrFromType(NPY_BOOL)));
    Ref array(new_array(reinterpret_cast<PyArray_Descr *>(descr.get()), items.count));
    if (!array) return nullptr;
    auto *to = static_cast<npy_bool *>(data_of(array));
    for (Py_ssize_t i = 0; i < items.count; ++i) {
        to[i] = (1 << kind_of(items[i])) == (kinds & -kinds);
    }
    return array.release();
}

PyObject *number_kinds(PyObject *, PyObject *sequence) {
    Items items(sequence);
    if (!items.are_there) return nullptr;
    int kinds = kinds_of(items), count = 0;
    if (kinds == NONE) Py_RETURN_NONE;
    char names[KINDS];
    for (int kind = 0; kind < KINDS; ++kind) {
        if (kinds >> kind & 1) names[count++] = LETTERS[kind];
    }
    return PyUnicode_FromStringAndSize(names, count);
}

PyMethodDef functions[] = {
    {"numbers_in", numbers_in, METH_O,
     "An array of the numbers of a list or tuple where all are floats, ints of 64 bits or bools;\n"
     "None of others, of mixed ones and of no items. Subclasses count as other types."},
    {"scalars_in", scalars_in, METH_O,
     "An array of the numbers of a list or tuple where all are of one of NumPy's types."},
    {"mixed_in", mixed_in, METH_O,
     "An array of the numbers of a list or tuple where all are of these, perhaps different types:\n"
     "float64, float and int, or int64 and int, or NumPy's bool and Python's. None where one is not\n"
     "exact in the array."},
    {"first_kind_in", first_kind_in, METH_O,
     "For each item of a list or tuple whether it is of the first type that `number_kinds` tells."},
    {"number_kinds", number_kinds, METH_O,
     "The types of the items of a list or tuple, as letters of 'dl?fib': NumPy's float64, int64 and\n"
     "bool, and Python's float, int and bool. None where there is another one, as of a subclass."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_list_numbers(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
