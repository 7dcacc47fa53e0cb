// GuardProgram: running guard ops, moving the ones that fail to the front, and the Python type.
#include "guards/program.h"

#include <algorithm>
#include <chrono>
#include <new>

using guards::Block;
using guards::Footprint;
using guards::Machine;
using guards::Op;

PyTypeObject *guard_program_type = nullptr;

namespace {

constexpr uint32_t FAILURES_PER_MOVE = 16;
constexpr size_t ON_STACK = 48;  // registers or slots that need no allocation

// Zeroed storage, on the stack unless it is large.
template <class T>
class Storage {
public:
    explicit Storage(size_t n) : heap(n > ON_STACK ? new T[n]() : nullptr) {
        if (!heap) std::fill_n(small, n, T());
    }
    ~Storage() { delete[] heap; }
    Storage(const Storage &) = delete;
    T *data() { return heap ? heap : small; }

private:
    T small[ON_STACK];
    T *heap;
};

// These are many and short: they are checked without a call, but that of arrays.
inline bool passes(const Op &op, const Machine &machine) {
    using guards::Code;
    if (op.code == Code::ARRAY) return holds_array(op, machine);
    switch (op.code) {
    case Code::RELATION: return holds_relation(*op.relation, machine.slots);
    case Code::TYPE:
        return reinterpret_cast<PyObject *>(Py_TYPE(machine.registers[op.a])) == op.object;
    case Code::BOUND:
    case Code::EQUALS_BOUND: return holds_bound(op, machine);
    default: return holds(op, machine);
    }
}

// The position of the first op that fails, or -1.
int first_failure(const std::vector<Op> &ops, const Machine &machine) {
    for (const Op &op : ops) {
        if (op.is_load) {
            PyObject *value = load(op, machine);
            if (!value) return static_cast<int>(&op - ops.data());
            machine.registers[op.dst] = value;
        } else if (!passes(op, machine)) {
            return static_cast<int>(&op - ops.data());
        }
    }
    return -1;
}

// With registers of its own, for programs that load.
int first_failure_with_loads(const Block &block, const std::vector<Op> &ops, Machine machine) {
    Storage<PyObject *> registers(block.n_registers);
    std::copy_n(machine.registers, block.n_args, registers.data());
    machine.registers = registers.data();
    int position = first_failure(ops, machine);
    bool has_error = position >= 0 && PyErr_Occurred();
    PyObject *type, *value, *traceback;
    if (has_error) PyErr_Fetch(&type, &value, &traceback);
    for (int i = block.n_args; i < block.n_registers; ++i) Py_XDECREF(registers.data()[i]);
    if (has_error) PyErr_Restore(type, value, traceback);
    return position;
}

int evaluate(const Block &block, const std::vector<Op> &ops, PyObject *const *args,
             PyObject *function) {
    Storage<int64_t> slots(block.n_slots);
    Machine machine{const_cast<PyObject **>(args), slots.data(), function};
    return block.n_registers > block.n_args ? first_failure_with_loads(block, ops, machine)
                                            : first_failure(ops, machine);
}

// Forgets an Exception; false when something else was raised.
bool is_quiet() {
    if (!PyErr_Occurred()) return true;
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return false;
    PyErr_Clear();
    return true;
}

bool uses(const Footprint &footprint, const Footprint &earlier) {
    return std::any_of(footprint.reads.begin(), footprint.reads.end(), [&](int cell) {
        return std::count(earlier.writes.begin(), earlier.writes.end(), cell) > 0;
    });
}

// Now and then moves a failing check one step forward: what changes often is looked at early.
// Never across an op that it depends on, and only checks that run no Python code.
void note_failure(GuardProgram *program, int position) {
    std::vector<Op> &ops = program->block.ops;
    if (++program->failures % FAILURES_PER_MOVE || program->running || position == 0) return;
    Op &op = ops[position], &earlier = ops[position - 1];
    const std::vector<Footprint> &footprints = program->block.footprints;
    if (!op.is_pure || uses(footprints[op.origin], footprints[earlier.origin])) return;
    std::swap(op, earlier);
}

GuardProgram *as_program(PyObject *self) { return reinterpret_cast<GuardProgram *>(self); }

}  // namespace

int run_guards(GuardProgram *program, PyObject *const *args, PyObject *function) {
    const Block &block = program->block;
    ++program->running;
    int position = evaluate(block, block.ops, args, function);
    --program->running;
    if (position < 0) return GUARD_PASSED;
    int origin = block.ops[position].origin;
    if (!is_quiet()) return GUARD_RAISED;
    note_failure(program, position);
    return origin;
}

int explain_guards(GuardProgram *program, PyObject *const *args, PyObject *function) {
    std::vector<Op> ops = program->block.ops;
    std::sort(ops.begin(), ops.end(),
              [](const Op &a, const Op &b) { return a.origin < b.origin; });
    int position = evaluate(program->block, ops, args, function);
    return is_quiet() ? position : GUARD_RAISED;
}

namespace {

bool fill(GuardProgram *program, Py_ssize_t n_args, PyObject *ops) {
    Ref tuple(PySequence_Tuple(ops));
    if (!tuple) return false;
    program->ops = guards::weaken(tuple.get());
    program->block.n_args = static_cast<int32_t>(n_args);
    return program->ops && guards::parse(program->ops, program->block);
}

PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static const char *names[] = {"nargs", "ops", nullptr};
    Py_ssize_t n_args;
    PyObject *ops;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "nO:GuardProgram", const_cast<char **>(names),
                                     &n_args, &ops)) {
        return nullptr;
    }
    if (n_args < 0 || n_args > 1 << 16) {
        PyErr_SetString(PyExc_ValueError, "nargs is out of range");
        return nullptr;
    }
    Ref self(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    new (&as_program(self.get())->block) Block;
    return fill(as_program(self.get()), n_args, ops) ? self.release() : nullptr;
}

int program_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_program(self)->ops);
    return 0;
}

// No tp_clear: an evaluation may be under way, and tuples, cells and functions clear their part of
// a cycle.
void program_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    as_program(self)->block.~Block();
    Py_XDECREF(as_program(self)->ops);
    type->tp_free(self);
    Py_DECREF(type);
}

// The arguments of `check` and its kin as a tuple of the right length.
Ref flat_arguments(GuardProgram *program, PyObject *args) {
    Ref tuple(PySequence_Tuple(args));
    if (tuple && PyTuple_GET_SIZE(tuple.get()) != program->block.n_args) {
        PyErr_Format(PyExc_ValueError, "this program takes %d arguments, not %zd",
                     program->block.n_args, PyTuple_GET_SIZE(tuple.get()));
        return Ref();
    }
    return tuple;
}

bool is_function_or_none(PyObject *&function) {
    if (function && Py_IsNone(function)) function = nullptr;
    if (!function || PyFunction_Check(function)) return true;
    PyErr_SetString(PyExc_TypeError, "fn is a function or None");
    return false;
}

PyObject *program_check(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *names[] = {"args", "fn", nullptr};
    PyObject *values, *function = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:check", const_cast<char **>(names),
                                     &values, &function) ||
        !is_function_or_none(function)) {
        return nullptr;
    }
    Ref tuple = flat_arguments(as_program(self), values);
    if (!tuple) return nullptr;
    int failing = run_guards(as_program(self), &PyTuple_GET_ITEM(tuple.get(), 0), function);
    return failing == GUARD_RAISED ? nullptr : PyLong_FromLong(failing);
}

PyObject *program_time(PyObject *self, PyObject *args) {
    PyObject *values, *function = nullptr;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "On|O:time", &values, &n, &function) ||
        !is_function_or_none(function)) {
        return nullptr;
    }
    Ref tuple = flat_arguments(as_program(self), values);
    if (!tuple) return nullptr;
    auto begin = std::chrono::steady_clock::now();
    for (Py_ssize_t i = 0; i < n; ++i) {
        if (run_guards(as_program(self), &PyTuple_GET_ITEM(tuple.get(), 0), function) ==
            GUARD_RAISED) {
            return nullptr;
        }
    }
    std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    return PyFloat_FromDouble(spent.count() / static_cast<double>(std::max<Py_ssize_t>(n, 1)));
}

PyObject *program_describe(PyObject *self, PyObject *) { return Py_NewRef(as_program(self)->ops); }

PyObject *program_order(PyObject *self, PyObject *) {
    const std::vector<Op> &ops = as_program(self)->block.ops;
    Ref order(PyTuple_New(static_cast<Py_ssize_t>(ops.size())));
    if (!order) return nullptr;
    for (size_t i = 0; i < ops.size(); ++i) {
        PyObject *origin = PyLong_FromLong(ops[i].origin);
        if (!origin) return nullptr;
        PyTuple_SET_ITEM(order.get(), static_cast<Py_ssize_t>(i), origin);
    }
    return order.release();
}

template <class Function>
PyCFunction method(Function *function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(function));
}

PyMethodDef program_methods[] = {
    {"check", method(program_check), METH_VARARGS | METH_KEYWORDS,
     "check($self, /, args, fn=None)\n--\n\n"
     "The index of the op that fails for these flat arguments, or -1."},
    {"time", program_time, METH_VARARGS,
     "time($self, args, n, fn=None, /)\n--\n\nNanoseconds per check, over n checks."},
    {"describe", program_describe, METH_NOARGS,
     "describe($self, /)\n--\n\nThe ops as given; weakly held objects as weak references."},
    {"order", program_order, METH_NOARGS,
     "order($self, /)\n--\n\nThe indices of the ops in the order in which they run now."},
    {nullptr, nullptr, 0, nullptr},
};

PyObject *program_nargs(PyObject *self, void *) {
    return PyLong_FromLong(as_program(self)->block.n_args);
}

PyGetSetDef program_attributes[] = {
    {"nargs", program_nargs, nullptr, "How many flat arguments it takes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot program_slots[] = {
    {Py_tp_doc, const_cast<char *>("GuardProgram(nargs, ops)\n--\n\n"
                                   "A flat program that decides whether a capture may be reused.")},
    {Py_tp_new, reinterpret_cast<void *>(program_new)},
    {Py_tp_dealloc, reinterpret_cast<void *>(program_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void *>(program_traverse)},
    {Py_tp_methods, program_methods},
    {Py_tp_getset, program_attributes},
    {0, nullptr},
};

PyType_Spec program_spec = {
    "dynamo_lite.native.GuardProgram", sizeof(GuardProgram), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, program_slots,
};

}  // namespace

int add_guard_program(PyObject *module) {
    PyObject *type = PyType_FromSpec(&program_spec);
    if (!type) return -1;
    guard_program_type = reinterpret_cast<PyTypeObject *>(type);
    return PyModule_AddObjectRef(module, "GuardProgram", type);
}
