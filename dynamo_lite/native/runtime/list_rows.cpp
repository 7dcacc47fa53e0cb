// Lists and tuples of rows, which are lists or tuples of numbers: of which types the columns are, and
// the numbers as arrays.
#include "base/core.h"
#include "runtime/runtime.h"

#include "base/numpy_api.h"
#include "runtime/list_items.h"

namespace {

using namespace list_items;

constexpr Py_ssize_t WIDEST = 4096;  // numbers of a row

// Whether a row is of the type and length of the first one.
bool is_alike(PyObject *row, PyObject *first) {
    return Py_TYPE(row) == Py_TYPE(first) &&
           PySequence_Fast_GET_SIZE(row) == PySequence_Fast_GET_SIZE(first);
}

// The first row; null where there is none that consists of numbers, perhaps with an error set.
PyObject *first_row(const Items &rows) {
    if (!rows.are_there || rows.count == 0) return nullptr;
    PyObject *first = rows[0];
    if (!PyList_CheckExact(first) && !PyTuple_CheckExact(first)) return nullptr;
    Py_ssize_t width = PySequence_Fast_GET_SIZE(first);
    return width > 0 && width <= WIDEST ? first : nullptr;
}

PyObject *none_or_error() {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_NONE;
}

PyObject *row_layout(PyObject *, PyObject *sequence) {
    Items rows(sequence);
    PyObject *first = first_row(rows);
    if (first == nullptr) return none_or_error();
    char letters[WIDEST + 1];
    Py_ssize_t width = PySequence_Fast_GET_SIZE(first);
    letters[0] = PyList_CheckExact(first) ? '[' : '(';
    for (Py_ssize_t at = 0; at < width; ++at) {
        int kind = kind_of(PySequence_Fast_ITEMS(first)[at]);
        if (kind == NONE) Py_RETURN_NONE;
        letters[at + 1] = LETTERS[kind];
    }
    for (Py_ssize_t i = 1; i < rows.count; ++i) {
        if (!is_alike(rows[i], first)) Py_RETURN_NONE;
        PyObject **items = PySequence_Fast_ITEMS(rows[i]);
        for (Py_ssize_t at = 0; at < width; ++at) {
            int kind = kind_of(items[at]);
            if (kind == NONE || LETTERS[kind] != letters[at + 1]) Py_RETURN_NONE;
        }
    }
    return PyUnicode_FromStringAndSize(letters, width + 1);
}

// The numbers in the columns from `begin` up to `end`, row by row; None where they are of another
// kind, or not held by the type.
template <typename T>
PyObject *stored(const Items &rows, int kind, int type_number, Py_ssize_t begin, Py_ssize_t end,
                 bool is_column) {
    Ref descr(reinterpret_cast<PyObject *>(PyArray_DescrFromType(type_number)));
    int64_t shape[] = {rows.count, end - begin};
    Ref array(packed_array(reinterpret_cast<PyArray_Descr *>(descr.get()), is_column ? 1 : 2, shape,
                           nullptr));
    if (!array) return nullptr;
    auto *to = static_cast<T *>(data_of(array));
    for (Py_ssize_t i = 0; i < rows.count; ++i) {
        if (!is_alike(rows[i], rows[0])) Py_RETURN_NONE;
        PyObject **items = PySequence_Fast_ITEMS(rows[i]);
        for (Py_ssize_t at = begin; at < end; ++at, ++to) {
            if (kind_of(items[at]) != kind || !store(items[at], kind, to)) Py_RETURN_NONE;
        }
    }
    return array.release();
}

PyObject *numbers_of(const Items &rows, Py_ssize_t begin, Py_ssize_t end, bool is_column) {
    int kind = kind_of(PySequence_Fast_ITEMS(rows[0])[begin]);
    switch (kind) {
    case FLOAT64:
    case FLOAT: return stored<double>(rows, kind, NPY_DOUBLE, begin, end, is_column);
    case INT64:
    case INT: return stored<npy_int64>(rows, kind, NPY_INT64, begin, end, is_column);
    case BOOL8:
    case BOOL: return stored<npy_bool>(rows, kind, NPY_BOOL, begin, end, is_column);
    default: Py_RETURN_NONE;
    }
}

PyObject *table_in(PyObject *, PyObject *sequence) {
    Items rows(sequence);
    PyObject *first = first_row(rows);
    if (first == nullptr) return none_or_error();
    return numbers_of(rows, 0, PySequence_Fast_GET_SIZE(first), false);
}

PyObject *column_in(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "column_in takes rows and a place");
        return nullptr;
    }
    Items rows(args[0]);
    PyObject *first = first_row(rows);
    Py_ssize_t place = PyLong_AsSsize_t(args[1]);
    if (first == nullptr || PyErr_Occurred()) return none_or_error();
    if (place < 0 || place >= PySequence_Fast_GET_SIZE(first)) Py_RETURN_NONE;
    return numbers_of(rows, place, place + 1, true);
}

PyMethodDef functions[] = {
    {"row_layout", row_layout, METH_O,
     "What the rows of a list or tuple are: '[' or '(' for lists or tuples, and the letters of\n"
     "`number_kinds` for the columns. None where they are not all of one type, length and kinds."},
    {"table_in", table_in, METH_O,
     "An array of the numbers of rows, all of one type; None where they are of several."},
    {"column_in", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(column_in)),
     METH_FASTCALL, "An array of the numbers at one place of each row, all of one type."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_list_rows(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
