// Python numbers and NumPy scalars as C values: the same number, or failure.
#include "base/numpy_api.h"
#include "runtime/runtime.h"

#include <cstring>
#include <limits>
#include <type_traits>

namespace {

template <typename T>
bool from_int(PyObject *object, T *out) {
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if constexpr (std::is_unsigned_v<T>) {
        if (overflow > 0 && sizeof(T) == sizeof(unsigned long long)) {
            unsigned long long large = PyLong_AsUnsignedLongLong(object);
            *out = static_cast<T>(large);
            return !PyErr_Occurred();
        }
        if (value < 0) return false;
    }
    *out = static_cast<T>(value);
    return !overflow && static_cast<long long>(*out) == value;
}

// Integers up to 2**mantissa, all of which the type has.
template <typename T>
bool float_from_int(PyObject *object, T *out) {
    constexpr long long LIMIT = 1LL << (std::numeric_limits<T>::digits < 62
                                            ? std::numeric_limits<T>::digits : 62);
    long long value;
    if (!from_int(object, &value) || value > LIMIT || value < -LIMIT) return false;
    *out = static_cast<T>(value);
    return true;
}

template <typename T>
bool from_double(double value, T *out) {
    *out = static_cast<T>(value);
    return static_cast<double>(*out) == value || value != value;
}

bool store_bool(PyObject *object, void *out) {
    *static_cast<npy_bool *>(out) = object == Py_True;
    return PyBool_Check(object);
}

template <typename T>
bool store_int(PyObject *object, void *out) {
    return PyLong_Check(object) && from_int(object, static_cast<T *>(out));
}

template <typename T>
bool store_float(PyObject *object, void *out) {
    auto *number = static_cast<T *>(out);
    if (PyFloat_CheckExact(object)) return from_double(PyFloat_AS_DOUBLE(object), number);
    return PyLong_Check(object) && float_from_int(object, number);
}

template <typename T>
bool store_complex(PyObject *object, void *out) {
    auto *parts = static_cast<T *>(out);
    parts[1] = 0;
    if (!PyComplex_CheckExact(object)) return store_float<T>(object, out);
    Py_complex value = PyComplex_AsCComplex(object);
    return from_double(value.real, parts) && from_double(value.imag, parts + 1);
}

struct Row {
    int typenum;
    bool (*store)(PyObject *, void *);
} const ROWS[] = {
    {NPY_BOOL, store_bool},
    {NPY_BYTE, store_int<npy_byte>},
    {NPY_UBYTE, store_int<npy_ubyte>},
    {NPY_SHORT, store_int<npy_short>},
    {NPY_USHORT, store_int<npy_ushort>},
    {NPY_INT, store_int<npy_int>},
    {NPY_UINT, store_int<npy_uint>},
    {NPY_LONG, store_int<npy_long>},
    {NPY_ULONG, store_int<npy_ulong>},
    {NPY_LONGLONG, store_int<npy_longlong>},
    {NPY_ULONGLONG, store_int<npy_ulonglong>},
    {NPY_FLOAT, store_float<npy_float>},
    {NPY_DOUBLE, store_float<npy_double>},
    {NPY_LONGDOUBLE, store_float<npy_longdouble>},
    {NPY_CFLOAT, store_complex<npy_float>},
    {NPY_CDOUBLE, store_complex<npy_double>},
    {NPY_CLONGDOUBLE, store_complex<npy_longdouble>},
};

bool is_python_number(PyObject *object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
           PyComplex_CheckExact(object);
}

// Where the value of a scalar is, in those of all numbers.
constexpr size_t VALUE = sizeof(PyObject);
static_assert(offsetof(PyBoolScalarObject, obval) == VALUE);
static_assert(offsetof(PyDoubleScalarObject, obval) == VALUE);
static_assert(offsetof(PyCLongDoubleScalarObject, obval) == VALUE);

// A NumPy scalar is exact only as its own type.
int32_t unbox_scalar(PyObject *object, int32_t typenum, void *out) {
    PyArray_Descr *descr = PyArray_DescrFromType(typenum);
    bool matches = descr != nullptr && Py_TYPE(object) == descr->typeobj &&
                   (PyTypeNum_ISNUMBER(typenum) || PyTypeNum_ISBOOL(typenum));
    if (matches) std::memcpy(out, reinterpret_cast<char *>(object) + VALUE, PyDataType_ELSIZE(descr));
    else PyErr_Clear();
    Py_XDECREF(descr);
    return matches ? OK : FAILED;
}

}  // namespace

int32_t unbox_int(PyObject *object, int64_t *out) {
    if (object == nullptr || !PyLong_CheckExact(object)) return FAILED;
    int overflow;
    *out = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow ? FAILED : OK;
}

int32_t unbox_ints(PyObject **objects, const int64_t *which, int64_t n, int64_t *out) {
    for (int64_t i = 0; i < n; ++i) {
        if (unbox_int(objects[which[i]], out + i) != OK) return FAILED;
    }
    return OK;
}

int32_t unbox_number(PyObject *object, int32_t typenum, void *out) {
    if (object == nullptr || typenum < 0) return FAILED;
    if (typenum == NPY_DOUBLE && Py_IS_TYPE(object, &PyDoubleArrType_Type)) {
        std::memcpy(out, reinterpret_cast<char *>(object) + VALUE, sizeof(double));
        return OK;
    }
    if (PyArray_IsScalar(object, Generic)) return unbox_scalar(object, typenum, out);
    if (!is_python_number(object)) return FAILED;
    for (const Row &row : ROWS) {
        if (row.typenum != typenum) continue;
        bool stored = row.store(object, out);
        PyErr_Clear();
        return stored ? OK : FAILED;
    }
    return FAILED;
}
