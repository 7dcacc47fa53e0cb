// Where NumPy's inner loops and C's mathematical functions lie, for generated code that calls them:
// the bits are then those of NumPy, and of Python's `math`, on this machine.
#include "base/core.h"
#include "base/numpy_api.h"
#include "runtime/runtime.h"

#include <cmath>
#include <numpy/ufuncobject.h>

namespace {

// (address, data) of the loop of a ufunc whose operands all have one type; None where it has none.
PyObject *ufunc_loop(PyObject *, PyObject *args) {
    PyObject *object;
    int type;
    if (!PyArg_ParseTuple(args, "Oi:ufunc_loop", &object, &type)) return nullptr;
    Ref kind(PyObject_Type(object));
    if (strcmp(reinterpret_cast<PyTypeObject *>(kind.get())->tp_name, "numpy.ufunc") != 0) {
        return PyErr_SetString(PyExc_TypeError, "ufunc_loop takes a ufunc"), nullptr;
    }
    auto *ufunc = reinterpret_cast<PyUFuncObject *>(object);
    for (int loop = 0; loop < ufunc->ntypes; ++loop) {
        const char *types = ufunc->types + static_cast<ptrdiff_t>(loop) * ufunc->nargs;
        bool fits = true;
        for (int i = 0; i < ufunc->nargs; ++i) fits = fits && types[i] == type;
        if (!fits) continue;
        void *data = ufunc->data != nullptr ? const_cast<void *>(ufunc->data[loop]) : nullptr;
        return Py_BuildValue("KK", reinterpret_cast<unsigned long long>(ufunc->functions[loop]),
                             reinterpret_cast<unsigned long long>(data));
    }
    Py_RETURN_NONE;
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);
using BinaryOfFloats = float (*)(float, float);
struct Function {
    const char *name;
    void *address;
};

void *at(Unary function) { return reinterpret_cast<void *>(function); }
void *at(Binary function) { return reinterpret_cast<void *>(function); }
void *at(BinaryOfFloats function) { return reinterpret_cast<void *>(function); }

// The address of C's function of doubles (powf: of floats).
PyObject *c_function(PyObject *, PyObject *argument) {
    const Function known[] = {
        {"acos", at(std::acos)}, {"asin", at(std::asin)}, {"atan", at(std::atan)},
        {"atan2", at(static_cast<Binary>(std::atan2))}, {"cos", at(std::cos)}, {"cosh", at(std::cosh)},
        {"exp", at(std::exp)}, {"expm1", at(std::expm1)}, {"log", at(std::log)},
        {"log10", at(std::log10)}, {"log1p", at(std::log1p)}, {"log2", at(std::log2)},
        {"pow", at(static_cast<Binary>(std::pow))},
        {"powf", at(static_cast<BinaryOfFloats>(std::pow))},
        {"sin", at(std::sin)}, {"sinh", at(std::sinh)},
        {"tan", at(std::tan)}, {"tanh", at(std::tanh)},
    };
    const char *name = PyUnicode_AsUTF8(argument);
    if (name == nullptr) return nullptr;
    for (const Function &one : known) {
        if (strcmp(one.name, name) == 0) {
            return PyLong_FromUnsignedLongLong(reinterpret_cast<unsigned long long>(one.address));
        }
    }
    Py_RETURN_NONE;
}

PyMethodDef numeric_functions[] = {
    {"ufunc_loop", ufunc_loop, METH_VARARGS,
     "ufunc_loop(ufunc, typenum, /)\n--\n\n(address, data) of the inner loop all of whose operands "
     "have the type, or None."},
    {"c_function", c_function, METH_O,
     "c_function(name, /)\n--\n\nThe address of C's function of doubles, or None."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_numeric(PyObject *module) { return PyModule_AddFunctions(module, numeric_functions); }
