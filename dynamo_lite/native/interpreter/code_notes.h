// What is known about all functions of a code object of a region: whether the callback is to be asked
// about them, and how they run.
#pragma once
#include <optional>

#include "base/core.h"

namespace regions {

// Kept in an extra slot of the code object.
struct CodeNote {
    uint64_t epoch;
    bool is_left_alone;      // later functions are not asked about
    bool has_compiled;       // some functions have a compiled form
    int64_t ran, due;        // nanoseconds in Python: so far, and when to ask again
    int64_t calls;           // in Python
    int64_t nested;          // nanoseconds of `ran` in compiled forms
    int64_t compiled_ran, compiled_calls;
    int64_t outermost_calls; // of these, not inside of other compiled forms
    int64_t review;          // number of compiled calls at which to ask again
    uint32_t version;        // of the code; call sites trust functions with a version blindly

    int64_t counted() const { return ran + compiled_ran; }
};

constexpr int64_t NEVER = INT64_MAX;

// The number of the callback of the present region; 0 in none.
extern uint64_t present_epoch;

// The note of this region, or null.
CodeNote *note_of(PyObject *code);

// The note, made where there is none; null with an exception.
CodeNote *make_note(PyObject *code, uint64_t epoch);

// False with an exception.
bool drop_note(PyObject *code);

// What call sites compare to know a function again; 0 for functions that they must not know.
uint32_t &version_of(PyObject *code);

// Whether the code is that of a function, and of no generator or coroutine.
inline bool is_of_function(PyObject *code) {
    constexpr int FUNCTION = CO_OPTIMIZED | CO_NEWLOCALS;
    constexpr int GENERATOR =
        CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE;
    return (reinterpret_cast<PyCodeObject *>(code)->co_flags & (FUNCTION | GENERATOR)) == FUNCTION;
}

// Whether the callback is to be asked about functions of this code that have no compiled form.
bool is_candidate(PyObject *code);

// Whether it has run in Python for as long as the callback wanted it to before it is asked again.
bool is_due(PyObject *code);

// Whether the callback wants to decide again about functions of this code that have compiled forms.
bool is_reviewed(PyObject *code);

// Nanoseconds of a thread in which something is at work.
struct WorkTime {
    int64_t total = 0;
    bool is_running = false;
};

// While this lives, it is.
class Working {
public:
    explicit Working(WorkTime &time);
    ~Working();
    Working(const Working &) = delete;

    bool is_outermost() const { return begin != 0; }

private:
    WorkTime &time;
    int64_t begin;  // 0: inside of another one
};

// Compiled code or the compiler is at work: its time is none of Python's.
extern thread_local WorkTime compiled_time;

// The compiler is: its time is none of the function's that it works for.
extern thread_local WorkTime compiler_time;

// While it lives a function of this code runs, as it is or compiled: counts the calls and the time,
// and of calls in Python, what compiled forms inside of them took; without the time of the compiler.
class Runs {
public:
    explicit Runs(PyObject *code, bool is_compiled = false);
    ~Runs();
    Runs(const Runs &) = delete;

    void in_python();  // no compiled form fits: Python begins now

private:
    void start();

    Ref code;
    std::optional<Working> compiled;
    // Nanoseconds, less what all calls of the code had taken: on the clock, ...
    int64_t begin;
    int64_t nested_begin;    // ... in compiled forms that those in Python called, ...
    int64_t compiler_begin;  // ... and in the compiler, of all code.
};

// Whether a function that is made now, from this code, is a candidate; if so the code's functions
// get no version, for call sites that know a version do not look at how a function is called.
bool expect_functions(PyObject *code);

// A code whose functions are left alone: the one that was asked about last. Compared only.
extern PyObject *left_alone;

// Whether a function of this code may have a compiled form, or be asked about. Cheap.
bool may_intercept(PyObject *code);

// To be called when another region begins.
void forget_left_alone();

// Whether code objects have room for notes; false with an exception.
bool prepare_notes();

}  // namespace regions
