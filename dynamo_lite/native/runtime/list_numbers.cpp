// Lists and tuples of numbers: of which types they are, and the numbers as an array.
#include "base/core.h"
#include "runtime/runtime.h"

#include "base/numpy_api.h"

namespace {

// The types that are told apart, in the order in which they count.
constexpr int KINDS = 6, NONE = -1;
enum Kind : int { FLOAT64, INT64, BOOL8, FLOAT, INT, BOOL };
constexpr char LETTERS[] = "dl?fib";
constexpr int FLOATS = 1 << FLOAT64 | 1 << FLOAT | 1 << INT, INTS = 1 << INT64 | 1 << INT,
              BOOLS = 1 << BOOL8 | 1 << BOOL;
constexpr int64_t EXACT = int64_t{1} << 53;  // ints up to this one are floats, too

int kind_of(PyObject *item) {
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
bool store(PyObject *item, int kind, double *to) {
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

bool store(PyObject *item, int kind, npy_int64 *to) {
    int overflow = 0;
    if (kind == INT) {
        *to = PyLong_AsLongLongAndOverflow(item, &overflow);
    } else {
        *to = PyArrayScalar_VAL(item, Int64);
    }
    return overflow == 0;
}

bool store(PyObject *item, int kind, npy_bool *to) {
    *to = kind == BOOL ? item == Py_True : PyArrayScalar_VAL(item, Bool);
    return true;
}

Ref new_array(PyArray_Descr *descr, Py_ssize_t count) {
    int64_t shape[] = {count};
    return Ref(packed_array(descr, 1, shape, nullptr));
}

void *data_of(const Ref &array) {
    return PyArray_DATA(reinterpret_cast<PyArrayObject *>(array.get()));
}

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
