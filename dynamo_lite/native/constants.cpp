#include "constants.h"

#include <algorithm>

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

// The descriptor of a NumPy scalar whose bytes are its value (a long double has padding).
PyArray_Descr *plain_scalar(PyObject *value) {
    if (!PyArray_IsScalar(value, Number) && !PyArray_IsScalar(value, Bool)) return nullptr;
    PyArray_Descr *descr = PyArray_DescrFromScalar(value);
    if (!descr) {
        PyErr_Clear();
        return nullptr;
    }
    int type = descr->type_num;
    bool plain = PyTypeNum_ISBOOL(type) || PyTypeNum_ISINTEGER(type) || type == NPY_HALF ||
                 type == NPY_FLOAT || type == NPY_DOUBLE || type == NPY_CFLOAT ||
                 type == NPY_CDOUBLE;
    if (plain && Py_TYPE(value) == descr->typeobj) return descr;
    Py_DECREF(descr);
    return nullptr;
}

bool same_bits(const void *left, const void *right, size_t size) {
    return std::memcmp(left, right, size) == 0;
}

bool same_scalars(PyObject *value, PyObject *constant) {
    Ref descr(reinterpret_cast<PyObject *>(plain_scalar(constant)));
    if (!descr) return false;
    unsigned char left[16] = {}, right[16] = {};
    PyArray_ScalarAsCtype(value, left);
    PyArray_ScalarAsCtype(constant, right);
    return same_bits(left, right, sizeof left);
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

const Row *row_of(PyObject *value) {
    const Row *row = std::find_if(std::begin(ROWS), std::end(ROWS),
                                  [&](const Row &r) { return r.type == Py_TYPE(value); });
    return row == std::end(ROWS) ? nullptr : row;
}

}  // namespace

bool is_constant(PyObject *value) {
    if (PyTuple_CheckExact(value)) return all_items(value, is_constant);
    if (has_parts(value)) {
        Ref parts = parts_of(value);
        if (!parts) PyErr_Clear();
        return parts && all_items(parts.get(), is_constant);
    }
    if (row_of(value) || PyArray_DescrCheck(value)) return true;
    Ref descr(reinterpret_cast<PyObject *>(plain_scalar(value)));
    return static_cast<bool>(descr);
}

bool exactly_equal(PyObject *value, PyObject *constant) {
    if (value == constant) return true;
    if (Py_TYPE(value) != Py_TYPE(constant)) return false;
    if (const Row *row = row_of(constant)) return row->same && row->same(value, constant);
    if (PyArray_DescrCheck(constant)) {
        return same_dtype(reinterpret_cast<PyArray_Descr *>(value),
                          reinterpret_cast<PyArray_Descr *>(constant));
    }
    return same_scalars(value, constant);
}

bool same_dtype(PyArray_Descr *dtype, PyArray_Descr *wanted) {
    if (dtype == wanted) return true;
    if (dtype->type_num != wanted->type_num || Py_TYPE(dtype) != Py_TYPE(wanted)) return false;
    if (PyTypeNum_ISNUMBER(wanted->type_num) && dtype->byteorder == wanted->byteorder) return true;
    return PyArray_EquivTypes(dtype, wanted);
}
