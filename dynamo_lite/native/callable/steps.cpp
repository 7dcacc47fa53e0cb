// Replacement functions that only run a compiled graph, call functions of ours and go on with a
// continuation: the same without a frame of Python.
#include "callable/arms.h"
#include "callable/balance.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/spans.h"
#include "callable/continuations.h"
#include "interpreter/interpreter.h"
#include "interpreter/range_iterators.h"
#include "runtime/runtime.h"
#include "runtime/spare_numbers.h"

namespace {

enum class Kind : uint8_t { RUN, ITERATE, CALL, UNLESS, UNLESS_PAYS, GO_ON, RETURN };

using Function = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t);

const char *const NAMES[] = {
    "RUN", "ITERATE", "CALL", "UNLESS", "UNLESS_PAYS", "GO_ON", "RETURN"};
constexpr int KINDS_OF_STEPS = std::size(NAMES);

// Operands are places among the values of a call.
struct Step {
    Kind kind;
    PyObject *callable = nullptr;  // borrowed from the tuple of steps
    Function function = nullptr;   // CALL
    std::vector<int> operands;
    int result = 0;                // the first register that is written, or where a branch leads
    int iterator = 0, next = 0, last = 0;  // ITERATE
    double crossing = CROSSING;    // UNLESS_PAYS
};

constexpr Py_ssize_t MOST_VALUES = 320, MOST_OPERANDS = 128;

struct Program {
    Py_ssize_t n_args, n_registers;
    std::vector<Step> steps;
    std::vector<PyObject *> constants;  // borrowed from their tuple
};

struct Steps {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *function, *kept;  // `kept`: the steps and the constants
    Program *program;

    static constexpr const char *RELEASED = "these steps have";
    static constexpr PyObject *Steps::*OWNED[] = {&Steps::function, &Steps::kept};
    void release() { delete program; }
};

// The values of a call: the arguments of a round and what its steps have computed, which are owned,
// and the constants.
class Registers {
public:
    Registers(PyThreadState *thread, const Program &program, PyObject *const *args)
        : thread(thread), n_args(program.n_args), n_owned(n_args + program.n_registers) {
        for (Py_ssize_t i = 0; i < n_args; ++i) values[i] = Py_NewRef(args[i]);
        std::fill(values + n_args, values + n_owned, nullptr);
        std::copy(program.constants.begin(), program.constants.end(), values + n_owned);
    }
    ~Registers() {
        for (Py_ssize_t i = 0; i < n_owned; ++i) drop(values[i]);
    }
    Registers(const Registers &) = delete;
    PyThreadState *const thread;
    PyObject *operator[](int which) const { return values[which]; }
    PyObject **at(int which) { return values + which; }
    PyObject *const *arguments() const { return values; }
    // What the arguments are those of, where the round is not the first one.
    PyObject *callee() const { return following; }

    // The next round begins with these of the values as its arguments.
    void begin(const std::vector<int> &operands, PyObject *callee) {
        PyObject *next[MOST_OPERANDS];
        for (Py_ssize_t i = 0; i < n_args; ++i) next[i] = Py_NewRef(values[operands[i]]);
        for (Py_ssize_t i = 0; i < n_args; ++i) drop(std::exchange(values[i], next[i]));
        for (Py_ssize_t i = n_args; i < n_owned; ++i) drop(std::exchange(values[i], nullptr));
        following = callee;
    }

private:
    static void drop(PyObject *value) {
        if (value) drop_number(value);
    }

    Py_ssize_t n_args, n_owned;
    PyObject *following = nullptr;
    PyObject *values[MOST_VALUES];
};

ALWAYS_INLINE void gather(const Registers &registers, const Step &step, PyObject **values) {
    for (int operand : step.operands) *values++ = registers[operand];
}

bool call(Registers &registers, const Step &step) {
    PyObject *values[MOST_OPERANDS];
    gather(registers, step, values);
    PyObject *self = PyCFunction_GET_SELF(step.callable);
    PyObject *result = step.function(self, values, static_cast<Py_ssize_t>(step.operands.size()));
    *registers.at(step.result) = result;
    return result;
}

Ran run_graph(Registers &registers, const Step &step) {
    PyObject *values[MOST_OPERANDS];
    gather(registers, step, values);
    return run_native_entry(step.callable, values, registers.at(step.result));
}

// Over what is left of an iterator over a range: up to `last`, behind which it goes on.
Ran iterate(Registers &registers, const Step &step) {
    RangeIterator *iterator = range_iterator(registers[step.iterator]);
    PyObject *next = iterator ? new_int(iterator->next()) : nullptr;
    *registers.at(step.next) = next;
    if (!next) return Ran::RAISED;
    Ran ran = run_graph(registers, step);
    if (ran != Ran::DONE) return ran;
    return move_iterator(iterator, registers[step.last]) ? Ran::DONE : Ran::RAISED;
}

int is_true(PyObject *value) {
    return PyBool_Check(value) ? value == Py_True : PyObject_IsTrue(value);
}

// What a round of the steps has come to: a result, or arguments for the next round.
struct Round {
    PyObject *result = nullptr;
    bool goes_on = false;
};

bool is_interrupted(PyThreadState *thread) {
    return something_pending(thread) || others_wait(thread);
}

// Python runs an arm, behind which the steps are what comes next as long as nothing else has to: no
// continuation is made then.
Round run_arm_here(PyObject *steps, PyThreadState *thread, Arm *arm, PyObject *const *values,
                   Py_ssize_t n) {
    Ref kept = Ref::borrow(reinterpret_cast<PyObject *>(arm));
    if (!run_arm(arm, values, n)) return {};
    auto *following = reinterpret_cast<CompiledFunction *>(arm->following);
    Ref found;
    bool fits = arm->n == as<Steps>(steps)->program->n_args;
    if (fits && !is_interrupted(thread) &&
        would_run(following, thread, steps, values, arm->n, found)) {
        auto *entry = reinterpret_cast<CacheEntry *>(found.get());
        ++entry->counts->hits;
        entry->streak = 0;
        return {nullptr, true};
    }
    if (PyErr_Occurred()) return {};
    return {new_continuation(arm->following, values, arm->n)};
}

// A round has had no effect then. Where it is not the first one, it is called on its own: who called
// the steps would have Python run the first one.
PyObject *bailed_out(const Program &program, const Registers &registers) {
    if (!registers.callee()) return Py_NewRef(bailout);
    return new_continuation(registers.callee(), registers.arguments(), program.n_args);
}

Round go_on(PyObject *steps, Registers &registers, const Step &step) {
    PyObject *values[MOST_OPERANDS];
    auto n = static_cast<Py_ssize_t>(step.operands.size());
    gather(registers, step, values);
    if (!is_arm(step.callable)) return {new_continuation(step.callable, values, n)};
    auto *arm = as<Arm>(step.callable);
    Round round = run_arm_here(steps, registers.thread, arm, values, n);
    if (round.goes_on) registers.begin(step.operands, arm->following);
    return round;
}

Round run_round(PyObject *steps, const Program &program, Registers &registers) {
    for (size_t at = 0;;) {
        const Step &step = program.steps[at++];
        switch (step.kind) {
        case Kind::RUN:
        case Kind::ITERATE: {
            Ran ran = step.kind == Kind::RUN ? run_graph(registers, step) : iterate(registers, step);
            if (ran == Ran::BAILED_OUT) return {bailed_out(program, registers)};
            if (ran == Ran::RAISED) return {};
            break;
        }
        case Kind::CALL:
            if (!call(registers, step)) return {};
            break;
        case Kind::UNLESS: {
            int truth = is_true(registers[step.operands[0]]);
            if (truth < 0) return {};
            if (!truth) at = step.result;
            break;
        }
        case Kind::UNLESS_PAYS: {
            const auto &operands = step.operands;
            int goes_on = pays(step.callable, registers[operands[0]], registers[operands[1]],
                               step.crossing);
            if (goes_on < 0) return {};
            if (!goes_on) at = step.result;
            break;
        }
        case Kind::GO_ON: return go_on(steps, registers, step);
        case Kind::RETURN: return {Py_NewRef(registers[step.operands[0]])};
        }
    }
}

PyObject *run_steps(
    PyObject *steps, PyThreadState *thread, const Program &program, PyObject *const *args) {
    Registers registers(thread, program, args);
    for (;;) {
        Round round = run_round(steps, program, registers);
        if (!round.goes_on) return round.result;
    }
}

// Where the interpreter has something else to do, it does that in the function.
PyObject *call_steps(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    auto *self = as<Steps>(object);
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    PyThreadState *thread = PyThreadState_Get();
    Ref kept = Ref::borrow(object);
    if (kwnames || n != self->program->n_args || is_interrupted(thread)) {
        Ref function = Ref::borrow(self->function);
        return kwnames ? PyObject_Vectorcall(function.get(), args, nargsf, kwnames)
                       : call_target(function.get(), args, n);
    }
    return run_steps(object, thread, *self->program, args);
}

// -- making one

bool is_kind(PyObject *name, Kind kind) {
    return PyUnicode_Check(name) &&
           PyUnicode_CompareWithASCIIString(name, NAMES[static_cast<int>(kind)]) == 0;
}

bool read_number(PyObject *object, int &number) {
    long value = PyLong_AsLong(object);
    number = static_cast<int>(value);
    return value != -1 || !PyErr_Occurred();
}

bool read_operands(PyObject *tuple, std::vector<int> &operands) {
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) > MOST_OPERANDS) return false;
    operands.resize(PyTuple_GET_SIZE(tuple));
    for (size_t i = 0; i < operands.size(); ++i) {
        if (!read_number(PyTuple_GET_ITEM(tuple, i), operands[i])) return false;
    }
    return true;
}

// Constants lie behind the registers.
void place_constants(const Program &program, Step &step) {
    for (int &operand : step.operands) {
        if (operand < 0) operand = static_cast<int>(program.n_args + program.n_registers + ~operand);
    }
}

bool runs_graph(Kind kind) { return kind == Kind::RUN || kind == Kind::ITERATE; }

bool read_range(PyObject **items, Step &step) {
    return read_number(items[0], step.iterator) && read_number(items[1], step.next) &&
           read_number(items[2], step.last);
}

// Functions of C that are called without a tuple; these are called directly.
bool read_function(PyObject *callable, Function &function) {
    bool is_plain = PyCFunction_CheckExact(callable) &&
                    PyCFunction_GET_FLAGS(callable) == METH_FASTCALL;
    auto found = is_plain ? PyCFunction_GET_FUNCTION(callable) : nullptr;
    function = reinterpret_cast<Function>(reinterpret_cast<void (*)()>(found));
    return is_plain;
}

// `(kind, ...)`: RUN and CALL have a callable, operands and the first result; ITERATE also the places
// of an iterator, of its next item, and of the last one that is taken; GO_ON the first two, UNLESS an operand and where it leads, UNLESS_PAYS a balance, operands and the same, RETURN an
// operand.
bool read_step(PyObject *tuple, Step &step) {
    Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) : 0;
    if (n < 2) return false;
    PyObject **items = &PyTuple_GET_ITEM(tuple, 0);
    int kind = 0;
    while (kind < KINDS_OF_STEPS && !is_kind(items[0], static_cast<Kind>(kind))) ++kind;
    if (kind == KINDS_OF_STEPS) return false;
    step.kind = static_cast<Kind>(kind);
    if (step.kind == Kind::RETURN || step.kind == Kind::UNLESS) {
        step.operands.resize(1);
        return read_number(items[1], step.operands[0]) &&
               (n < 3 || read_number(items[2], step.result));
    }
    step.callable = items[1];
    bool is_entry = is_native_entry(step.callable), runs = runs_graph(step.kind);
    if (step.kind == Kind::ITERATE && !(n == 7 && read_range(items + 4, step))) return false;
    if (step.kind == Kind::CALL && !read_function(step.callable, step.function)) return false;
    if (step.kind == Kind::UNLESS_PAYS && !is_balance(step.callable)) return false;
    return n >= 3 && runs == is_entry && read_operands(items[2], step.operands) &&
           (n < 4 || read_number(items[3], step.result));
}

Py_ssize_t values_of(const Program &program) {
    return program.n_args + program.n_registers + static_cast<Py_ssize_t>(program.constants.size());
}

bool is_writeable(const Program &program, const Step &step) {
    Py_ssize_t outputs = runs_graph(step.kind) ? outputs_of(step.callable) : 1;
    Py_ssize_t end = program.n_args + program.n_registers;
    return step.result >= program.n_args && step.result + outputs <= end;
}

bool has_range(const Program &program, const Step &step) {
    Py_ssize_t end = program.n_args + program.n_registers;
    return step.iterator >= 0 && step.iterator < end && step.last >= step.result &&
           step.last < end && step.next >= program.n_args && step.next < end;
}

bool is_sound(const Program &program, const Step &step, size_t index) {
    for (int operand : step.operands) {
        if (operand < 0 || operand >= values_of(program)) return false;
    }
    if (step.kind == Kind::ITERATE && !has_range(program, step)) return false;
    if (runs_graph(step.kind) && inputs_of(step.callable) != Py_ssize_t(step.operands.size())) {
        return false;
    }
    if (step.kind == Kind::UNLESS_PAYS && step.operands.size() != 2) return false;
    if (step.kind == Kind::UNLESS || step.kind == Kind::UNLESS_PAYS) {
        return step.result > Py_ssize_t(index) && step.result < Py_ssize_t(program.steps.size());
    }
    bool writes = runs_graph(step.kind) || step.kind == Kind::CALL;
    return !writes || is_writeable(program, step);
}

bool is_sound(const Program &program) {
    if (program.n_args < 0 || program.n_registers < 0 || values_of(program) > MOST_VALUES) return false;
    if (program.steps.empty()) return false;
    for (size_t i = 0; i < program.steps.size(); ++i) {
        if (!is_sound(program, program.steps[i], i)) return false;
    }
    Kind last = program.steps.back().kind;
    return last == Kind::GO_ON || last == Kind::RETURN;
}

void weigh_arms(Program &program) {
    for (size_t i = 1; i < program.steps.size(); ++i) {
        const Step &step = program.steps[i];
        bool runs_arm = step.kind == Kind::GO_ON && is_arm(step.callable);
        if (runs_arm) program.steps[i - 1].crossing = CROSSING_OF_ARM;
    }
}

bool read_program(PyObject *steps, PyObject *constants, Program &program) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); ++i) {
        program.constants.push_back(PyTuple_GET_ITEM(constants, i));
    }
    program.steps.resize(PyTuple_GET_SIZE(steps));
    for (size_t i = 0; i < program.steps.size(); ++i) {
        if (!read_step(PyTuple_GET_ITEM(steps, i), program.steps[i])) return false;
        place_constants(program, program.steps[i]);
    }
    weigh_arms(program);
    return is_sound(program);
}

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *function, *steps, *constants;
    Py_ssize_t n_args, n_registers;
    if (!PyArg_ParseTuple(args, "O!nnO!O!", &PyFunction_Type, &function, &n_args, &n_registers,
                          &PyTuple_Type, &steps, &PyTuple_Type, &constants)) {
        return nullptr;
    }
    auto program = std::make_unique<Program>(Program{n_args, n_registers, {}, {}});
    if (!read_program(steps, constants, *program)) {
        return PyErr_Occurred() ? nullptr
                                : PyErr_Format(PyExc_ValueError, "steps that do not fit together");
    }
    auto *made = new_callable<Steps>(type, call_steps);
    if (!made) return nullptr;
    made->function = Py_NewRef(function);
    made->program = program.release();
    made->kept = PyTuple_Pack(2, steps, constants);
    if (!made->kept) Py_CLEAR(made);
    return reinterpret_cast<PyObject *>(made);
}

PyMemberDef members[] = {
    VECTORCALL<Steps>,
    {"function", T_OBJECT, offsetof(Steps, function), READONLY, "does the same in Python"},
    {nullptr, 0, 0, 0, nullptr},
};

const char *const DOC =
    "Steps(function, n_args, n_registers, steps, constants, /)\n--\n\n"
    "A target that does what the function does, in steps: (\"RUN\", entry, operands, first\n"
    "result), (\"ITERATE\", the same, iterator over a range, next item, last item that is taken),\n"
    "(\"CALL\", callable, operands, result), (\"UNLESS\", operand, step),\n"
    "(\"UNLESS_PAYS\", balance, operands, step), (\"GO_ON\", continuation, operands),\n"
    "(\"RETURN\", operand). Operands are arguments, registers behind\n"
    "them, or ~ the number of a constant.";

}  // namespace

int add_steps(PyObject *module) {
    return add_type(module, callable_type<Steps>("dynamo_lite.native.Steps", DOC, create, members));
}
