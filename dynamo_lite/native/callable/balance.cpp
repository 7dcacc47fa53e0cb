// Whether compiled code is worth entering again behind the side exits of a loop.
#include "callable/balance.h"

#include <structmember.h>

#include <algorithm>

namespace {

PyTypeObject *balance_type = nullptr;

// Nanoseconds that may be lost before Python goes on, and that are counted at most.
constexpr double CREDIT = 20 * CROSSING;
// Exits behind which Python goes on before another attempt.
constexpr long LONGEST = 64;

// The account of a loop: `waiting` exits are still left to Python, as will be `pause` next time.
struct Balance {
    PyObject_HEAD
    double credit;
    long waiting, pause;
};

Balance *cast(PyObject *object) { return reinterpret_cast<Balance *>(object); }

// The nanoseconds that were saved; -1 with an error set.
double saved(PyObject *iterations, PyObject *saves) {
    double count = PyLong_AsDouble(iterations);
    if (count == -1 && PyErr_Occurred()) return -1;
    double each = PyFloat_AsDouble(saves);
    return each == -1 && PyErr_Occurred() ? -1 : count * each;
}

// The same of the arguments of a method.
double saved_of(PyObject *const *args, Py_ssize_t n_args) {
    if (n_args == 2) return saved(args[0], args[1]);
    PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", n_args);
    return -1;
}

bool goes_on(Balance *self, double saved, double crossing) {
    if (self->waiting && saved < crossing) {
        --self->waiting;
        return false;
    }
    double credit = self->credit + saved - crossing;
    if (credit > -CREDIT) {
        self->waiting = 0;
        self->credit = std::min(credit, CREDIT);
        if (credit > 0) self->pause = 1;
        return true;
    }
    self->credit = -CREDIT / 2;
    self->waiting = self->pause - 1;
    self->pause = std::min(2 * self->pause, LONGEST);
    return false;
}

PyObject *method_pays(PyObject *object, PyObject *const *args, Py_ssize_t n_args) {
    double found = saved_of(args, n_args);
    if (found == -1 && PyErr_Occurred()) return nullptr;
    return PyBool_FromLong(goes_on(cast(object), found, CROSSING));
}

PyObject *method_earned(PyObject *object, PyObject *const *args, Py_ssize_t n_args) {
    double found = saved_of(args, n_args);
    if (found == -1 && PyErr_Occurred()) return nullptr;
    Balance *self = cast(object);
    self->credit = std::min(self->credit + found, CREDIT);
    if (self->credit > 0) self->pause = 1;
    Py_RETURN_NONE;
}

PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
    PyObject *made = type->tp_alloc(type, 0);
    if (made) cast(made)->pause = 1;
    return made;
}

template <class Function> PyCFunction as_function(Function function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"pays", as_function(method_pays), METH_FASTCALL,
     "pays(iterations, saves, /)\n--\n\n"
     "Whether to go on in compiled form at an exit; `iterations` ran before, each of which `saves`\n"
     "nanoseconds."},
    {"earned", as_function(method_earned), METH_FASTCALL,
     "earned(iterations, saves, /)\n--\n\n"
     "The loop has come to its end."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"credit", T_DOUBLE, offsetof(Balance, credit), READONLY, "Nanoseconds."},
    {"waiting", T_LONG, offsetof(Balance, waiting), READONLY, "Exits still left to Python."},
    {"pause", T_LONG, offsetof(Balance, pause), READONLY, "Exits left to Python next time."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_doc, const_cast<char *>(
        "The account of a loop with side exits. Where too much is lost, Python goes on behind the\n"
        "next exits, of which there are twice as many each time, up to one behind a run that was\n"
        "worth it; a run without an exit is never refused.")},
    {0, nullptr},
};

PyType_Spec spec = {
    "dynamo_lite.native.Balance", sizeof(Balance), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, slots,
};

}  // namespace

bool is_balance(PyObject *object) { return PyObject_TypeCheck(object, balance_type); }

int pays(PyObject *balance, PyObject *iterations, PyObject *saves, double crossing) {
    double found = saved(iterations, saves);
    if (found == -1 && PyErr_Occurred()) return -1;
    return goes_on(cast(balance), found, crossing);
}

int add_balance(PyObject *module) {
    auto *type = reinterpret_cast<PyObject *>(
        balance_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec)));
    return type ? PyModule_AddObjectRef(module, "Balance", type) : -1;
}
