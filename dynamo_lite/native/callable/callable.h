// CompiledFunction, the callable that compile returns, and the entries it chooses from.
#pragma once
#include "callable/binding.h"
#include "base/core.h"
#include "guards/program.h"

// What became of the calls of an entry. It outlives the entry, for statistics.
struct CallCounts {
    PyObject_HEAD
    Py_ssize_t hits;         // calls that the target completed
    Py_ssize_t bailouts;     // calls that bailed out
    Py_ssize_t replaced;     // calls for which the function ran after the entry was retired
};

// One compiled variant of a function.
struct CacheEntry {
    PyObject_HEAD
    GuardProgram *program;
    PyObject *target;        // null once retired
    PyObject *info;
    CallCounts *counts;
    Py_ssize_t streak;       // calls that bailed out since the last success
    char leaves_arms;        // arms of branches are left to Python, which are hardly ever taken
};

struct CompiledFunction {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *dict, *weakrefs;
    PyObject *function;
    PyObject *miss;
    PyObject *entries;       // a tuple of CacheEntry; not changed while others look at it
    PyObject *disabled;      // why nothing is compiled any more, or null
    Signature signature;
    unsigned long compiling; // the thread in which `miss` runs, or 0
    Py_ssize_t retire_after;
    Py_ssize_t patience;     // calls without an entry that run the function before one asks again
    Py_ssize_t unfit;        // calls that ran in Python because no entry fitted, or none may run
    bool told_watched;       // `miss.watched` was called
    Py_ssize_t waiting;      // nanoseconds that calls without an entry run before one asks again
};

extern PyTypeObject *cache_entry_type;
int add_cache_entry(PyObject *module);
PyObject *new_cache_entry(GuardProgram *program, PyObject *target, PyObject *info);

bool is_compiled_function(PyObject *object);

// While it lives the function runs in Python: counts the time for which it waits.
class Waits {
public:
    explicit Waits(CompiledFunction *self);
    ~Waits();
    Waits(const Waits &) = delete;

private:
    Ref waiting;
    int64_t begin = 0;
};

// The vectorcall of a CompiledFunction.
PyObject *call_compiled(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames);

// The same as a call of another function of the same code, globals and cells: that one binds the
// arguments, and runs in Python where no entry does.
PyObject *call_as(CompiledFunction *self, PyObject *function, PyObject *const *args, size_t nargsf,
                  PyObject *kwnames);

// The same without running it in Python: false, with nothing done, when Python has to.
bool call_fitting(CompiledFunction *self, PyObject *function, PyObject *const *args, size_t nargsf,
                  PyObject *kwnames, PyObject *&result);

// The same over flat arguments.
bool call_flat(CompiledFunction *self, PyObject *function, PyObject *const *flat,
               PyObject *&result);

// Calls what an entry runs, with no keyword arguments.
PyObject *call_target(PyObject *callable, PyObject *const *args, Py_ssize_t n_args);

// Whether a call in this thread would run just this target of an entry, which is then `entry`: the first one that
// is tried. False with an exception that a guard must not hide.
bool would_run(CompiledFunction *self, PyThreadState *thread, PyObject *target,
               PyObject *const *args, Py_ssize_t n, Ref &entry);

// Makes the signature and the entries follow the function's code, which a program may replace.
void follow_other_code(CompiledFunction *self);
inline void follow_code(CompiledFunction *self) {
    PyObject *code = PyFunction_GET_CODE(self->function);
    if (code != reinterpret_cast<PyObject *>(self->signature.code)) follow_other_code(self);
}

// Whether every compiled function runs in Python from here on.
void run_all_in_python(bool is_so);

// Whether they run compiled although a debugger, coverage tool or line profiler is active.
void compile_watched(bool is_so);
