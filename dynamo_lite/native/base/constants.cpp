#include "base/constants.h"

#include <algorithm>
#include <cmath>

namespace {

template <class Check>
bool all_items(PyObject *tuple, Check check) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
        if (!check(PyTuple_GET_ITEM(tuple, i))) return false;
    }
    return true;
}

// The elements of a frozenset, the bounds of a slice or range, as a tuple.
Ref parts_of(PyObject *value) {
    if (PyFrozenSet_CheckExact(value)) return Ref(PySequence_Tuple(value));
    if (PySlice_Check(value)) {
        auto slice = reinterpret_cast<PySliceObject *>(value);
        return Ref(PyTuple_Pack(3, slice->start, slice->stop, slice->step));
    }
    Ref start(PyObject_GetAttrString(value, "start"));
    Ref stop(PyObject_GetAttrString(value, "stop"));
    Ref step(PyObject_GetAttrString(value, "step"));
    if (!start || !stop || !step) return Ref();
    return Ref(PyTuple_Pack(3, start.get(), stop.get(), step.get()));
}

bool has_parts(PyObject *value) {
    return PyFrozenSet_CheckExact(value) || PySlice_Check(value) || PyRange_Check(value);
}

bool same_bits(const void *left, const void *right, size_t size) {
    return std::memcmp(left, right, size) == 0;
}

// A long double has padding, so its bytes are not compared.
bool same_long_doubles(npy_longdouble left, npy_longdouble right) {
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && std::isnan(right);
    return left == right && std::signbit(left) == std::signbit(right);
}

constexpr int MAX_SCALAR = 4 * sizeof(npy_longdouble);

// The dtype of a NumPy scalar of a number, bool or time; null for everything else.
Ref dtype_of_scalar(PyObject *value) {
    if (!PyArray_IsScalar(value, Generic)) return Ref();
    Ref object(reinterpret_cast<PyObject *>(PyArray_DescrFromScalar(value)));
    if (!object) {
        PyErr_Clear();
        return Ref();
    }
    auto dtype = reinterpret_cast<PyArray_Descr *>(object.get());
    int type = dtype->type_num;
    bool is_plain = PyTypeNum_ISBOOL(type) || PyTypeNum_ISNUMBER(type) ||
                    PyTypeNum_ISDATETIME(type);
    return is_plain && Py_TYPE(value) == dtype->typeobj ? std::move(object) : Ref();
}

bool same_scalars(PyObject *value, PyObject *constant) {
    Ref left_object = dtype_of_scalar(value), right_object = dtype_of_scalar(constant);
    auto dtype = reinterpret_cast<PyArray_Descr *>(left_object.get());
    auto wanted = reinterpret_cast<PyArray_Descr *>(right_object.get());
    if (!dtype || !wanted || !same_dtype(dtype, wanted)) return false;
    alignas(npy_longdouble) unsigned char left[MAX_SCALAR] = {}, right[MAX_SCALAR] = {};
    PyArray_ScalarAsCtype(value, left);
    PyArray_ScalarAsCtype(constant, right);
    if (wanted->type_num != NPY_LONGDOUBLE && wanted->type_num != NPY_CLONGDOUBLE) {
        return same_bits(left, right, sizeof left);
    }
    auto lefts = reinterpret_cast<npy_longdouble *>(left);
    auto rights = reinterpret_cast<npy_longdouble *>(right);
    return same_long_doubles(lefts[0], rights[0]) && same_long_doubles(lefts[1], rights[1]);
}

bool same_tuples(PyObject *value, PyObject *constant) {
    if (PyTuple_GET_SIZE(value) != PyTuple_GET_SIZE(constant)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant); ++i) {
        if (!exactly_equal(PyTuple_GET_ITEM(value, i), PyTuple_GET_ITEM(constant, i))) return false;
    }
    return true;
}

// Sets have no order, so each element looks for its equal.
bool same_sets(PyObject *value, PyObject *constant) {
    return PyTuple_GET_SIZE(value) == PyTuple_GET_SIZE(constant) &&
           all_items(constant, [&](PyObject *wanted) {
               return !all_items(value, [&](PyObject *x) { return !exactly_equal(x, wanted); });
           });
}

bool same_parts(PyObject *value, PyObject *constant) {
    Ref left = parts_of(value), right = parts_of(constant);
    if (!left || !right) {
        PyErr_Clear();
        return false;
    }
    return PyFrozenSet_CheckExact(constant) ? same_sets(left.get(), right.get())
                                            : same_tuples(left.get(), right.get());
}

bool same_floats(PyObject *value, PyObject *constant) {
    double left = PyFloat_AS_DOUBLE(value), right = PyFloat_AS_DOUBLE(constant);
    return same_bits(&left, &right, sizeof left);
}

bool same_complexes(PyObject *value, PyObject *constant) {
    Py_complex left = PyComplex_AsCComplex(value), right = PyComplex_AsCComplex(constant);
    return same_bits(&left, &right, sizeof left);
}

bool same_bytes(PyObject *value, PyObject *constant) {
    Py_ssize_t size = PyBytes_GET_SIZE(constant);
    return PyBytes_GET_SIZE(value) == size &&
           same_bits(PyBytes_AS_STRING(value), PyBytes_AS_STRING(constant), size);
}

bool same_ints(PyObject *value, PyObject *constant) {
    return PyObject_RichCompareBool(value, constant, Py_EQ) == 1;
}

bool same_strings(PyObject *value, PyObject *constant) {
    return PyUnicode_Compare(value, constant) == 0;
}

struct Row {
    PyTypeObject *type;
    bool (*same)(PyObject *value, PyObject *constant);  // null: equal only when identical
};

const Row ROWS[] = {
    {&PyLong_Type, same_ints},       {&PyFloat_Type, same_floats},
    {&PyUnicode_Type, same_strings}, {&PyTuple_Type, same_tuples},
    {&PyBool_Type, nullptr},         {Py_TYPE(Py_None), nullptr},
    {&PyComplex_Type, same_complexes}, {&PyBytes_Type, same_bytes},
    {&PyEllipsis_Type, nullptr},     {Py_TYPE(Py_NotImplemented), nullptr},
    {&PyFrozenSet_Type, same_parts}, {&PySlice_Type, same_parts},
    {&PyRange_Type, same_parts},
};

// NumPy's own types are known only once its API is imported.
const Row *numpy_row_of(PyObject *value) {
    static const Row rows[] = {
        {&PyUnicodeArrType_Type, same_strings}, {&PyStringArrType_Type, same_bytes},
    };
    const Row *row = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row &r) { return r.type == Py_TYPE(value); });
    return row == std::end(rows) ? nullptr : row;
}

const Row *row_of(PyObject *value) {
    const Row *row = std::find_if(std::begin(ROWS), std::end(ROWS),
                                  [&](const Row &r) { return r.type == Py_TYPE(value); });
    return row == std::end(ROWS) ? numpy_row_of(value) : row;
}

}  // namespace

bool is_constant(PyObject *value) {
    if (PyTuple_CheckExact(value)) return all_items(value, is_constant);
    if (has_parts(value)) {
        Ref parts = parts_of(value);
        if (!parts) PyErr_Clear();
        return parts && all_items(parts.get(), is_constant);
    }
    return row_of(value) || PyArray_DescrCheck(value) || dtype_of_scalar(value);
}

bool exactly_equal(PyObject *value, PyObject *constant) {
    if (value == constant) return true;
    if (Py_TYPE(value) != Py_TYPE(constant)) return false;
    if (const Row *row = row_of(constant)) return row->same && row->same(value, constant);
    if (PyArray_DescrCheck(constant)) {
        auto dtype = reinterpret_cast<PyArray_Descr *>(value);
        auto wanted = reinterpret_cast<PyArray_Descr *>(constant);
        return PyDataType_FLAGS(dtype) == PyDataType_FLAGS(wanted) && same_dtype(dtype, wanted);
    }
    return same_scalars(value, constant);
}

bool same_dtype(PyArray_Descr *dtype, PyArray_Descr *wanted) {
    if (dtype == wanted) return true;
    if (dtype->type_num != wanted->type_num || Py_TYPE(dtype) != Py_TYPE(wanted)) return false;
    if (PyDataType_METADATA(dtype) != PyDataType_METADATA(wanted)) return false;
    if (PyTypeNum_ISNUMBER(wanted->type_num) && dtype->byteorder == wanted->byteorder) return true;
    if (PyDataType_ISLEGACY(wanted)) return PyArray_EquivTypes(dtype, wanted);
    int equal = PyObject_RichCompareBool(reinterpret_cast<PyObject *>(dtype),
                                         reinterpret_cast<PyObject *>(wanted), Py_EQ);
    if (equal < 0) PyErr_Clear();
    return equal == 1;
}
