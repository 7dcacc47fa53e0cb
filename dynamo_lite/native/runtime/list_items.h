// Items of lists and tuples that are numbers: their types, and how an array holds them.
#pragma once

#include "base/core.h"

#include "base/numpy_api.h"

namespace list_items {

// The types that are told apart, in the order in which they count.
constexpr int KINDS = 6, NONE = -1;
enum Kind : int { FLOAT64, INT64, BOOL8, FLOAT, INT, BOOL };
constexpr char LETTERS[] = "dl?fib";
constexpr int FLOATS = 1 << FLOAT64 | 1 << FLOAT | 1 << INT, INTS = 1 << INT64 | 1 << INT,
              BOOLS = 1 << BOOL8 | 1 << BOOL;
constexpr int64_t EXACT = int64_t{1} << 53;  // ints up to this one are floats, too

inline int kind_of(PyObject *item) {
    PyTypeObject *type = Py_TYPE(item);
    if (type == &PyFloat_Type) return FLOAT;
    if (type == &PyDoubleArrType_Type) return FLOAT64;
    if (type == &PyLong_Type) return INT;
    if (type == &PyInt64ArrType_Type) return INT64;
    if (type == &PyBool_Type) return BOOL;
    return type == &PyBoolArrType_Type ? BOOL8 : NONE;
}

// The items of a list or tuple; null with an error set of anything else.
struct Items {
    explicit Items(PyObject *sequence) {
        if (!PyList_Check(sequence) && !PyTuple_Check(sequence)) {
            PyErr_Format(PyExc_TypeError, "a list or tuple is asked for, not %s",
                         Py_TYPE(sequence)->tp_name);
            return;
        }
        begin = PySequence_Fast_ITEMS(sequence);
        count = PySequence_Fast_GET_SIZE(sequence);
        are_there = true;
    }
    PyObject *operator[](Py_ssize_t i) const { return begin[i]; }

    PyObject **begin = nullptr;
    Py_ssize_t count = 0;
    bool are_there = false;
};

// How a number is stored; false where the type does not hold it.
inline bool store(PyObject *item, int kind, double *to) {
    int64_t number = 0;
    int overflow = 0;
    switch (kind) {
    case FLOAT: *to = PyFloat_AS_DOUBLE(item); return true;
    case FLOAT64: *to = PyArrayScalar_VAL(item, Double); return true;
    case INT: number = PyLong_AsLongLongAndOverflow(item, &overflow); break;
    default: Py_UNREACHABLE();
    }
    *to = static_cast<double>(number);
    return overflow == 0 && -EXACT <= number && number <= EXACT;
}

inline bool store(PyObject *item, int kind, npy_int64 *to) {
    int overflow = 0;
    if (kind == INT) {
        *to = PyLong_AsLongLongAndOverflow(item, &overflow);
    } else {
        *to = PyArrayScalar_VAL(item, Int64);
    }
    return overflow == 0;
}

inline bool store(PyObject *item, int kind, npy_bool *to) {
    *to = kind == BOOL ? item == Py_True : PyArrayScalar_VAL(item, Bool);
    return true;
}

inline Ref new_array(PyArray_Descr *descr, Py_ssize_t count) {
    int64_t shape[] = {count};
    return Ref(packed_array(descr, 1, shape, nullptr));
}

inline void *data_of(const Ref &array) {
    return PyArray_DATA(reinterpret_cast<PyArrayObject *>(array.get()));
}

}  // namespace list_items
