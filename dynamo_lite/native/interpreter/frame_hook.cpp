// Candidates on Python 3.11: the interpreter's frame evaluation hook (PEP 523) sees every function
// that starts. It costs each call of each thread, so calls are not watched all the time; deep in
// recursion, while a module is imported, and while the compiler is at work, it steps aside, for it
// also costs C stack.
#include "interpreter/regions.h"

#if PY_VERSION_HEX < 0x030C0000

#include "interpreter/frame_layout.h"

using frames::Layout;

namespace {

bool is_wanted = false;  // the program is in a region
bool is_watching = true; // nobody has asked for a pause
regions::CallsSeen seen; // calls of the program
thread_local PyObject *unhooked = nullptr;  // the function whose next frame runs as it is
_PyFrameEvalFunction evaluate_plain = _PyEval_EvalFrameDefault;
destructor plain_dealloc = nullptr;

PyObject *evaluate(PyThreadState *thread, struct _PyInterpreterFrame *raw, int throwing);

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

// -- the hook

// Without the hook the interpreter runs Python calls without using C stack.
PyObject *step_aside(PyThreadState *thread, struct _PyInterpreterFrame *raw, int throwing) {
    uninstall();
    PyObject *result = evaluate_plain(thread, raw, throwing);
    if (is_wanted && is_watching) install();
    return result;
}

// A function that starts now. (Generators come here again at each resumption.)
bool is_start_of_function(Layout *frame) {
    return frame->owner == frames::BY_THREAD && frame->function &&
           regions::is_of_function(frame->code) &&
           frame->instruction == frames::entry_of(frames::code_of(frame));
}

bool is_only_thread(PyThreadState *thread) {
    return !PyThreadState_Next(PyInterpreterState_ThreadHead(thread->interp));
}

// The text of a module that is being imported, while nobody else needs the hook; what it calls is
// not compiled.
bool is_import(PyThreadState *thread, Layout *frame) {
    return !(frames::code_of(frame)->co_flags & CO_OPTIMIZED) &&
           frame->owner == frames::BY_THREAD && frame->locals == frame->globals &&
           regions::is_importing() && is_only_thread(thread);
}

Ref values_of(Layout *frame) {
    PyCodeObject *code = frames::code_of(frame);
    int n = code->co_argcount + code->co_kwonlyargcount + !!(code->co_flags & CO_VARARGS) +
            !!(code->co_flags & CO_VARKEYWORDS);
    Ref values(PyTuple_New(n));
    for (int i = 0; values && i < n; ++i) {
        PyTuple_SET_ITEM(values.get(), i, Py_NewRef(frame->localsplus[i]));
    }
    return values;
}

PyObject *evaluate(PyThreadState *thread, struct _PyInterpreterFrame *raw, int throwing) {
    auto frame = reinterpret_cast<Layout *>(raw);
    bool is_unhooked = std::exchange(unhooked, nullptr) == frame->function;
    if (regions::is_outside() || regions::is_deep(thread) || is_import(thread, frame)) {
        return step_aside(thread, raw, throwing);
    }
    ++seen.all;
    if (throwing || is_unhooked || !is_start_of_function(frame) ||
        !regions::may_intercept(frame->code) || !regions::is_open(thread)) {
        return evaluate_plain(thread, raw, throwing);
    }
    Ref target = regions::compiled_form(frame->function);
    bool is_candidate =
        target || (regions::is_candidate(frame->code) && !regions::is_importing());
    if (target ? regions::is_reviewed(frame->code)
               : is_candidate && regions::is_due(frame->code)) {
        Ref values = target ? Ref::borrow(Py_None) : values_of(frame);
        if (!regions::ask(frame->function, std::move(values))) return nullptr;
        target = regions::compiled_form(frame->function);
    }
    if (!regions::is_due(frame->code)) target = Ref();
    if (is_candidate && !target) {
        ++seen.timed;
        regions::Runs runs(frame->code);
        return evaluate_plain(thread, raw, 0);
    }
    PyObject *result;
    auto compiled = reinterpret_cast<CompiledFunction *>(target.get());
    if (!target) return evaluate_plain(thread, raw, 0);
    regions::Runs runs(frame->code, true);
    if (call_flat(compiled, frame->function, frame->localsplus, result)) return result;
    runs.in_python();
    Waits waits(compiled);
    return evaluate_plain(thread, raw, 0);
}

void dealloc_function(PyObject *function) {
    regions::forget(function);
    plain_dealloc(function);
}

}  // namespace

bool regions::prepare_hook() {
    if (!plain_dealloc) {
        plain_dealloc = std::exchange(PyFunction_Type.tp_dealloc, dealloc_function);
    }
    is_wanted = is_watching = true;
    return true;
}

void regions::install_hook() { install(); }

void regions::uninstall_hook() {
    is_wanted = false;
    uninstall();
}

void regions::watch_calls(bool is_on) {
    is_watching = is_on;
    if (!is_on) {
        uninstall();
    } else if (is_wanted) {
        install();
    }
}

regions::CallsSeen regions::calls_seen() { return seen; }

PyObject *run_plain(PyObject *function, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    if (!is_wanted) return plain_vectorcall(function, args, nargsf, kwnames);
    unhooked = function;
    PyObject *result = plain_vectorcall(function, args, nargsf, kwnames);
    unhooked = nullptr;
    return result;
}

#endif
