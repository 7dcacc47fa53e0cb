// Regions: while a program is in one, its own functions are candidates for running compiled.
//
// `regions.cpp` knows what was decided about each function, `code_notes.cpp` what all functions of a
// code object have in common; `first_array.cpp` finds out that there is something to decide; `frame_hook.cpp` (Python 3.11) and `function_hook.cpp` (3.12 and later),
// that a candidate is called.
#pragma once
#include "callable/callable.h"
#include "interpreter/code_notes.h"
#include "interpreter/interpreter.h"
#include "runtime/fp_state.h"

extern vectorcallfunc plain_vectorcall;  // of functions that nobody intercepts

namespace regions {

// Whether a call that this thread makes now may be intercepted.
bool is_open(PyThreadState *thread);

// Whether calls of this thread are outside of all regions: the compiler itself is at work.
bool is_outside();

// Whether this thread is importing a module: what runs meanwhile runs once, and is not a candidate.
bool is_importing();

// The compiled form of the function; null when there is none.
Ref compiled_form(PyObject *function);

// Asks the region's callback about a function that is called with these values, or about one with
// a compiled form, with None; false with an exception.
bool ask(PyObject *function, Ref values);

// Whether a call lies so deep that it should not use more C stack than Python would.
bool is_deep(PyThreadState *thread);

// The function is gone.
void forget(PyObject *function);

// Has install_hook() called when the program makes its first array; false with an exception.
bool await_first_array();
void stop_awaiting_array();

// The frames that ran when the first array was made, as a list of (code, globals); empty after.
PyObject *take_first_frames();

// From the first array on until the last region is left: has the callback of `sample_with` called
// now and then.
void start_sampling();
void stop_sampling();

// Finds where importlib notes what is being imported; false with an exception.
bool watch_imports();

// Of the hook: called when the first region is entered (false with an exception), ...
bool prepare_hook();
// ... when the program makes its first array there, ...
void install_hook();
// ... and after the last region was left.
void uninstall_hook();
// From the first array on: whether calls are watched, which costs each of them; and how many were
// seen until now, and how many of these were timed.
struct CallsSeen {
    long long all = 0, timed = 0;
};
void watch_calls(bool is_on);
CallsSeen calls_seen();

}  // namespace regions

// While this lives, the thread is in no region, and no function of it is intercepted; floating-point
// flags that are raised meanwhile are forgotten.
class OutsideRegions {
public:
    OutsideRegions();
    ~OutsideRegions();
    OutsideRegions(const OutsideRegions &) = delete;

private:
    KeptFpFlags kept;
};

// While this lives, the compiler is at work in the middle of the program. If it is hidden, nobody is
// told of the lines that run.
class CompilerWorks {
public:
    explicit CompilerWorks(bool is_hidden) : thread(is_hidden ? PyThreadState_Get() : nullptr) {
        if (thread) PyThreadState_EnterTracing(thread);
    }
    ~CompilerWorks() {
        if (thread) PyThreadState_LeaveTracing(thread);
    }
    CompilerWorks(const CompilerWorks &) = delete;

private:
    regions::Working time{regions::compiled_time}, compiling{regions::compiler_time};
    OutsideRegions outside;
    SignalsWait signals;
    CollectionWaits collection;
    PyThreadState *thread;
};

// Calls a plain function without being intercepted.
PyObject *run_plain(PyObject *function, PyObject *const *args, size_t nargsf, PyObject *kwnames);
