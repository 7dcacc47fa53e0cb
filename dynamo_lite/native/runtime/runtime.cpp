// The functions that generated code calls through its frame, but for threads, BLAS and scratch.
// Each returns null or nonzero on failure and leaves no Python exception behind.
#include "runtime/runtime.h"

#include "runtime/fp_state.h"
#include "runtime/spare_numbers.h"
#include "interpreter/interpreter.h"
#include "base/numpy_api.h"
#include "base/spans.h"

#include <algorithm>
#include <cstring>

namespace {

// int64_t and npy_intp have the same width but need not be the same type.
static_assert(sizeof(npy_intp) == sizeof(int64_t), "sizes are passed as 64-bit integers");

const npy_intp *dims(const int64_t *sizes) { return reinterpret_cast<const npy_intp *>(sizes); }

void put(Frame *frame, int64_t slot, PyObject *object) { Py_XSETREF(frame->slots[slot], object); }

// Stores an object; null (with an exception) is a failure.
int32_t keep(Frame *frame, int64_t slot, PyObject *object) {
    if (object == nullptr) {
        PyErr_Clear();
        return FAILED;
    }
    put(frame, slot, object);
    return OK;
}

// Whether an array of this shape, packed in some order of its axes, contains every element that
// the strides reach. NumPy itself does not check strides for memory that it allocates.
bool strides_fit(int32_t ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize) {
    int64_t bytes = itemsize, reach = itemsize;
    for (int32_t i = 0; i < ndim; ++i) {
        int64_t span;
        if (shape[i] == 0) return true;
        if (shape[i] < 0 || strides[i] < 0) return false;
        if (__builtin_mul_overflow(bytes, shape[i], &bytes)) return false;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &span)) return false;
        if (__builtin_add_overflow(reach, span, &reach)) return false;
    }
    return reach <= bytes;
}

NEVER_INLINE PyObject *packed_array_counted(PyArray_Descr *descr, int32_t ndim,
                                            const int64_t *shape, const int64_t *strides) {
    Span span(Spent::ALLOCATION);
    return packed_array(descr, ndim, shape, strides);
}

void *new_array(Frame *frame, int64_t slot, PyArray_Descr *descr, int32_t ndim, const int64_t *shape,
                const int64_t *strides) {
    if (strides != nullptr && !strides_fit(ndim, shape, strides, PyDataType_ELSIZE(descr))) {
        return nullptr;
    }
    auto make = are_spans_counted ? packed_array_counted : packed_array;
    PyObject *array = make(descr, ndim, shape, strides);
    if (keep(frame, slot, array) != OK) return nullptr;
    return PyArray_DATA(reinterpret_cast<PyArrayObject *>(array));
}

int32_t store_results(Frame *frame, int64_t first_slot, int64_t n_results, PyObject *result) {
    if (n_results == 1) return keep(frame, first_slot, result);
    bool is_tuple = PyTuple_Check(result), is_list = PyList_CheckExact(result);
    bool matches = n_results == 0 ||
                   ((is_tuple || is_list) && PySequence_Fast_GET_SIZE(result) == n_results);
    for (int64_t i = 0; matches && i < n_results; ++i) {
        put(frame, first_slot + i, Py_NewRef(PySequence_Fast_GET_ITEM(result, i)));
    }
    Py_DECREF(result);
    return matches ? OK : FAILED;
}

// An extern step clears the flags itself (NumPy's ufuncs do) and reports what it raised by an
// exception, so the flags from before are put aside and those after it mean nothing.
int32_t call_extern(Frame *frame, int64_t constant, int64_t first_slot, int64_t n_results,
                    int64_t n_args, PyObject **args) {
    for (int64_t i = 0; i < n_args; ++i) {
        if (args[i] == nullptr) return FAILED;
    }
    call_of(frame)->fp_flags |= fp_flags();
    PyObject *result =
        call_reporting(call_of(frame)->errstate, frame->constants[constant], args, n_args);
    clear_fp_flags();
    if (result == nullptr) {
        // The call bails out and runs again in Python, where the interrupt then arrives.
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
        PyErr_Clear();
        return FAILED;
    }
    return store_results(frame, first_slot, n_results, result);
}

int32_t new_view(Frame *frame, int64_t slot, PyObject *base, void *data, PyArray_Descr *descr,
                 int32_t ndim, const int64_t *shape, const int64_t *strides, int32_t writeable) {
    if (!PyArray_Check(base)) return FAILED;
    int flags = 0;
    if (writeable && PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject *>(base))) {
        flags = NPY_ARRAY_WRITEABLE;
    }
    Py_INCREF(descr);
    PyObject *view = PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims(shape), dims(strides), data,
                                          flags, nullptr);
    if (view == nullptr) return keep(frame, slot, nullptr);
    auto *array = reinterpret_cast<PyArrayObject *>(view);
    PyArray_UpdateFlags(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    if (PyArray_SetBaseObject(array, Py_NewRef(base)) < 0) Py_CLEAR(view);
    return keep(frame, slot, view);
}

// As PyArray_Scalar makes it; of the two bools there is one each.
PyObject *new_number(PyArray_Descr *descr, const void *data) {
    if (descr->type_num == NPY_DOUBLE) return new_double(*static_cast<const double *>(data));
    PyObject *number = descr->typeobj->tp_alloc(descr->typeobj, 0);
    if (number != nullptr) {
        memcpy(reinterpret_cast<char *>(number) + sizeof(PyObject), data, PyDataType_ELSIZE(descr));
    }
    return number;
}

int32_t box_scalar(Frame *frame, int64_t slot, PyArray_Descr *descr, const void *data) {
    bool is_number = PyTypeNum_ISNUMBER(descr->type_num) && !PyTypeNum_ISBOOL(descr->type_num);
    if (is_number && PyArray_ISNBO(descr->byteorder)) {
        return keep(frame, slot, new_number(descr, data));
    }
    return keep(frame, slot, PyArray_Scalar(const_cast<void *>(data), descr, nullptr));
}

int32_t box_python(Frame *frame, int64_t slot, int32_t kind, const void *data) {
    auto *number = static_cast<const double *>(data);
    switch (kind) {
        case 0: return keep(frame, slot, PyBool_FromLong(*static_cast<const uint8_t *>(data)));
        case 1: return keep(frame, slot, new_int(*static_cast<const int64_t *>(data)));
        case 2: return keep(frame, slot, PyFloat_FromDouble(number[0]));
        case 3: return keep(frame, slot, PyComplex_FromDoubles(number[0], number[1]));
        default: return FAILED;
    }
}

bool same_dtype(PyArray_Descr *actual, PyArray_Descr *expected) {
    return actual == expected ||
           (actual->type_num == expected->type_num && PyArray_EquivTypes(actual, expected));
}

// The stride of an axis with one element, and every stride of an empty array, is never used.
bool same_layout(PyArrayObject *array, const int64_t *shape, const int64_t *strides) {
    int ndim = PyArray_NDIM(array);
    for (int i = 0; i < ndim; ++i) {
        if (PyArray_DIM(array, i) != shape[i]) return false;
    }
    if (strides == nullptr) return PyArray_IS_C_CONTIGUOUS(array);
    if (PyArray_SIZE(array) == 0) return true;
    for (int i = 0; i < ndim; ++i) {
        if (shape[i] != 1 && PyArray_STRIDE(array, i) != strides[i]) return false;
    }
    return true;
}

int32_t match_array(PyObject *object, PyArray_Descr *descr, int32_t ndim, const int64_t *shape,
                    const int64_t *strides) {
    if (object == nullptr || !PyArray_CheckExact(object)) return FAILED;
    auto *array = reinterpret_cast<PyArrayObject *>(object);
    bool matches = PyArray_NDIM(array) == ndim && same_dtype(PyArray_DESCR(array), descr) &&
                   PyArray_ISALIGNED(array) && same_layout(array, shape, strides);
    return matches ? OK : FAILED;
}

// The sizes of an array whose shape only running it tells.
int32_t read_sizes(PyObject *object, int32_t ndim, int64_t *sizes) {
    if (object == nullptr || !PyArray_CheckExact(object)) return FAILED;
    auto *array = reinterpret_cast<PyArrayObject *>(object);
    if (PyArray_NDIM(array) != ndim) return FAILED;
    for (int i = 0; i < ndim; ++i) sizes[i] = PyArray_DIM(array, i);
    return OK;
}

void release(Frame *frame, int64_t slot) {
    Span span(Spent::ALLOCATION);
    Py_CLEAR(frame->slots[slot]);
}

void step(Frame *, int64_t number, int64_t nbytes, int64_t operations) {
    begin_step(number, nbytes, operations);
}

void hold(Frame *frame, int64_t slot, PyObject *object) { put(frame, slot, Py_NewRef(object)); }

// Before what generated code itself does with Python objects.
void need_gil(Frame *) {}

// Sorts the flags that steps of one errstate have raised by what is to become of them.
void settle(Call *call) {
    unsigned raised = call->fp_flags | fp_flags();
    call->must_report |= raised & call->errstate.reported;
    call->may_report |= raised & ~(call->errstate.reported | call->errstate.ignored);
    call->fp_flags = 0;
    clear_fp_flags();
}

// The steps that follow have this errstate.
void begin_errstate(Frame *frame, int32_t ignored, int32_t reported) {
    settle(call_of(frame));
    call_of(frame)->errstate = {static_cast<unsigned>(ignored), static_cast<unsigned>(reported)};
}

// For loops, now and then: lets other threads run, and bails out where a signal is to be handled,
// so that Python does that, in the user's own function.
int32_t poll(Frame *frame) {
    PyThreadState *thread = PyThreadState_Get();
    if (others_wait(thread)) {
        call_of(frame)->fp_flags |= fp_flags();
        Py_BEGIN_ALLOW_THREADS;
        Py_END_ALLOW_THREADS;
        clear_fp_flags();
    }
    return something_pending(thread) ? FAILED : OK;
}

// Packed rows; a row is copied in stretches, which threads share.
struct Copying {
    char *to;
    const char *from;
    int64_t n_bytes, to_step, from_step, stretches;
};

constexpr int64_t STRETCH = 1 << 17;  // bytes

void copy_stretches(void *env, int64_t begin, int64_t end) {
    auto *job = static_cast<Copying *>(env);
    for (int64_t i = begin; i < end; ++i) {
        int64_t row = i / job->stretches, first = i % job->stretches * STRETCH;
        std::memcpy(job->to + row * job->to_step + first,
                    job->from + row * job->from_step + first,
                    std::min(STRETCH, job->n_bytes - first));
    }
}

template <typename Function>
const void *address(Function *function) {
    return reinterpret_cast<const void *>(function);
}

template <auto> struct WithGil;
template <typename Result, typename... Args, Result (*function)(Frame *, Args...)>
struct WithGil<function> {
    static Result call(Frame *frame, Args... args) {
        take_gil(call_of(frame));
        return function(frame, args...);
    }
};

template <auto function>
const void *with_gil() {
    return address(WithGil<function>::call);
}

}  // namespace

void suppress_flags(Frame *frame, int32_t begins) {
    if (begins) call_of(frame)->fp_flags |= fp_flags();
    clear_fp_flags();
}

void copy(Frame *frame, void *to, const void *from, int64_t n_rows, int64_t n_bytes,
          int64_t to_step, int64_t from_step) {
    int64_t stretches = (n_bytes + STRETCH - 1) / STRETCH;
    Copying job{static_cast<char *>(to), static_cast<const char *>(from),
                n_bytes, to_step, from_step, stretches};
    parallel(frame, copy_stretches, &job, n_rows * stretches, n_rows * n_bytes / 32);
}

int32_t commit(Frame *frame) {
    Call *call = call_of(frame);
    settle(call);
    unsigned raised = call->may_report | call->inexact_flags;
    if (frame->status != 0 || call->must_report != 0 || (raised != 0 && reports(raised))) {
        return FAILED;
    }
    call->committed = true;
    return OK;
}

const void *runtime_table[RUNTIME_FUNCTIONS] = {
    with_gil<new_array>(),   with_gil<scratch>(),            address(parallel),
    with_gil<call_extern>(), with_gil<new_view>(),           with_gil<box_scalar>(),
    with_gil<box_python>(),  with_gil<commit>(),             address(unbox_int),
    address(match_array),    address(gemm),                  address(gemv),
    address(dot),            with_gil<release>(),            address(unbox_number),
    with_gil<hold>(),        address(suppress_flags),        address(begin_errstate),
    address(read_sizes),     address(count_true),            address(select_true),
    address(positions_true), with_gil<poll>(),               address(deposit_true),
    address(unbox_ints),     address(copy),                  with_gil<log_undo>(),
    with_gil<log_undo_at>(), address(products),              address(draw_float),
    address(draw_integer),   address(step),                  with_gil<find_random_source>(),
    with_gil<log_copy>(),    with_gil<need_gil>(),
};

int add_runtime(PyObject *module) {
    if (add_errstate() < 0 || add_extern_call() < 0 || add_blas() < 0) return -1;
    if (add_results(module) < 0 || add_list_numbers(module) < 0 || add_list_rows(module) < 0) {
        return -1;
    }
    if (add_entry_types(module) < 0 || add_pool(module) < 0 || add_scratch(module) < 0) return -1;
    if (add_numeric(module) < 0 || add_lapack(module) < 0) return -1;
    if (add_random_states(module) < 0 || add_draws(module) < 0) return -1;
    return add_loader(module);
}
