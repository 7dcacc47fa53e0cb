// What was decided about the functions of a region.
#include "interpreter/regions.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "interpreter/interpreter.h"
#include "base/recursion.h"
#include "base/stack.h"
#include "base/stopwatch.h"

vectorcallfunc plain_vectorcall = nullptr;

namespace {

// A region that the program is in.
struct Region {
    PyObject *callback;
    uint64_t epoch;          // decisions of the same callback carry the same number
    Region *outer;
};

// What is known about all functions of a code object; kept in its extra slot.
struct CodeNote {
    uint64_t epoch;
    bool is_left_alone;      // later functions are not asked about
    bool has_compiled;       // some functions have a compiled form
    int64_t ran, due;        // nanoseconds in Python: so far, and when to ask again
    int64_t calls;           // in Python
    int64_t nested;          // nanoseconds of `ran` in compiled forms and in the compiler
    int64_t compiled_ran, compiled_calls;
    int64_t review;          // number of compiled calls at which to ask again
    uint32_t version;        // of the code; call sites trust functions with a version blindly
};

// What a callback said about one function.
struct Decision {
    PyObject *target;        // owned by the function, whose traversal visits it; null: being asked
    PyObject *code;          // borrowed: only compared
    uint64_t epoch;
};

constexpr intptr_t DEEP_STACK = 192 << 10;  // bytes of C stack below the shallowest candidate
constexpr int FEW_C_CALLS = 150;
constexpr int64_t NEVER = INT64_MAX;

Region *region = nullptr;
thread_local int64_t time_apart = 0;
thread_local bool is_time_apart = false;
thread_local int outside = 0;
thread_local intptr_t stack_base = 0;

PyObject *last_callback = nullptr;
uint64_t last_epoch = 0;
Py_ssize_t extra_index = -1;
std::unordered_map<PyObject *, Decision> decisions;
traverseproc plain_traverse = nullptr;

PyObject *code_of(PyObject *function) { return PyFunction_GET_CODE(function); }

// -- notes of code objects

#if PY_VERSION_HEX < 0x030C0000
inline Py_ssize_t PyUnstable_Eval_RequestCodeExtraIndex(freefunc release) {
    return _PyEval_RequestCodeExtraIndex(release);
}
inline int PyUnstable_Code_GetExtra(PyObject *code, Py_ssize_t index, void **extra) {
    return _PyCode_GetExtra(code, index, extra);
}
inline int PyUnstable_Code_SetExtra(PyObject *code, Py_ssize_t index, void *extra) {
    return _PyCode_SetExtra(code, index, extra);
}
#endif

uint32_t &version_of(PyObject *code) {
#if PY_VERSION_HEX >= 0x030C0000
    return reinterpret_cast<PyCodeObject *>(code)->co_version;
#else
    static uint32_t none = 0;
    return none;
#endif
}

// The code that was last found to be left alone, and its note: most new functions are closures of
// the code of the one before.
CodeNote *alone_note = nullptr;

void forget_alone() { regions::left_alone = nullptr, alone_note = nullptr; }

void free_note(void *note) {
    if (note == alone_note) forget_alone();
    delete static_cast<CodeNote *>(note);
}

// The note of this region, or null.
CodeNote *note_of(PyObject *code) {
    void *extra = nullptr;
    if (PyUnstable_Code_GetExtra(code, extra_index, &extra) < 0) PyErr_Clear();
    auto note = static_cast<CodeNote *>(extra);
    return note && region && note->epoch == region->epoch ? note : nullptr;
}

// The note, made where there is none; null with an exception.
CodeNote *make_note(PyObject *code, uint64_t epoch) {
    if (CodeNote *known = note_of(code)) return known;
    auto note = new CodeNote{epoch, false, false, 0, 0, 0, 0, 0, 0, NEVER, version_of(code)};
    if (PyUnstable_Code_SetExtra(code, extra_index, note) == 0) return note;
    delete note;
    return nullptr;
}

// -- decisions about functions

void drop(std::unordered_map<PyObject *, Decision>::iterator position) {
    PyObject *target = position->second.target;
    decisions.erase(position);
    Py_XDECREF(target);
}

// A compiled form may refer to what refers to its function; the collector must see the whole cycle.
int traverse_function(PyObject *function, visitproc visit, void *arg) {
    if (!decisions.empty()) {
        auto found = decisions.find(function);
        if (found != decisions.end()) Py_VISIT(found->second.target);
    }
    return plain_traverse(function, visit, arg);
}

void decide(PyObject *function, PyObject *target, uint64_t epoch) {
    if (!plain_traverse) {
        plain_traverse = std::exchange(PyFunction_Type.tp_traverse, traverse_function);
    }
    PyObject *old = std::exchange(
        decisions[function], Decision{Py_XNewRef(target), code_of(function), epoch}).target;
    Py_XDECREF(old);
}

// Has the callback asked again when functions of the code have run for so long.
bool keep_waiting(PyObject *code, uint64_t epoch, PyObject *duration) {
    int64_t wanted = PyLong_AsLongLong(duration);
    if (wanted == -1 && PyErr_Occurred()) return false;
    CodeNote *note = make_note(code, epoch);
    if (note) note->due = note->ran + wanted;
    return note;
}

// Forgets the compiled forms of all functions of a code object.
void drop_forms(PyObject *code) {
    for (auto position = decisions.begin(); position != decisions.end();) {
        auto here = position++;
        if (here->second.code == code && here->second.target) {
            drop(here);
            position = decisions.begin();  // the end of a target may have changed the table
        }
    }
}

// Keeps what the callback said about a function that had this code; false with an exception.
bool keep_answer(PyObject *function, PyObject *code, uint64_t epoch, PyObject *answer) {
    if (answer == Py_NotImplemented || answer == Py_True) return true;
    if (PyLong_CheckExact(answer)) return !region || keep_waiting(code, epoch, answer);
    if (!Py_IsNone(answer) && !is_compiled_function(answer)) {
        PyErr_Format(PyExc_TypeError, "%R is not the compiled form of %R", answer, function);
        return false;
    }
    if (code != code_of(function) || !region || epoch != region->epoch) return true;
    CodeNote *note = make_note(code, epoch);
    if (!note) return false;
    if (Py_IsNone(answer)) {
        note->is_left_alone = true;
        note->has_compiled = false;
        version_of(code) = note->version;
        drop_forms(code);
    } else {
        note->has_compiled = true;
        decide(function, answer, epoch);
    }
    return true;
}

}  // namespace

namespace regions {

PyObject *left_alone = nullptr;

// A tracer, profiler or debugger counts on seeing every line run.
bool is_open(PyThreadState *thread) {
    return region && !outside && !thread->c_tracefunc && !thread->c_profilefunc &&
           !is_monitored();
}

bool is_outside() { return outside || !region; }

bool is_candidate(PyObject *code) {
    if (!region) return false;
    CodeNote *note = note_of(code);
    return !note || !note->is_left_alone;
}

bool is_due(PyObject *code) {
    CodeNote *note = note_of(code);
    return !note || note->ran >= note->due;
}

bool is_reviewed(PyObject *code) {
    CodeNote *note = note_of(code);
    return note && note->compiled_calls >= note->review && note->ran >= note->due;
}

TimeApart::TimeApart() : begin(std::exchange(is_time_apart, true) ? 0 : nanoseconds()) {}

TimeApart::~TimeApart() {
    if (!begin) return;
    time_apart += nanoseconds() - begin;
    is_time_apart = false;
}

int64_t TimeApart::total() { return time_apart; }

int64_t Runs::counted() const {
    CodeNote *note = note_of(code.get());
    return note ? note->ran + note->compiled_ran : 0;
}

int64_t Runs::nested() const {
    CodeNote *note = note_of(code.get());
    return note ? note->nested : 0;
}

Runs::Runs(PyObject *code, bool is_compiled)
    : code(Ref::borrow(code)), begin(nanoseconds() - counted()),
      nested_begin(TimeApart::total() - nested()) {
    if (is_compiled) compiled.emplace();
}

// What a call of the same code inside of this one took is counted already.
Runs::~Runs() {
    int64_t end = nanoseconds();
    CodeNote *note = note_of(code.get());
    if (!note) return;
    int64_t took = std::max<int64_t>(end - counted() - begin, 0);
    (compiled ? note->compiled_ran : note->ran) += took;
    ++(compiled ? note->compiled_calls : note->calls);
    if (compiled) return;
    note->nested += std::max<int64_t>(TimeApart::total() - nested() - nested_begin, 0);
}

void Runs::in_python() {
    compiled.reset();
    begin = nanoseconds() - counted();
    nested_begin = TimeApart::total() - nested();
}

bool expect_functions(PyObject *code) {
    if (outside || !region) return false;
    if (CodeNote *note = note_of(code); note && note->is_left_alone) {
        left_alone = code;
        alone_note = note;
        return false;
    }
    if (!make_note(code, region->epoch)) return PyErr_Clear(), false;
    version_of(code) = 0;
    return true;
}

bool may_intercept(PyObject *code) {
    CodeNote *note = note_of(code);
    return !note || !note->is_left_alone || note->has_compiled;
}

Ref compiled_form(PyObject *function) {
    auto found = decisions.find(function);
    if (found == decisions.end() || !region) return Ref();
    const Decision &decision = found->second;
    bool applies = decision.epoch == region->epoch && decision.code == code_of(function);
    return applies ? Ref::borrow(decision.target) : Ref();
}

bool ask(PyObject *function, Ref values) {
    auto found = decisions.find(function);
    uint64_t epoch = region->epoch;
    if (found != decisions.end() && found->second.epoch == epoch && !found->second.target) {
        return true;  // another thread is asking
    }
    Ref callback = Ref::borrow(region->callback), code = Ref::borrow(code_of(function));
    Ref present = compiled_form(function);
    if (!values) return false;
    decide(function, nullptr, epoch);
    Ref answer;
    {
        CompilerWorks works(true);
        answer = Ref(PyObject_CallFunctionObjArgs(callback.get(), function, values.get(), nullptr));
        forget(function);
    }
    if (present && answer && PyLong_Check(answer.get())) decide(function, present.get(), epoch);
    return answer && keep_answer(function, code.get(), epoch, answer.get());
}

bool is_deep(PyThreadState *thread) {
    char here;
    auto address = reinterpret_cast<intptr_t>(&here);
    stack_base = std::max(stack_base, address);
    return stack_base - address > DEEP_STACK || is_stack_low() ||
           recursion::c_calls_left(thread) < FEW_C_CALLS;
}

void forget(PyObject *function) {
    if (decisions.empty()) return;
    auto found = decisions.find(function);
    if (found != decisions.end()) drop(found);
}

}  // namespace regions

OutsideRegions::OutsideRegions() { ++outside; }

OutsideRegions::~OutsideRegions() { --outside; }

// -- Python functions

namespace {

// The C library gives freed memory back to the system as long as it has not seen a large block
// freed, and asks for it again: with arrays of some pages, at every operation. It has seen one now.
void keep_freed_memory() {
    void *volatile block = std::malloc(size_t(16) << 20);  // never touched
    std::free(block);
}

PyObject *enter_region(PyObject *, PyObject *callback) {
    if (!PyCallable_Check(callback)) {
        PyErr_SetString(PyExc_TypeError, "enter_region() needs a callable");
        return nullptr;
    }
    bool is_ready = region || (regions::prepare_hook() && regions::watch_imports() &&
                               regions::await_first_array());
    if (!is_ready) return nullptr;
    if (!region) keep_freed_memory();
    if (callback != last_callback) {
        Py_XSETREF(last_callback, Py_NewRef(callback));
        ++last_epoch;
    }
    region = new Region{Py_NewRef(callback), last_epoch, region};
    forget_alone();
    Py_RETURN_NONE;
}

PyObject *leave_region(PyObject *, PyObject *) {
    Region *left = region;
    if (!left) {
        PyErr_SetString(PyExc_RuntimeError, "the program is in no region");
        return nullptr;
    }
    region = left->outer;
    forget_alone();
    if (!region) {
        regions::stop_awaiting_array();
        regions::uninstall_hook();
        regions::stop_sampling();
    }
    Py_DECREF(left->callback);
    delete left;
    Py_RETURN_NONE;
}

PyObject *forget_code(PyObject *, PyObject *code) {
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "forget_code() needs a code object");
        return nullptr;
    }
    if (PyUnstable_Code_SetExtra(code, extra_index, nullptr) < 0) return nullptr;
    drop_forms(code);
    Py_RETURN_NONE;
}

PyObject *calls_of_code(PyObject *, PyObject *code) {
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "calls_of_code() needs a code object");
        return nullptr;
    }
    CodeNote *note = note_of(code);
    if (!note) return Py_BuildValue("LLLLL", 0LL, 0LL, 0LL, 0LL, 0LL);
    return Py_BuildValue("LLLLL", static_cast<long long>(note->calls),
                         static_cast<long long>(note->ran), static_cast<long long>(note->nested),
                         static_cast<long long>(note->compiled_calls),
                         static_cast<long long>(note->compiled_ran));
}

PyObject *time_in_compiled(PyObject *, PyObject *) {
    return Py_BuildValue("LL", static_cast<long long>(nanoseconds()),
                         static_cast<long long>(regions::TimeApart::total()));
}

PyObject *review_after(PyObject *, PyObject *args) {
    PyObject *code;
    long long calls;
    if (!PyArg_ParseTuple(args, "O!L:review_after", &PyCode_Type, &code, &calls)) return nullptr;
    if (!region) Py_RETURN_NONE;
    CodeNote *note = make_note(code, region->epoch);
    if (!note) return nullptr;
    note->review = calls > 0 ? note->compiled_calls + calls : NEVER;
    Py_RETURN_NONE;
}

PyObject *first_frames(PyObject *, PyObject *) { return regions::take_first_frames(); }

// Where the thread keeps the frame that runs now.
auto &current_frame(PyThreadState *thread) {
#if PY_VERSION_HEX >= 0x030D0000
    return thread->current_frame;
#else
    return thread->cframe->current_frame;
#endif
}

PyObject *call_at_bottom(PyObject *, PyObject *const *args, Py_ssize_t nargs) {
    if (nargs < 1) {
        PyErr_SetString(PyExc_TypeError, "call_at_bottom() needs a callable");
        return nullptr;
    }
    PyThreadState *thread = PyThreadState_Get();
    auto below = std::exchange(current_frame(thread), nullptr);
    int depth = recursion::start_at_depth_zero(thread);
    PyObject *result = PyObject_Vectorcall(args[0], args + 1, nargs - 1, nullptr);
    recursion::calls_left(thread) -= depth;
    current_frame(thread) = below;
    return result;
}

PyMethodDef functions[] = {
    {"enter_region", enter_region, METH_O,
     "enter_region(callback, /)\n--\n\n"
     "From here on callback(function, values) is asked about functions of the program that are\n"
     "called. It answers with a CompiledFunction that is called instead, for this function; with\n"
     "None to run all functions of this code as they are; NotImplemented, to be asked again; or an\n"
     "int, to be asked again when functions of this code have run for so many nanoseconds. It is\n"
     "given None in place of the values where the function has a compiled form."},
    {"leave_region", leave_region, METH_NOARGS,
     "leave_region()\n--\n\nLeaves the region that was entered last."},
    {"forget_code", forget_code, METH_O,
     "forget_code(code, /)\n--\n\nForgets what a callback answered about functions of this code."},
    {"time_in_compiled", time_in_compiled, METH_NOARGS,
     "time_in_compiled()\n--\n\n"
     "The time now, and how much of it this thread has spent in compiled forms of candidates and in\n"
     "the compiler, in nanoseconds."},
    {"review_after", review_after, METH_VARARGS,
     "review_after(code, calls, /)\n--\n\n"
     "Has the region's callback asked about candidates of this code again when they have run\n"
     "compiled so many times more, and from then on until this is called again; 0 is never. It\n"
     "answers True to go on, a number of nanoseconds to run in Python meanwhile, or None."},
    {"first_frames", first_frames, METH_NOARGS,
     "first_frames()\n--\n\n"
     "Code and globals of the frames that ran when the program made its first array, innermost\n"
     "first: their calls were not seen. Asked again, nothing."},
    {"calls_of_code", calls_of_code, METH_O,
     "calls_of_code(code, /)\n--\n\n"
     "How often candidates of this code ran in Python, for how many nanoseconds, of which so many in\n"
     "compiled forms that they called and in the compiler; and how often and how long they ran\n"
     "compiled (compiling included)."},
    {"call_at_bottom",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_at_bottom)), METH_FASTCALL,
     "call_at_bottom(callable, /, *args)\n--\n\n"
     "Calls it as the interpreter calls a script: with no Python frame below."},
    {nullptr, nullptr, 0, nullptr},
};

// The interpreter's own way to call a function, read off a fresh one.
vectorcallfunc find_plain_vectorcall() {
    Ref code(reinterpret_cast<PyObject *>(PyCode_NewEmpty("", "", 0))), globals(PyDict_New());
    if (!code || !globals) return nullptr;
    Ref function(PyFunction_New(code.get(), globals.get()));
    return function ? reinterpret_cast<PyFunctionObject *>(function.get())->vectorcall : nullptr;
}

}  // namespace

int add_regions(PyObject *module) {
    plain_vectorcall = find_plain_vectorcall();
    if (!plain_vectorcall) return -1;
    extra_index = PyUnstable_Eval_RequestCodeExtraIndex(free_note);
    if (extra_index < 0) {
        PyErr_SetString(PyExc_RuntimeError, "no room for data of code objects");
        return -1;
    }
    return PyModule_AddFunctions(module, functions);
}
