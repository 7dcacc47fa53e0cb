// What was decided about the functions of a region.
#include "interpreter/regions.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "base/recursion.h"
#include "base/stack.h"
#include "base/stopwatch.h"

vectorcallfunc plain_vectorcall = nullptr;

namespace {

using regions::CodeNote, regions::make_note, regions::note_of;

// A region that the program is in.
struct Region {
    PyObject *callback;
    uint64_t epoch;          // decisions of the same callback carry the same number
    Region *outer;
};

// What a callback said about one function.
struct Decision {
    PyObject *target;        // owned by the function, whose traversal visits it; null: being asked
    PyObject *code;          // borrowed: only compared
    uint64_t epoch;
};

constexpr intptr_t DEEP_STACK = 192 << 10;  // bytes of C stack below the shallowest candidate
constexpr int FEW_C_CALLS = 150;

Region *region = nullptr;
thread_local int outside = 0;
thread_local intptr_t stack_base = 0;

PyObject *last_callback = nullptr;
uint64_t last_epoch = 0;
std::unordered_map<PyObject *, Decision> decisions;
traverseproc plain_traverse = nullptr;

PyObject *code_of(PyObject *function) { return PyFunction_GET_CODE(function); }

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
        regions::version_of(code) = note->version;
        drop_forms(code);
    } else {
        note->has_compiled = true;
        decide(function, answer, epoch);
    }
    return true;
}

}  // namespace

namespace regions {

// A tracer, profiler or debugger counts on seeing every line run.
bool is_open(PyThreadState *thread) {
    return region && !outside && !thread->c_tracefunc && !thread->c_profilefunc &&
           !is_monitored();
}

bool is_outside() { return outside || !region; }

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
    regions::present_epoch = last_epoch;
    regions::forget_left_alone();
    Py_RETURN_NONE;
}

PyObject *leave_region(PyObject *, PyObject *) {
    Region *left = region;
    if (!left) {
        PyErr_SetString(PyExc_RuntimeError, "the program is in no region");
        return nullptr;
    }
    region = left->outer;
    regions::present_epoch = region ? region->epoch : 0;
    regions::forget_left_alone();
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
    if (!regions::drop_note(code)) return nullptr;
    drop_forms(code);
    Py_RETURN_NONE;
}

PyObject *calls_of_code(PyObject *, PyObject *code) {
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "calls_of_code() needs a code object");
        return nullptr;
    }
    CodeNote *note = note_of(code);
    if (!note) return Py_BuildValue("LLLLLL", 0LL, 0LL, 0LL, 0LL, 0LL, 0LL);
    return Py_BuildValue("LLLLLL", static_cast<long long>(note->calls),
                         static_cast<long long>(note->ran), static_cast<long long>(note->nested),
                         static_cast<long long>(note->compiled_calls),
                         static_cast<long long>(note->compiled_ran),
                         static_cast<long long>(note->outermost_calls));
}

PyObject *time_in_compiled(PyObject *, PyObject *) {
    return Py_BuildValue("LL", static_cast<long long>(nanoseconds()),
                         static_cast<long long>(regions::compiled_time.total));
}

PyObject *review_after(PyObject *, PyObject *args) {
    PyObject *code;
    long long calls;
    if (!PyArg_ParseTuple(args, "O!L:review_after", &PyCode_Type, &code, &calls)) return nullptr;
    if (!region) Py_RETURN_NONE;
    CodeNote *note = make_note(code, region->epoch);
    if (!note) return nullptr;
    note->review = calls > 0 ? note->compiled_calls + calls : regions::NEVER;
    Py_RETURN_NONE;
}

PyObject *credit_code(PyObject *, PyObject *args) {
    PyObject *code;
    long long duration;
    if (!PyArg_ParseTuple(args, "O!L:credit_code", &PyCode_Type, &code, &duration)) return nullptr;
    if (CodeNote *note = note_of(code)) note->due -= std::min<int64_t>(duration, note->due);
    Py_RETURN_NONE;
}

PyObject *watch_calls(PyObject *, PyObject *is_on) {
    int wanted = PyObject_IsTrue(is_on);
    if (wanted < 0) return nullptr;
    if (region) regions::watch_calls(wanted);
    Py_RETURN_NONE;
}

PyObject *calls_seen(PyObject *, PyObject *) {
    regions::CallsSeen seen = regions::calls_seen();
    return Py_BuildValue("LL", seen.all, seen.timed);
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

PyObject *call_outside(PyObject *, PyObject *const *args, Py_ssize_t nargs) {
    if (nargs < 1) {
        PyErr_SetString(PyExc_TypeError, "call_outside() needs a callable");
        return nullptr;
    }
    CompilerWorks works(true);
    return PyObject_Vectorcall(args[0], args + 1, nargs - 1, nullptr);
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
    {"credit_code", credit_code, METH_VARARGS,
     "credit_code(code, nanoseconds, /)\n--\n\n"
     "Functions of this code ran for so long while calls were not watched: the callback is asked\n"
     "about them so much sooner."},
    {"watch_calls", watch_calls, METH_O,
     "watch_calls(is_on, /)\n--\n\n"
     "Whether calls are watched from here on: else candidates run in Python, and the callback is not\n"
     "asked. Those that have a compiled form go on with it, but for Python 3.11."},
    {"calls_seen", calls_seen, METH_NOARGS,
     "calls_seen()\n--\n\n"
     "How many calls were watched until now, and how many of these were timed. On Python 3.11 all\n"
     "calls are watched; on later ones those of candidates."},
    {"first_frames", first_frames, METH_NOARGS,
     "first_frames()\n--\n\n"
     "Code and globals of the frames that ran when the program made its first array, innermost\n"
     "first: their calls were not seen. Asked again, nothing."},
    {"calls_of_code", calls_of_code, METH_O,
     "calls_of_code(code, /)\n--\n\n"
     "How often candidates of this code ran in Python, for how many nanoseconds, of which so many in\n"
     "compiled forms that they called; how often and how long they ran compiled, and how often not\n"
     "inside of other compiled forms. The time of the compiler is left out."},
    {"call_outside",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_outside)), METH_FASTCALL,
     "call_outside(callable, /, *args)\n--\n\n"
     "Calls it in no region: what it calls is no candidate."},
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
    if (!plain_vectorcall || !regions::prepare_notes()) return -1;
    return PyModule_AddFunctions(module, functions);
}
