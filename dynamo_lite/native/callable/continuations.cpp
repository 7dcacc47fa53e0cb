// A compiled function whose frame was left in the middle: the beginning of the frame, and then its
// continuations. Each part returns the next one, so that they do not nest: a loop with a graph
// break in it needs no more C stack, and no more of the recursion limit, than it does in Python.
#include "callable/continuations.h"

#include "base/callables.h"
#include "callable/callable.h"
#include "interpreter/interpreter.h"

namespace {

constexpr Py_ssize_t BEFORE_ARGUMENTS = 2;
constexpr int UNSEEN = -2;  // the place of a frame that is still being made, as CPython takes it

PyObject *continuation_mark = nullptr;
thread_local HandedOver *offered = nullptr;  // to the function that is called next
thread_local HandedOver *passed_on = nullptr;  // to the function that runs now

struct Driver {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *start;

    static constexpr const char *RELEASED = "this driver has";
    static constexpr PyObject *Driver::*OWNED[] = {&Driver::start};
    void release() {}
};

// Whether a result is `(CONTINUATION, resume function, *arguments)`.
bool is_rest(PyObject *result) {
    return PyTuple_CheckExact(result) && PyTuple_GET_SIZE(result) >= BEFORE_ARGUMENTS &&
           PyTuple_GET_ITEM(result, 0) == continuation_mark;
}

PyObject *call_continuation(PyObject *rest) {
    PyObject **items = &PyTuple_GET_ITEM(rest, 0);
    HandedOver arguments{items + BEFORE_ARGUMENTS, PyTuple_GET_SIZE(rest) - BEFORE_ARGUMENTS};
    HandedOver *outer = std::exchange(offered, Py_REFCNT(rest) == 1 ? &arguments : nullptr);
    PyObject *result = PyObject_Vectorcall(items[1], arguments.values, arguments.n, nullptr);
    offered = outer;
    return result;
}

PyObject *run_continuations(PyObject *result) {
    while (result && is_rest(result)) {
        Ref rest(result);
        result = call_continuation(rest.get());
    }
    return result;
}

PyObject *call_driver(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *) {
    Ref start = Ref::borrow(as<Driver>(object)->start);
    return run_continuations(call_target(start.get(), args, PyVectorcall_NARGS(nargsf)));
}

PyMemberDef driver_members[] = {
    VECTORCALL<Driver>,
    {"start", T_OBJECT, offsetof(Driver, start), READONLY, "runs the beginning of the frame"},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject *driver_type = nullptr;

PyObject *drive(PyObject *, PyObject *start) {
    auto *made = new_callable<Driver>(driver_type, call_driver);
    if (made) made->start = Py_NewRef(start);
    return reinterpret_cast<PyObject *>(made);
}

PyObject *drive_into(PyObject *, PyObject *args) {
    PyObject *kept, *function, *arguments;
    PyFrameObject *frame;
    if (!PyArg_ParseTuple(args, "O!OO!O!:drive_into", &PyList_Type, &kept, &function,
                          &PyList_Type, &arguments, &PyFrame_Type, &frame)) {
        return nullptr;
    }
    Py_ssize_t n = PyList_GET_SIZE(arguments);
    PyObject *call = new_continuation(function, PySequence_Fast_ITEMS(arguments), n);
    if (!call) return nullptr;
    PyList_SetSlice(arguments, 0, n, nullptr);
    int place = PyFrame_GetLasti(frame);
    set_place(frame, UNSEEN);
    Ref result(run_continuations(call));
    set_place(frame, place);
    if (!result || PyList_Append(kept, result.get()) < 0) return nullptr;
    Py_RETURN_NONE;
}

// After a CALL the interpreter handles signals, after an operator it does not: what is to be done in
// one step with what follows is done by operators of two constants.

// `~TAKE_OVER`, of a continuation.
PyObject *take_over(PyObject *) {
    if (HandedOver *own = std::exchange(passed_on, nullptr)) {
        for (Py_ssize_t i = 0; i < own->n; ++i) {
            Ref value(std::exchange(own->values[i], Py_NewRef(Py_None)));
        }
    }
    Py_RETURN_NONE;
}

// `(callable, *arguments) @ IN_ONE_STEP`
PyObject *call_in_one_step(PyObject *call, PyObject *) {
    if (!PyTuple_CheckExact(call) || PyTuple_GET_SIZE(call) < 1) Py_RETURN_NOTIMPLEMENTED;
    PyObject **items = &PyTuple_GET_ITEM(call, 0);
    return PyObject_Vectorcall(items[0], items + 1, PyTuple_GET_SIZE(call) - 1, nullptr);
}

PyType_Slot take_over_slots[] = {
    {Py_nb_invert, reinterpret_cast<void *>(take_over)},
    {Py_tp_doc, const_cast<char *>("`~` this, in a continuation: its arguments are its variables' "
                                   "alone from here on.")},
    {0, nullptr},
};

PyType_Slot one_step_slots[] = {
    {Py_nb_matrix_multiply, reinterpret_cast<void *>(call_in_one_step)},
    {Py_tp_doc, const_cast<char *>("`(callable, *arguments) @` this: a call without a safepoint.")},
    {0, nullptr},
};

// Adds a constant of a type of its own.
int add_operator(PyObject *module, const char *name, PyType_Slot *slots) {
    constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    PyType_Spec spec{"dynamo_lite.native.Operator", sizeof(PyObject), 0, flags, slots};
    Ref type(PyType_FromSpec(&spec));
    if (!type) return -1;
    Ref made(PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(type.get()), 0));
    return made ? PyModule_AddObjectRef(module, name, made.get()) : -1;
}

PyObject *safepoint(PyObject *, PyObject *) { Py_RETURN_NONE; }

PyMethodDef functions[] = {
    {"drive", drive, METH_O,
     "drive(start, /)\n--\n\n"
     "A target that calls `start` and then, one after the other, the continuations returned:\n"
     "tuples `(CONTINUATION, resume function, *arguments)`."},
    {"drive_into", drive_into, METH_VARARGS,
     "drive_into(kept, function, arguments, frame, /)\n--\n\n"
     "Takes the arguments out of their list, calls the function and then its continuations, and\n"
     "appends the result to `kept`, in one step: interrupts come before it, after it, or from\n"
     "what it calls. Meanwhile the frame, whose work that is, is not seen: it is in no traceback\n"
     "and no f_back."},
    {"safepoint", safepoint, METH_NOARGS,
     "safepoint()\n--\n\n"
     "Does nothing. The interpreter handles signals after the call."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PassedOn::PassedOn(PyObject *const *values) : outer(passed_on) {
    passed_on = offered && offered->values == values ? offered : nullptr;
}

PassedOn::~PassedOn() { passed_on = outer; }

PyObject *new_continuation(PyObject *function, PyObject *const *arguments, Py_ssize_t n) {
    PyObject *made = PyTuple_New(n + BEFORE_ARGUMENTS);
    if (!made) return nullptr;
    PyTuple_SET_ITEM(made, 0, Py_NewRef(continuation_mark));
    PyTuple_SET_ITEM(made, 1, Py_NewRef(function));
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyTuple_SET_ITEM(made, i + BEFORE_ARGUMENTS, Py_NewRef(arguments[i]));
    }
    return made;
}

bool is_driver(PyObject *target) { return Py_TYPE(target) == driver_type; }

int add_continuations(PyObject *module) {
    driver_type = callable_type<Driver>("dynamo_lite.native.Driver",
                                        "A target that calls `start` and then its continuations.",
                                        nullptr, driver_members);
    continuation_mark = PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type));
    if (!driver_type || !continuation_mark) return -1;
    if (PyModule_AddObjectRef(module, "CONTINUATION", continuation_mark) < 0) return -1;
    if (add_operator(module, "TAKE_OVER", take_over_slots) < 0) return -1;
    if (add_operator(module, "IN_ONE_STEP", one_step_slots) < 0) return -1;
    return PyModule_AddFunctions(module, functions);
}
