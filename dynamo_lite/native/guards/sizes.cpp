// Guard ops about arrays and their sizes.
#include "base/constants.h"
#include "guards/ops.h"

namespace guards {
namespace {

inline bool fits(const Extent &extent, int64_t n, int64_t *slots) {
    switch (extent.kind) {
    case Extent::STATIC: return n == extent.value;
    case Extent::ANY: return true;
    case Extent::BIND: slots[extent.value] = n; return true;
    case Extent::EQUAL: return n == slots[extent.value];
    }
    Py_UNREACHABLE();
}

inline bool all_fit(const Extent *extents, const npy_intp *sizes, int ndim, int64_t *slots) {
    for (int i = 0; i < ndim; ++i) {
        if (!fits(extents[i], sizes[i], slots)) return false;
    }
    return true;
}

struct Flag {
    int bit;
    const char *attribute;
};

constexpr Flag FLAGS[] = {
    {NPY_ARRAY_C_CONTIGUOUS, "c_contiguous"}, {NPY_ARRAY_F_CONTIGUOUS, "f_contiguous"},
};

// Arrays outside NumPy tell their contiguity only; other flags are taken as they should be.
bool has_flags(PyObject *array, int mask, int wanted) {
    Ref flags(PyObject_GetAttrString(array, "flags"));
    if (!flags) return false;
    for (const Flag &flag : FLAGS) {
        if (!(mask & flag.bit)) continue;
        Ref is_set(PyObject_GetAttrString(flags.get(), flag.attribute));
        if (!is_set || PyObject_IsTrue(is_set.get()) != ((wanted & flag.bit) != 0)) return false;
    }
    return true;
}

}  // namespace

// The sizes in an attribute that is a tuple of ints; false when it is something else.
bool read_sizes(PyObject *array, const char *attribute, int ndim, npy_intp *sizes) {
    Ref tuple(PyObject_GetAttrString(array, attribute));
    if (!tuple || !PyTuple_Check(tuple.get()) || PyTuple_GET_SIZE(tuple.get()) != ndim) {
        return false;
    }
    for (int i = 0; i < ndim; ++i) {
        sizes[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple.get(), i));
        if (sizes[i] == -1 && PyErr_Occurred()) return false;
    }
    return true;
}

bool holds_array(const Op &op, const Machine &machine) {
    PyObject *value = machine.registers[op.a];
    if (reinterpret_cast<PyObject *>(Py_TYPE(value)) != op.object) return false;
    auto array = reinterpret_cast<PyArrayObject *>(value);
    auto dtype = reinterpret_cast<PyObject *>(PyArray_DESCR(array));
    if (dtype != op.second && !same_dtype(PyArray_DESCR(array),
                                          reinterpret_cast<PyArray_Descr *>(op.second))) {
        return false;
    }
    return PyArray_NDIM(array) == op.ndim && (PyArray_FLAGS(array) & op.flags_mask) == op.flags &&
           all_fit(op.dims, PyArray_DIMS(array), op.ndim, machine.slots) &&
           (!op.strides || all_fit(op.strides, PyArray_STRIDES(array), op.ndim, machine.slots));
}

bool holds_array_like(const Op &op, const Machine &machine) {
    PyObject *value = machine.registers[op.a];
    if (reinterpret_cast<PyObject *>(Py_TYPE(value)) != op.object) return false;
    Ref dtype(PyObject_GetAttrString(value, "dtype"));
    if (!dtype || !PyArray_DescrCheck(dtype.get()) ||
        !same_dtype(reinterpret_cast<PyArray_Descr *>(dtype.get()),
                    reinterpret_cast<PyArray_Descr *>(op.second))) {
        return false;
    }
    npy_intp sizes[NPY_MAXDIMS];
    return read_sizes(value, "shape", op.ndim, sizes) &&
           all_fit(op.dims, sizes, op.ndim, machine.slots) &&
           has_flags(value, op.flags_mask, op.flags) &&
           (!op.strides || (read_sizes(value, "strides", op.ndim, sizes) &&
                            all_fit(op.strides, sizes, op.ndim, machine.slots)));
}

}  // namespace guards
