// New arrays. The memory of large ones is kept when they are gone, for the results of later calls:
// NumPy gives it back through the handler that such an array has of its own (NEP 49).
#include "base/core.h"
#include "runtime/runtime.h"

#include "interpreter/interpreter.h"
#include "base/numpy_api.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr int64_t LARGE_BYTES = 128 << 10;    // the C allocator keeps what is smaller
constexpr unsigned NUMPY_DOMAIN = 389047;     // NumPy's memory, for tracemalloc

const npy_intp *dims(const int64_t *sizes) { return reinterpret_cast<const npy_intp *>(sizes); }

void *allocate(void *, size_t nbytes) { return result_memory(static_cast<int64_t>(nbytes)); }

void *allocate_zeroed(void *, size_t count, size_t itemsize) {
    size_t nbytes;
    if (__builtin_mul_overflow(count, itemsize, &nbytes)) return nullptr;
    void *memory = allocate(nullptr, nbytes);
    return memory != nullptr ? memset(memory, 0, nbytes) : nullptr;
}

void give_back(void *, void *memory, size_t) {
    if (memory != nullptr) release_result(memory);
}

void *reallocate(void *, void *memory, size_t nbytes) {
    void *other = allocate(nullptr, nbytes);
    if (other == nullptr || memory == nullptr) return other;
    memcpy(other, memory, std::min(static_cast<size_t>(room_of(memory)), nbytes));
    release_result(memory);
    return other;
}

// The name is that of NumPy's own: what tells how an array was made tells the same as in Python.
PyDataMem_Handler handler = {
    "default_allocator", 1, {nullptr, allocate, allocate_zeroed, reallocate, give_back}};
PyObject *capsule = nullptr;

int64_t bytes_of(int32_t ndim, const int64_t *shape, int64_t nbytes) {
    for (int32_t i = 0; i < ndim; ++i) {
        if (shape[i] < 0 || __builtin_mul_overflow(nbytes, shape[i], &nbytes)) return -1;
    }
    return nbytes;
}

// Whether arrays get their memory from NumPy's default handler now; a user may have set another.
bool is_default() {
    Ref current(PyDataMem_GetHandler());
    if (!current) PyErr_Clear();
    return current && current.get() == PyDataMem_DefaultHandler;
}

PyObject *new_large(PyArray_Descr *descr, int32_t ndim, const int64_t *shape, const int64_t *strides,
                    int64_t nbytes) {
    void *memory = result_memory(nbytes);
    if (memory == nullptr) return PyErr_NoMemory();
    Py_INCREF(descr);
    PyObject *made = PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims(shape), dims(strides),
                                          memory, NPY_ARRAY_WRITEABLE, nullptr);
    if (made == nullptr) {
        release_result(memory);
        return nullptr;
    }
    auto *array = reinterpret_cast<PyArrayObject *>(made);
    PyArray_UpdateFlags(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    PyArray_ENABLEFLAGS(array, NPY_ARRAY_OWNDATA);
    reinterpret_cast<PyArrayObject_fields *>(made)->mem_handler = Py_NewRef(capsule);
    track_memory(NUMPY_DOMAIN, memory, nbytes);
    return made;
}

PyObject *empty(PyObject *, PyObject *args) {
    PyObject *sizes;
    PyArray_Descr *descr;
    if (!PyArg_ParseTuple(args, "O!O!:empty", &PyTuple_Type, &sizes, &PyArrayDescr_Type, &descr)) {
        return nullptr;
    }
    int64_t shape[NPY_MAXDIMS];
    Py_ssize_t ndim = PyTuple_GET_SIZE(sizes);
    if (ndim > NPY_MAXDIMS || PyDataType_REFCHK(descr)) {
        PyErr_SetString(PyExc_ValueError, "too many dimensions, or elements that are Python objects");
        return nullptr;
    }
    for (Py_ssize_t axis = 0; axis < ndim; ++axis) {
        shape[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(sizes, axis));
        if (shape[axis] == -1 && PyErr_Occurred()) return nullptr;
    }
    return packed_array(descr, static_cast<int32_t>(ndim), shape, nullptr);
}

PyMethodDef functions[] = {
    {"empty", empty, METH_VARARGS,
     "An array with any contents, as of numpy.empty, in memory that is kept for later ones."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyObject *packed_array(PyArray_Descr *descr, int32_t ndim, const int64_t *shape,
                       const int64_t *strides) {
    int64_t nbytes = bytes_of(ndim, shape, PyDataType_ELSIZE(descr));
    if (nbytes >= LARGE_BYTES && is_default()) return new_large(descr, ndim, shape, strides, nbytes);
    Py_INCREF(descr);
    return PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims(shape), dims(strides), nullptr, 0,
                                nullptr);
}

int add_results(PyObject *module) {
    capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
    return capsule != nullptr ? PyModule_AddFunctions(module, functions) : -1;
}
