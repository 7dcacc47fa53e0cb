// One call of a CompiledFunction: bind, find the entry whose guards pass, run it.
#include <algorithm>
#include <atomic>

#include "callable/callable.h"
#include "interpreter/interpreter.h"
#include "interpreter/regions.h"
#include "callable/continuations.h"
#include "base/spans.h"
#include "base/stack.h"
#include "base/stopwatch.h"

namespace {

// A call of a function as its caller made it; the arguments outlive it.
struct Call {
    PyObject *function;      // what runs in Python: the compiled function's own, or a clone of it
    PyObject *const *args;
    size_t nargsf;
    PyObject *kwnames;
};

// The flat arguments, and how many: the function's code may change under a call.
struct Flat {
    PyObject *function;
    PyObject *const *values;
    int n;
};

PyObject *run_function(const Call &call) {
    Span span(Spent::PYTHON);
    PythonCall python;
    PassedOn arguments(call.args);
    return python ? run_plain(call.function, call.args, call.nargsf, call.kwnames) : nullptr;
}

CacheEntry *entry_at(PyObject *entries, Py_ssize_t i) {
    return reinterpret_cast<CacheEntry *>(PyTuple_GET_ITEM(entries, i));
}

// Moves entry `i` of `entries` to the front, in place when nobody else looks at the tuple. Does
// nothing when the entries have changed meanwhile, or when there is no memory.
void move_to_front(CompiledFunction *self, PyObject *entries, Py_ssize_t i) {
    if (self->entries != entries) return;
    Ref moved;
    if (Py_REFCNT(entries) > 2) {  // more than this call and the function itself
        moved = Ref(PyTuple_New(PyTuple_GET_SIZE(entries)));
        if (!moved) return PyErr_Clear();
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(entries); ++k) {
            PyTuple_SET_ITEM(moved.get(), k, Py_NewRef(PyTuple_GET_ITEM(entries, k)));
        }
        entries = moved.get();
    }
    PyObject **items = &PyTuple_GET_ITEM(entries, 0);
    std::rotate(items, items + i, items + i + 1);
    if (moved) Py_SETREF(self->entries, moved.release());
}

// The first entry whose guards pass, as a new reference in `found`, or null. False with an
// exception that a guard must not hide.
ALWAYS_INLINE bool look_for_entry(CompiledFunction *self, const Flat &flat, Ref &found) {
    Ref entries = Ref::borrow(self->entries);
    Py_ssize_t n = entries ? PyTuple_GET_SIZE(entries.get()) : 0;
    for (Py_ssize_t i = 0; i < n; ++i) {
        CacheEntry *entry = entry_at(entries.get(), i);
        if (entry->program->block.n_args != flat.n) continue;
        int failing = run_guards(entry->program, flat.values, flat.function);
        if (failing == GUARD_RAISED) return false;
        if (failing != GUARD_PASSED) continue;
        found = Ref::borrow(reinterpret_cast<PyObject *>(entry));
        if (i) move_to_front(self, entries.get(), i);
        return true;
    }
    return true;
}

NEVER_INLINE bool find_entry_counted(CompiledFunction *self, const Flat &flat, Ref &found) {
    Span span(Spent::GUARDS);
    return look_for_entry(self, flat, found);
}

ALWAYS_INLINE bool find_entry(CompiledFunction *self, const Flat &flat, Ref &found) {
    if (are_spans_counted) return find_entry_counted(self, flat, found);
    return look_for_entry(self, flat, found);
}

// The arguments of a call as a new tuple; null with an error set.
PyObject *arguments_of(const Flat &flat) {
    PyObject *arguments = PyTuple_New(flat.n);
    for (int i = 0; arguments && i < flat.n; ++i) {
        PyTuple_SET_ITEM(arguments, i, Py_NewRef(flat.values[i]));
    }
    return arguments;
}

constexpr Py_ssize_t FEW = 3, OFTEN = 8;  // calls that take an arm left to Python; one in so many

// Calls `miss.<name>(entry, flat arguments)`, where the miss callback has that method.
void tell(CompiledFunction *self, const char *name, CacheEntry *entry, const Flat &flat) {
    CompilerWorks works(false);
    Ref method(self->miss ? PyObject_GetAttrString(self->miss, name) : nullptr);
    if (!method) return PyErr_Clear();
    Ref arguments(arguments_of(flat));
    if (!arguments) return PyErr_Clear();
    Ref answer(PyObject_CallFunctionObjArgs(
        method.get(), reinterpret_cast<PyObject *>(entry), arguments.get(), nullptr));
    if (answer) return;
    bool has_no_room = PyErr_ExceptionMatches(PyExc_RecursionError) ||
                       PyErr_ExceptionMatches(PyExc_MemoryError);
    has_no_room ? PyErr_Clear() : PyErr_WriteUnraisable(method.get());
}

// Whether a target runs code of Python's, in which the function may be called again.
bool runs_python(PyObject *target) { return PyFunction_Check(target) || is_driver(target); }

// Whether so many calls bail out that running Python at once is better.
bool bails_out_often(CompiledFunction *self, CacheEntry *entry) {
    CallCounts *counts = entry->counts;
    bool is_cold = counts->bailouts < FEW || counts->bailouts * OFTEN < counts->hits;
    return entry->streak >= self->retire_after || (entry->leaves_arms && !is_cold);
}

// The call has had no effect so far: who is told may look at the arguments as they were.
void note_bailout(CompiledFunction *self, CacheEntry *entry, const Flat &flat) {
    Ref kept = Ref::borrow(reinterpret_cast<PyObject *>(entry));
    ++entry->streak;
    if (++entry->counts->bailouts == 1) tell(self, "bailed_out", entry, flat);
    if (self->retire_after <= 0 || !entry->target || !bails_out_often(self, entry)) return;
    Py_CLEAR(entry->target);
    tell(self, "retired", entry, flat);
}

// Runs an entry; false when Python has to run the function.
bool run_entry(CompiledFunction *self, CacheEntry *entry, const Flat &flat, PyObject *&result) {
    if (!entry->target || (runs_python(entry->target) && is_stack_low())) {
        ++entry->counts->replaced;
        return false;
    }
    Ref target = Ref::borrow(entry->target);
    result = call_target(target.get(), flat.values, flat.n);
    if (result == bailout) {
        Py_DECREF(result);
        note_bailout(self, entry, flat);
        return false;
    }
    if (result) {
        ++entry->counts->hits;
        entry->streak = 0;
    }
    return true;
}

std::atomic<bool> all_in_python{false}, compiles_watched{false};

// Asks for an entry. While that goes on, every other call that finds none runs the function.
bool ask_for_entry(CompiledFunction *self, const Flat &flat) {
    Span span(Spent::COMPILING);
    Ref arguments(arguments_of(flat)), miss = Ref::borrow(self->miss);
    if (!arguments) return false;
    Ref answer;
    {
        CompilerWorks works(lines_are_watched(PyThreadState_Get()));
        self->compiling = PyThread_get_thread_ident();
        answer = Ref(PyObject_CallFunctionObjArgs(miss.get(), reinterpret_cast<PyObject *>(self),
                                                  arguments.get(), nullptr));
        self->compiling = 0;
    }
    return static_cast<bool>(answer);
}

bool may_ask(CompiledFunction *self) {
    if (self->compiling || self->disabled || !self->miss || self->waiting > 0) return false;
    if (self->patience <= 0) return true;
    --self->patience;
    return false;
}

// Runs the entry that fits, compiling where there is none; false when Python has to run it.
bool dispatch(CompiledFunction *self, const Flat &flat, PyObject *&result) {
    result = nullptr;
    for (bool has_asked = false;; has_asked = true) {
        Ref found;
        if (!find_entry(self, flat, found)) return true;
        if (found) return run_entry(self, reinterpret_cast<CacheEntry *>(found.get()), flat, result);
        if (has_asked || !may_ask(self) || is_stack_low()) {
            ++self->unfit;
            return false;
        }
        if (!ask_for_entry(self, flat)) return true;
    }
}

// The owned flat arguments of one call.
class FlatArguments {
public:
    explicit FlatArguments(int n) : n(n), values(n > ON_STACK ? new PyObject *[n] : small) {
        std::fill_n(values, n, nullptr);
    }
    ~FlatArguments() {
        for (int i = 0; i < n; ++i) Py_XDECREF(values[i]);
        if (values != small) delete[] values;
    }
    FlatArguments(const FlatArguments &) = delete;
    PyObject **data() { return values; }

private:
    static constexpr int ON_STACK = 16;
    int n;
    PyObject *small[ON_STACK];
    PyObject **values;
};

bool bind_and_dispatch(CompiledFunction *self, const Call &call, PyObject *&result) {
    Signature signature = self->signature;
    Ref code = Ref::borrow(reinterpret_cast<PyObject *>(signature.code));
    FlatArguments flat(signature.flat);
    switch (bind(signature, call.function, call.args, PyVectorcall_NARGS(call.nargsf),
                 call.kwnames, flat.data())) {
    case Binding::BOUND:
        return dispatch(self, {call.function, flat.data(), signature.flat}, result);
    case Binding::MISMATCH: return false;
    case Binding::RAISED: result = nullptr; return true;
    }
    Py_UNREACHABLE();
}

// The same for a call with its arguments as they were given.
ALWAYS_INLINE bool dispatch_call(CompiledFunction *self, const Call &call, PyObject *&result) {
    if (!call.kwnames && PyVectorcall_NARGS(call.nargsf) == self->signature.direct) {
        return dispatch(self, {call.function, call.args, self->signature.direct}, result);
    }
    return bind_and_dispatch(self, call, result);
}

bool is_compiling_here(CompiledFunction *self) {
    return self->compiling && self->compiling == PyThread_get_thread_ident();
}

bool has_nothing_to_try(CompiledFunction *self) {
    return self->disabled && self->entries && PyTuple_GET_SIZE(self->entries) == 0;
}

bool is_left_to_watchers(PyThreadState *thread = PyThreadState_Get()) {
    return lines_are_watched(thread) &&
           !compiles_watched.load(std::memory_order_relaxed);
}

bool is_left_to_python(CompiledFunction *self, PyThreadState *thread = PyThreadState_Get()) {
    return all_in_python.load(std::memory_order_relaxed) || has_nothing_to_try(self) ||
           is_left_to_watchers(thread);
}

bool has_to_run_in_python(CompiledFunction *self) {
    if (is_compiling_here(self)) return true;
    bool is_so = is_left_to_python(self);
    self->unfit += is_so;
    return is_so;
}

PyObject *keywords_of(const Call &call) {
    PyObject *keywords = PyDict_New();
    Py_ssize_t first = PyVectorcall_NARGS(call.nargsf);
    Py_ssize_t n = call.kwnames ? PyTuple_GET_SIZE(call.kwnames) : 0;
    for (Py_ssize_t i = 0; keywords && i < n; ++i) {
        PyObject *name = PyTuple_GET_ITEM(call.kwnames, i);
        if (PyDict_SetItem(keywords, name, call.args[first + i]) < 0) Py_CLEAR(keywords);
    }
    return keywords;
}

// Calls `miss.watched(self, arguments, keywords)` in the first call that runs in Python because
// lines are watched, where the miss callback has that method. False with what it raises.
bool tell_watched(CompiledFunction *self, const Call &call) {
    if (self->told_watched || !self->miss || self->compiling || !is_left_to_watchers()) return true;
    self->told_watched = true;
    CompilerWorks works(true);
    Ref method(PyObject_GetAttrString(self->miss, "watched")), arguments, keywords, answer;
    if (!method) return PyErr_Clear(), true;
    Flat given{call.function, call.args, static_cast<int>(PyVectorcall_NARGS(call.nargsf))};
    arguments = Ref(arguments_of(given));
    keywords = Ref(arguments ? keywords_of(call) : nullptr);
    if (!keywords) return false;
    self->compiling = PyThread_get_thread_ident();
    answer = Ref(PyObject_CallFunctionObjArgs(method.get(), reinterpret_cast<PyObject *>(self),
                                              arguments.get(), keywords.get(), nullptr));
    self->compiling = 0;
    return static_cast<bool>(answer);
}

}  // namespace

void run_all_in_python(bool is_so) { all_in_python = is_so; }

void compile_watched(bool is_so) { compiles_watched = is_so; }

PyObject *call_target(PyObject *callable, PyObject *const *args, Py_ssize_t n_args) {
    if (PyFunction_Check(callable)) {
        PythonCall python;
        PassedOn arguments(args);
        return python ? run_plain(callable, args, n_args, nullptr) : nullptr;
    }
    vectorcallfunc function = PyVectorcall_Function(callable);
    return function ? function(callable, args, n_args, nullptr)
                    : PyObject_Vectorcall(callable, args, n_args, nullptr);
}

bool would_run(CompiledFunction *self, PyThreadState *thread, PyObject *target,
               PyObject *const *args, Py_ssize_t n, Ref &found) {
    follow_code(self);
    bool has_any = self->entries && PyTuple_GET_SIZE(self->entries);
    if (!has_any || are_spans_counted || n != self->signature.direct) return false;
    if (is_compiling_here(self) || is_left_to_python(self, thread)) return false;
    CacheEntry *entry = entry_at(self->entries, 0);
    if (entry->target != target || entry->program->block.n_args != n) return false;
    found = Ref::borrow(reinterpret_cast<PyObject *>(entry));
    return run_guards(entry->program, args, self->function) == GUARD_PASSED &&
           entry->target == target;
}

Waits::Waits(CompiledFunction *self) {
    if (self->waiting <= 0) return;
    waiting = Ref::borrow(reinterpret_cast<PyObject *>(self));
    begin = nanoseconds();
}

Waits::~Waits() {
    if (!waiting) return;
    reinterpret_cast<CompiledFunction *>(waiting.get())->waiting -= nanoseconds() - begin;
}

void follow_other_code(CompiledFunction *self) {
    PyObject *code = PyFunction_GET_CODE(self->function);
    Ref old_code(reinterpret_cast<PyObject *>(self->signature.code));
    self->signature = signature_of(code);
    Ref old_entries(std::exchange(self->entries, PyTuple_New(0)));
}

PyObject *call_compiled(PyObject *object, PyObject *const *args, size_t nargsf,
                        PyObject *kwnames) {
    auto self = reinterpret_cast<CompiledFunction *>(object);
    follow_code(self);
    return call_as(self, self->function, args, nargsf, kwnames);
}

namespace {

ALWAYS_INLINE PyObject *run_call(CompiledFunction *self, const Call &call) {
    if (has_to_run_in_python(self)) {
        return tell_watched(self, call) ? run_function(call) : nullptr;
    }
    PyObject *result;
    if (dispatch_call(self, call, result)) return result;
    Waits waits(self);
    return run_function(call);
}

NEVER_INLINE PyObject *run_call_counted(CompiledFunction *self, const Call &call) {
    Span span(Spent::CALL, reinterpret_cast<PyObject *>(self));
    return run_call(self, call);
}

}  // namespace

PyObject *call_as(CompiledFunction *self, PyObject *function, PyObject *const *args, size_t nargsf,
                  PyObject *kwnames) {
    Call call{function, args, nargsf, kwnames};
    return are_spans_counted ? run_call_counted(self, call) : run_call(self, call);
}

bool call_fitting(CompiledFunction *self, PyObject *function, PyObject *const *args, size_t nargsf,
                  PyObject *kwnames, PyObject *&result) {
    Span span(Spent::CALL, reinterpret_cast<PyObject *>(self));
    if (has_to_run_in_python(self)) return false;
    return dispatch_call(self, {function, args, nargsf, kwnames}, result);
}

bool call_flat(CompiledFunction *self, PyObject *function, PyObject *const *flat,
               PyObject *&result) {
    Span span(Spent::CALL, reinterpret_cast<PyObject *>(self));
    if (has_to_run_in_python(self)) return false;
    return dispatch(self, {function, flat, self->signature.flat}, result);
}
