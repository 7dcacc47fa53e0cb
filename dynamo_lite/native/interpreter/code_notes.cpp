#include "interpreter/code_notes.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "interpreter/regions.h"

namespace {

Py_ssize_t extra_index = -1;

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

// The code that was last found to be left alone, and its note: most new functions are closures of
// the code of the one before.
regions::CodeNote *alone_note = nullptr;

void free_note(void *note) {
    if (note == alone_note) regions::forget_left_alone();
    delete static_cast<regions::CodeNote *>(note);
}

}  // namespace

namespace regions {

uint64_t present_epoch = 0;
PyObject *left_alone = nullptr;

uint32_t &version_of(PyObject *code) {
#if PY_VERSION_HEX >= 0x030C0000
    return reinterpret_cast<PyCodeObject *>(code)->co_version;
#else
    static uint32_t none = 0;
    return none;
#endif
}

CodeNote *note_of(PyObject *code) {
    void *extra = nullptr;
    if (PyUnstable_Code_GetExtra(code, extra_index, &extra) < 0) PyErr_Clear();
    auto note = static_cast<CodeNote *>(extra);
    return note && note->epoch == present_epoch ? note : nullptr;
}

CodeNote *make_note(PyObject *code, uint64_t epoch) {
    if (CodeNote *known = note_of(code)) return known;
    auto note = new CodeNote{epoch, false, false, 0, 0, 0, 0, 0, 0, 0, NEVER, version_of(code)};
    if (PyUnstable_Code_SetExtra(code, extra_index, note) == 0) return note;
    delete note;
    return nullptr;
}

bool drop_note(PyObject *code) {
    return PyUnstable_Code_SetExtra(code, extra_index, nullptr) == 0;
}

void forget_left_alone() { left_alone = nullptr, alone_note = nullptr; }

bool prepare_notes() {
    extra_index = PyUnstable_Eval_RequestCodeExtraIndex(free_note);
    if (extra_index < 0) PyErr_SetString(PyExc_RuntimeError, "no room for data of code objects");
    return extra_index >= 0;
}

// -- whether to ask

bool is_candidate(PyObject *code) {
    if (!present_epoch) return false;
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

bool may_intercept(PyObject *code) {
    CodeNote *note = note_of(code);
    return !note || !note->is_left_alone || note->has_compiled;
}

bool expect_functions(PyObject *code) {
    if (is_outside()) return false;
    if (CodeNote *note = note_of(code); note && note->is_left_alone) {
        left_alone = code;
        alone_note = note;
        return false;
    }
    if (!make_note(code, present_epoch)) return PyErr_Clear(), false;
    version_of(code) = 0;
    return true;
}

// -- how long functions run

thread_local WorkTime compiled_time, compiler_time;

Working::Working(WorkTime &time)
    : time(time), begin(std::exchange(time.is_running, true) ? 0 : nanoseconds()) {}

Working::~Working() {
    if (!begin) return;
    time.total += nanoseconds() - begin;
    time.is_running = false;
}

void Runs::start() {
    CodeNote *note = note_of(code.get());
    begin = nanoseconds() - (note ? note->counted() : 0);
    nested_begin = compiled_time.total - (note ? note->nested : 0);
    compiler_begin = compiler_time.total;
}

Runs::Runs(PyObject *code, bool is_compiled) : code(Ref::borrow(code)) {
    start();
    if (is_compiled) compiled.emplace(compiled_time);
}

// What a call of the same code inside of this one took is counted already.
Runs::~Runs() {
    int64_t end = nanoseconds();
    CodeNote *note = note_of(code.get());
    if (!note) return;
    int64_t compiling = compiler_time.total - compiler_begin;
    int64_t took = std::max<int64_t>(end - note->counted() - begin - compiling, 0);
    (compiled ? note->compiled_ran : note->ran) += took;
    ++(compiled ? note->compiled_calls : note->calls);
    if (compiled) {
        note->outermost_calls += compiled->is_outermost();
        return;
    }
    int64_t inside = compiled_time.total - note->nested - nested_begin - compiling;
    note->nested += std::max<int64_t>(inside, 0);
}

void Runs::in_python() {
    compiled.reset();
    start();
}

}  // namespace regions
