// Regions: while a thread is in one, every function that starts may run replacement code.
//
// The interpreter's frame evaluation hook (PEP 523) costs every call of every thread, and C stack
// for each level of recursion, so it is installed only while some thread is in a region, taken out
// while a callback runs, and steps aside when the stack is getting deep.
#include "frame_hook.h"

#include <algorithm>

#include "frame_layout.h"

vectorcallfunc plain_vectorcall = nullptr;
int installed_regions = 0;

#if DYNAMO_LITE_HAS_FRAMES

using frames::Layout;

namespace {

// A region that this thread is in.
struct Region {
    PyObject *callback;
    uint64_t epoch;          // decisions of the same callback carry the same number
    Region *outer;
};

// What a callback said about a code object; kept in the code object's extra slot.
struct Decision {
    uint64_t epoch;
    PyObject *replacement;   // null: run it as it is, whichever function runs it
    PyObject *function;      // the one that was asked about, borrowed: only compared
    PyObject *globals;       // its globals, borrowed
};

constexpr intptr_t DEEP_STACK = 192 << 10;  // bytes of C stack below the shallowest hooked frame
constexpr int FEW_C_CALLS = 150;

thread_local Region *region = nullptr;
thread_local PyObject *unhooked = nullptr;  // the function whose next frame runs as it is
thread_local intptr_t stack_base = 0;

PyObject *last_callback = nullptr;
uint64_t last_epoch = 0;
Py_ssize_t extra_index = -1;
_PyFrameEvalFunction evaluate_plain = _PyEval_EvalFrameDefault;

PyObject *evaluate(PyThreadState *thread, struct _PyInterpreterFrame *raw, int throwing);

Layout *layout_of(struct _PyInterpreterFrame *raw) { return reinterpret_cast<Layout *>(raw); }

// -- installing

void install() {
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    _PyFrameEvalFunction present = _PyInterpreterState_GetEvalFrameFunc(interpreter);
    if (present == evaluate) return;
    evaluate_plain = present;
    _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
}

void uninstall() {
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    if (_PyInterpreterState_GetEvalFrameFunc(interpreter) != evaluate) return;
    _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate_plain);
}

void add_region() {
    if (installed_regions++ == 0) install();
}

void drop_region() {
    if (--installed_regions == 0) uninstall();
}

// -- decisions

void free_decision(void *memory) {
    auto decision = static_cast<Decision *>(memory);
    if (!decision) return;
    Py_XDECREF(decision->replacement);
    delete decision;
}

Decision *decision_of(PyObject *code) {
    void *extra = nullptr;
    if (PyUnstable_Code_GetExtra(code, extra_index, &extra) < 0) PyErr_Clear();
    return static_cast<Decision *>(extra);
}

bool remember(PyObject *code, uint64_t epoch, PyObject *replacement, PyObject *function) {
    auto decision = new Decision{epoch, Py_XNewRef(replacement), function,
                                 PyFunction_GET_GLOBALS(function)};
    if (PyUnstable_Code_SetExtra(code, extra_index, decision) == 0) return true;
    free_decision(decision);
    return false;
}

// -- replacing

int n_arguments(PyCodeObject *code) {
    return code->co_argcount + code->co_kwonlyargcount + !!(code->co_flags & CO_VARARGS) +
           !!(code->co_flags & CO_VARKEYWORDS);
}

constexpr int FUNCTION_FLAGS = CO_OPTIMIZED | CO_NEWLOCALS;
constexpr int GENERATOR_FLAGS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR |
                                CO_ITERABLE_COROUTINE;
constexpr int SHAPE_FLAGS = FUNCTION_FLAGS | GENERATOR_FLAGS | CO_VARARGS | CO_VARKEYWORDS;

// Whether a frame of `code` may run `replacement` instead: its arguments and free variables lie in
// the same places.
bool can_replace(PyCodeObject *code, PyCodeObject *replacement) {
    return code->co_argcount == replacement->co_argcount &&
           code->co_kwonlyargcount == replacement->co_kwonlyargcount &&
           code->co_nfreevars == replacement->co_nfreevars &&
           (code->co_flags & SHAPE_FLAGS) == (replacement->co_flags & SHAPE_FLAGS);
}

// Makes room on the data stack for the larger replacement of a frame of `size` words; false when
// the frame is not the last one or the chunk is full.
bool extend(PyThreadState *thread, Layout *frame, int size, PyCodeObject *replacement) {
    int more = frames::size_of(replacement) - size;
    if (more <= 0) return true;
    PyObject **end = reinterpret_cast<PyObject **>(frame) + size;
    if (end != thread->datastack_top || more >= thread->datastack_limit - end) return false;
    thread->datastack_top += more;
    return true;
}

// Puts the replacement into a frame that has not started, whose arguments stay where they are.
void swap_code(Layout *frame, PyCodeObject *replacement) {
    PyCodeObject *code = frames::code_of(frame);
    int n = replacement->co_nlocalsplus;
    for (int i = code->co_nlocalsplus; i < n; ++i) frame->localsplus[i] = nullptr;
    frame->stacktop = n;
    frame->code = Py_NewRef(reinterpret_cast<PyObject *>(replacement));
    frame->instruction = frames::entry_of(replacement);
    Py_DECREF(code);
}

PyObject *run_replacement(PyThreadState *thread, struct _PyInterpreterFrame *raw, int size,
                          PyObject *replacement) {
    auto code = reinterpret_cast<PyCodeObject *>(replacement);
    if (!extend(thread, layout_of(raw), size, code)) return evaluate_plain(thread, raw, 0);
    swap_code(layout_of(raw), code);
    ++frames::calls_left(thread);  // what it calls is to be at the depth of the function it replaces
    PyObject *result = evaluate_plain(thread, raw, 0);
    --frames::calls_left(thread);
    return result;
}

// -- asking

PyObject *flat_arguments(Layout *frame) {
    int n = n_arguments(frames::code_of(frame));
    PyObject *arguments = PyTuple_New(n);
    for (int i = 0; arguments && i < n; ++i) {
        PyTuple_SET_ITEM(arguments, i, Py_NewRef(frame->localsplus[i]));
    }
    return arguments;
}

// Calls the region's callback, outside of all regions of this thread and unseen by its tracers.
Ref call_back(PyThreadState *thread, Region *here, Layout *frame) {
    Ref arguments(flat_arguments(frame)), callback = Ref::borrow(here->callback);
    if (!arguments) return Ref();
    OutsideRegions outside;
    PyThreadState_EnterTracing(thread);
    Ref answer(PyObject_CallFunctionObjArgs(callback.get(), frame->function, arguments.get(),
                                            nullptr));
    PyThreadState_LeaveTracing(thread);
    return answer;
}

// Keeps what the callback said; false with an exception.
bool keep_answer(Layout *frame, uint64_t epoch, PyObject *answer) {
    PyObject *code = frame->code;
    if (Py_IsNone(answer)) return remember(code, epoch, nullptr, frame->function);
    auto original = reinterpret_cast<PyCodeObject *>(code);
    auto replacement = reinterpret_cast<PyCodeObject *>(answer);
    if (!PyCode_Check(answer) || !can_replace(original, replacement)) {
        PyErr_Format(PyExc_TypeError, "%R cannot run in place of %R", answer, code);
        return false;
    }
    if (!remember(code, epoch, answer, frame->function)) return false;
    int more = frames::size_of(replacement) - frames::size_of(original);
    if (more > 0) frames::grow(original, more);
    return true;
}

PyObject *ask(PyThreadState *thread, struct _PyInterpreterFrame *raw, Region *here) {
    Layout *frame = layout_of(raw);
    int size = frames::size_of(frames::code_of(frame));  // of this frame; the code may grow
    uint64_t epoch = here->epoch;
    Ref answer = call_back(thread, here, frame);
    if (!answer) return evaluate_plain(thread, raw, 1);
    if (answer.get() == Py_NotImplemented) return evaluate_plain(thread, raw, 0);
    if (!keep_answer(frame, epoch, answer.get())) return evaluate_plain(thread, raw, 1);
    if (Py_IsNone(answer.get())) return evaluate_plain(thread, raw, 0);
    return run_replacement(thread, raw, size, answer.get());
}

// Whether a decision is about this frame too: its function is the one that was asked about, or
// another one of the same code that sees the same globals and no free variables.
bool applies(const Decision *decision, Layout *frame, const Region *here) {
    if (decision->epoch != here->epoch) return false;
    if (!decision->replacement || decision->function == frame->function) return true;
    return decision->globals == frame->globals && !frames::code_of(frame)->co_nfreevars;
}

// -- the hook

PyObject *get_monitoring_tool = nullptr;  // sys.monitoring.get_tool, where there is one

// Whether a debugger, coverage tool or profiler (tools 0 to 2) of sys.monitoring is there.
bool is_monitored() {
    for (long tool = 0; get_monitoring_tool && tool < 3; ++tool) {
        Ref id(PyLong_FromLong(tool));
        Ref name(PyObject_CallOneArg(get_monitoring_tool, id.get()));
        if (!name) PyErr_Clear();
        if (name && !Py_IsNone(name.get())) return true;
    }
    return false;
}

// Whether a tracer, profiler or debugger counts on seeing every line run.
bool is_watched(PyThreadState *thread) {
    return thread->c_tracefunc || thread->c_profilefunc || is_monitored();
}

bool find_monitoring() {
    PyObject *monitoring = PySys_GetObject("monitoring");
    if (monitoring) get_monitoring_tool = PyObject_GetAttrString(monitoring, "get_tool");
    return !monitoring || get_monitoring_tool;
}

bool is_deep(PyThreadState *thread) {
    char here;
    auto address = reinterpret_cast<intptr_t>(&here);
    stack_base = std::max(stack_base, address);
    return stack_base - address > DEEP_STACK || frames::c_calls_left(thread) < FEW_C_CALLS;
}

// Without the hook the interpreter runs Python calls without using C stack.
PyObject *step_aside(PyThreadState *thread, struct _PyInterpreterFrame *raw, int throwing) {
    uninstall();
    PyObject *result = evaluate_plain(thread, raw, throwing);
    if (installed_regions) install();
    return result;
}

// A function that starts now. (Generators come here again at each resumption.)
bool is_start_of_function(Layout *frame) {
    PyCodeObject *code = frames::code_of(frame);
    return frame->owner == frames::BY_THREAD && PyCode_Check(frame->code) &&
           (code->co_flags & FUNCTION_FLAGS) == FUNCTION_FLAGS &&
           !(code->co_flags & GENERATOR_FLAGS) && frame->instruction == frames::entry_of(code);
}

PyObject *evaluate(PyThreadState *thread, struct _PyInterpreterFrame *raw, int throwing) {
    Layout *frame = layout_of(raw);
    bool is_unhooked = std::exchange(unhooked, nullptr) == frame->function;
    if (is_deep(thread)) return step_aside(thread, raw, throwing);
    Region *here = region;
    if (!here || throwing || is_unhooked || !is_start_of_function(frame)) {
        return evaluate_plain(thread, raw, throwing);
    }
    Decision *decision = decision_of(frame->code);
    bool is_decided = decision && applies(decision, frame, here);
    if ((is_decided && !decision->replacement) || is_watched(thread)) {
        return evaluate_plain(thread, raw, 0);
    }
    if (!is_decided) return ask(thread, raw, here);
    Ref replacement = Ref::borrow(decision->replacement);
    return run_replacement(thread, raw, frames::size_of(frames::code_of(frame)),
                           replacement.get());
}

// -- Python functions

PyObject *enter_region(PyObject *, PyObject *callback) {
    if (!PyCallable_Check(callback)) {
        PyErr_SetString(PyExc_TypeError, "enter_region() needs a callable");
        return nullptr;
    }
    if (callback != last_callback) {
        Py_XSETREF(last_callback, Py_NewRef(callback));
        ++last_epoch;
    }
    region = new Region{Py_NewRef(callback), last_epoch, region};
    add_region();
    Py_RETURN_NONE;
}

PyObject *leave_region(PyObject *, PyObject *) {
    Region *left = region;
    if (!left) {
        PyErr_SetString(PyExc_RuntimeError, "this thread is in no region");
        return nullptr;
    }
    region = left->outer;
    drop_region();
    Py_DECREF(left->callback);
    delete left;
    Py_RETURN_NONE;
}

PyObject *forget_frame(PyObject *, PyObject *code) {
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "forget_frame() needs a code object");
        return nullptr;
    }
    if (PyUnstable_Code_SetExtra(code, extra_index, nullptr) < 0) return nullptr;
    Py_RETURN_NONE;
}

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
    int depth = frames::start_at_depth_zero(thread);
    PyObject *result = PyObject_Vectorcall(args[0], args + 1, nargs - 1, nullptr);
    frames::calls_left(thread) -= depth;
    current_frame(thread) = below;
    return result;
}

bool prepare() {
    if (!find_monitoring()) return false;
    extra_index = PyUnstable_Eval_RequestCodeExtraIndex(free_decision);
    if (extra_index < 0) PyErr_SetString(PyExc_RuntimeError, "no room for data of code objects");
    return extra_index >= 0;
}

}  // namespace

OutsideRegions::OutsideRegions() : left(std::exchange(region, nullptr)) {
    if (left) drop_region();
}

OutsideRegions::~OutsideRegions() {
    if (!left) return;
    region = static_cast<Region *>(left);
    add_region();
}

PyObject *run_outside_regions(PyObject *function, PyObject *const *args, size_t nargsf,
                              PyObject *kwnames) {
    unhooked = function;
    PyObject *result = plain_vectorcall(function, args, nargsf, kwnames);
    unhooked = nullptr;
    return result;
}

#else

namespace {

PyObject *no_regions(PyObject *, PyObject *) {
    PyErr_SetString(PyExc_RuntimeError, "regions are not available on this version of Python");
    return nullptr;
}
constexpr PyCFunction enter_region = no_regions, leave_region = no_regions,
                      forget_frame = no_regions;

PyObject *call_at_bottom(PyObject *, PyObject *const *args, Py_ssize_t nargs) {
    return nargs ? PyObject_Vectorcall(args[0], args + 1, nargs - 1, nullptr)
                 : no_regions(nullptr, nullptr);
}

bool prepare() { return true; }

}  // namespace

OutsideRegions::OutsideRegions() : left(nullptr) {}

OutsideRegions::~OutsideRegions() {}

PyObject *run_outside_regions(PyObject *function, PyObject *const *args, size_t nargsf,
                              PyObject *kwnames) {
    return plain_vectorcall(function, args, nargsf, kwnames);
}

#endif

namespace {

PyMethodDef functions[] = {
    {"enter_region", enter_region, METH_O,
     "enter_region(callback, /)\n--\n\n"
     "From here on callback(function, flat_args) is asked about functions that start in this\n"
     "thread. It answers with a code object to run in place of the function's, or None to run it\n"
     "as it is, both remembered for the code object; or NotImplemented, to be asked again."},
    {"leave_region", leave_region, METH_NOARGS,
     "leave_region()\n--\n\nLeaves the region that this thread entered last."},
    {"forget_frame", forget_frame, METH_O,
     "forget_frame(code, /)\n--\n\nForgets what a callback answered about this code object."},
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

int add_frame_hook(PyObject *module) {
    plain_vectorcall = find_plain_vectorcall();
    if (!plain_vectorcall || !prepare()) return -1;
    return PyModule_AddFunctions(module, functions);
}
