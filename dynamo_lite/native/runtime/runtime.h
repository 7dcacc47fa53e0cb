// The array runtime: native entries, the functions that generated code calls, threads and objects.
// docs/folders/native.md is the contract with the code generators.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <utility>

// Adds NativeEntry, BoundEntry, load_object and the thread settings to the module. Needs NumPy's
// array API imported (module.cpp does, once for all files).
int add_runtime(PyObject *module);

// What generated code sees of a call. The byte offsets are part of the contract.
struct Frame {
    PyObject **inputs;
    PyObject **slots;
    PyObject **constants;
    const void **runtime;
    int64_t status;
    int64_t is_counted;  // whether it says at which step it is
};
static_assert(offsetof(Frame, is_counted) == 5 * sizeof(void *), "generated code reads these offsets");

// A large block of memory, header included: chained to the call that uses it, of a result, or idle.
struct ScratchBlock {
    ScratchBlock *next;
    int64_t nbytes, idle_since;
};

// What a part of the program says about floating-point reports, as FpFlag bits; for the other
// conditions NumPy's current error state holds.
struct Errstate {
    unsigned ignored, reported;
};

// What a part of an input held before the call wrote there.
struct UndoRecord;

// One call: the frame, and what only the runtime may touch.
struct Call {
    Frame frame;
    Py_ssize_t n_slots;
    Errstate errstate;       // of the steps that run now
    unsigned fp_flags;       // raised earlier by steps of this errstate, in other threads too
    unsigned must_report;    // raised before, where the program's own errstate reports them
    unsigned may_report;     // raised before, where NumPy's current error state decides
    unsigned inexact_flags;  // those that the code does not raise exactly where NumPy does
    bool committed;          // from here on the call cannot bail out
    bool owns_arena;         // this call uses the thread's small scratch arena
    bool keeps_gil;          // what is between two long pieces of work needs the GIL
    PyThreadState *no_gil;   // this thread's state while it is without the GIL, else null
    ScratchBlock *blocks;    // given back when the call ends
    UndoRecord *undo;        // the latest; restored, one after the other, when it bails out
};

inline Call *call_of(Frame *frame) { return reinterpret_cast<Call *>(frame); }

// The call goes on without the GIL after long work, up to a function that needs it: threads would
// else wait for each other after each kernel.
inline void give_gil(Call *call) {
    if (call->no_gil == nullptr) call->no_gil = PyEval_SaveThread();
}
inline void take_gil(Call *call) {
    if (call->no_gil != nullptr) PyEval_RestoreThread(std::exchange(call->no_gil, nullptr));
}

using EntryFunction = int32_t (*)(Frame *);
using ParallelBody = void (*)(void *env, int64_t begin, int64_t end);

enum { RUNTIME_FUNCTIONS = 35, OK = 0, FAILED = 1 };
extern const void *runtime_table[RUNTIME_FUNCTIONS];

// pool.cpp
void parallel(Frame *frame, ParallelBody body, void *env, int64_t n, int64_t cost_ns);
int num_threads();
int add_pool(PyObject *module);

// scratch.cpp
void *scratch(Frame *frame, int64_t nbytes);
void release_blocks(Call *call);
void release_arena();
// The memory of a result, and how many bytes it has room for. Released, it serves later calls.
void *result_memory(int64_t nbytes);
int64_t room_of(void *memory);
void release_result(void *memory);
int add_scratch(PyObject *module);
inline void release_scratch(Call *call) {
    if (call->blocks != nullptr) release_blocks(call);
    if (call->owns_arena) release_arena();
}

// runtime.cpp
// Around work whose flags NumPy does not look at: first 1, then 0.
void suppress_flags(Frame *frame, int32_t begins);
// Rows of packed memory, by several threads where it is much.
void copy(Frame *frame, void *to, const void *from, int64_t n_rows, int64_t n_bytes,
          int64_t to_step, int64_t from_step);

// undo_log.cpp
int32_t log_undo(Frame *frame, void *data, int32_t ndim, const int64_t *shape, const int64_t *strides,
             int64_t itemsize, int32_t is_copied);
int32_t log_copy(Frame *frame, void *data, int64_t nbytes);
int32_t log_undo_at(Frame *frame, void *data, const int64_t *positions, int64_t n, int64_t itemsize);
void undo(Call *call);

// errstate.cpp
int add_errstate();
// Whether NumPy's current error state has something to say about these FpFlag bits.
bool reports(unsigned fp_flags);
// The context variable of the error state and a value (borrowed) with which everything that `own`
// or else the current one reports is an exception; no variable when nothing has to be changed. False
// on an exception.
bool raising_errstate(Errstate own, PyObject **variable_or_null, PyObject **raising);

// extern_call.cpp
int add_extern_call();
// Calls `callable`; what would have been a floating-point report or a warning is an exception.
PyObject *call_reporting(Errstate own, PyObject *callable, PyObject *const *args, Py_ssize_t n_args);

// unbox.cpp
int32_t unbox_int(PyObject *object, int64_t *out);
int32_t unbox_ints(PyObject **objects, const int64_t *which, int64_t n, int64_t *out);
int32_t unbox_number(PyObject *object, int32_t typenum, void *out);

// blas.cpp
int add_blas();
bool has_blas();
int32_t gemm(Frame *, int32_t typenum, int32_t trans_a, int32_t trans_b, int64_t m, int64_t n,
             int64_t k, const void *a, int64_t lda, const void *b, int64_t ldb, void *c,
             int64_t ldc);
int32_t gemv(Frame *, int32_t typenum, int32_t trans, int64_t m, int64_t n, const void *a,
             int64_t lda, const void *x, int64_t incx, void *y, int64_t incy);
int32_t dot(Frame *, int32_t typenum, int64_t n, const void *x, int64_t incx, const void *y,
            int64_t incy, void *out);
// The same routine (0: gemm, 1: gemv, 2: dot) at every place of a stack; `sizes` are m, n, k and the
// distances of the operands.
int32_t products(Frame *frame, int32_t routine, int32_t typenum, int32_t trans_a, int32_t trans_b,
                 const int64_t *sizes, const void *a, const void *b, void *c, int32_t ndim,
                 const int64_t *extents, const int64_t *steps, int32_t suppressed);

// lapack.cpp
int add_lapack(PyObject *module);

// masks.cpp
constexpr int64_t MASK_BLOCK = 1 << 14;  // elements; generated code has room for one number for each
int64_t count_true(Frame *frame, const void *mask, int64_t n, int64_t *starts);
int32_t deposit_true(Frame *frame, const void *mask, int64_t n, const int64_t *starts,
                     const void *source, int64_t step, int64_t itemsize, void *out, int64_t stride);
int32_t select_true(Frame *frame, const void *mask, int64_t n, const int64_t *starts,
                    const void *source, int64_t stride, int64_t itemsize, void *out);
int32_t positions_true(Frame *frame, const void *mask, int64_t n, const int64_t *starts,
                       int32_t ndim, const int64_t *shape, void *out);

// entry.cpp and loader.cpp
enum class Ran { DONE, BAILED_OUT, RAISED };
bool is_native_entry(PyObject *object);
Py_ssize_t inputs_of(PyObject *entry);
Py_ssize_t outputs_of(PyObject *entry);
// Runs a native entry, which fills the outputs (null before) with new references; when it has bailed
// out they may be partly filled.
Ran run_native_entry(PyObject *entry, PyObject *const *inputs, PyObject **outputs);
// numeric.cpp
int add_numeric(PyObject *module);
int add_entry_types(PyObject *module);
int add_loader(PyObject *module);

// random_states.cpp
int add_random_states(PyObject *module);

// draws.cpp
struct RandomSource;
void find_random_source(Frame *frame, PyObject *generator, RandomSource *source);
int32_t draw_float(Frame *frame, const RandomSource *source, int32_t number, double a, double b,
                   double *out);
int32_t draw_integer(Frame *frame, const RandomSource *source, int32_t masked, int64_t low,
                     int64_t high, int64_t *out);
int add_draws(PyObject *module);

// commit, also made by the entry for graphs that never call it.
int32_t commit(Frame *frame);
