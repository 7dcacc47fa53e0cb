#include "callable/arms.h"

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
    auto *made = new_callable<Arm>(type, call_arm);
    if (!made) return nullptr;
    made->function = Py_NewRef(function);
    made->following = Py_NewRef(following);
    made->n = n;
    return reinterpret_cast<PyObject *>(made);
}

PyMemberDef members[] = {
    VECTORCALL<Arm>,
    {"function", T_OBJECT, offsetof(Arm, function), READONLY, "what is left of an iteration"},
    {"following", T_OBJECT, offsetof(Arm, following), READONLY, "goes on with the next one"},
    {nullptr, 0, 0, 0, nullptr},
};

const char *const DOC =
    "Arm(function, following, n, /)\n--\n\n"
    "A continuation that calls the function, which changes no variable and returns None, with as\n"
    "many of the arguments as it takes, and goes on with `following`, which takes the first `n`.";

}  // namespace

bool run_arm(Arm *self, PyObject *const *args, Py_ssize_t n_args) {
    PyObject *function = self->function;
    auto call = reinterpret_cast<PyFunctionObject *>(function)->vectorcall;
    auto *code = reinterpret_cast<PyCodeObject *>(PyFunction_GET_CODE(function));
    Ref result(call(function, args, std::min<Py_ssize_t>(n_args, code->co_argcount), nullptr));
    return static_cast<bool>(result);
}

int add_arms(PyObject *module) {
    arm_type = callable_type<Arm>("dynamo_lite.native.Arm", DOC, create, members);
    return add_type(module, arm_type);
}
