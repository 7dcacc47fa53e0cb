#include "callable/arms.h"

#include <structmember.h>

#include <algorithm>

#include "callable/continuations.h"

PyTypeObject *arm_type = nullptr;

namespace {

PyObject *call_arm(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    Arm *self = as<Arm>(object);
    Py_ssize_t n_args = PyVectorcall_NARGS(nargsf);
    if (kwnames || n_args < self->n) {
        return PyErr_Format(PyExc_TypeError, "an arm takes %zd arguments or more", self->n);
    }
    Ref kept = Ref::borrow(object);
    if (!run_arm(self, args, n_args)) return nullptr;
    return new_continuation(self->following, args, self->n);
}

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *function, *following;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "O!On", &PyFunction_Type, &function, &following, &n)) return nullptr;
    if (!is_compiled_function(following) || n < 0) {
        return PyErr_Format(PyExc_TypeError, "an arm leads to a compiled function");
    }
    PyObject *made = type->tp_alloc(type, 0);
    if (!made) return nullptr;
    as<Arm>(made)->vectorcall = call_arm;
    as<Arm>(made)->function = Py_NewRef(function);
    as<Arm>(made)->following = Py_NewRef(following);
    as<Arm>(made)->n = n;
    return made;
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Arm, vectorcall), READONLY, nullptr},
    {"function", T_OBJECT, offsetof(Arm, function), READONLY, "what is left of an iteration"},
    {"following", T_OBJECT, offsetof(Arm, following), READONLY, "goes on with the next one"},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse_owned<Arm>)},
    {Py_tp_clear, reinterpret_cast<void *>(clear_owned<Arm>)},
    {Py_tp_dealloc, reinterpret_cast<void *>(dealloc_owned<Arm>)},
    {Py_tp_members, members},
    {Py_tp_doc, const_cast<char *>(
        "Arm(function, following, n, /)\n--\n\n"
        "A continuation that calls the function, which changes no variable and returns None, with as\n"
        "many of the arguments as it takes, and goes on with `following`, which takes the first `n`.")},
    {0, nullptr},
};

PyType_Spec spec = {
    "dynamo_lite.native.Arm", sizeof(Arm), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
        Py_TPFLAGS_IMMUTABLETYPE,
    slots,
};

}  // namespace

bool run_arm(Arm *self, PyObject *const *args, Py_ssize_t n_args) {
    PyObject *function = self->function;
    auto call = reinterpret_cast<PyFunctionObject *>(function)->vectorcall;
    auto *code = reinterpret_cast<PyCodeObject *>(PyFunction_GET_CODE(function));
    Ref result(call(function, args, std::min<Py_ssize_t>(n_args, code->co_argcount), nullptr));
    return static_cast<bool>(result);
}

int add_arms(PyObject *module) {
    arm_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return arm_type ? PyModule_AddObjectRef(module, "Arm", reinterpret_cast<PyObject *>(arm_type)) : -1;
}
