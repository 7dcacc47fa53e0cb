// Where NumPy's inner loops and C's mathematical functions lie, for generated code that calls them:
// the bits are then those of NumPy, and of Python's `math`, on this machine.
#include "base/core.h"
#include "base/numpy_api.h"
#include "base/recursion.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numpy/ufuncobject.h>
#include <pthread.h>
#include <utility>

namespace {

// -- `math.hypot` of two numbers, which Python computes itself, nearly always rounded correctly: the
// squares are added up exactly, with their errors, and the root is corrected by what is missing. The
// sums begin with 1, which is not less than any of the scaled squares, and is taken off at the end.

// A number as two of half its digits.
std::pair<double, double> halves(double x) {
    double scaled = x * 134217729.0;  // 2**27 + 1
    double high = scaled - (scaled - x);
    return {high, x - high};
}

struct SumOfSquares {
    double whole = 1.0, errors = 0.0, lost = 0.0;

    // Adds (or takes off) a square; what the sum loses of it is kept.
    void add(double x, double sign) {
        auto [high, low] = halves(x);
        double largest = high * high, middle = high * low + low * high;
        double square = largest + middle;
        errors += sign * ((largest - square + middle) + low * low);
        double before = whole;
        whole += sign * square;
        lost += (before - whole) + sign * square;
    }
    double value() const { return whole - 1.0 + (errors + lost); }
};

double python_hypot(double x, double y) {
    x = std::fabs(x), y = std::fabs(y);
    if (std::isinf(x) || std::isinf(y)) return HUGE_VAL;
    if (std::isnan(x) || std::isnan(y)) return NAN;
    double largest = x > y ? x : y;
    if (largest == 0.0) return 0.0;
    int exponent;
    std::frexp(largest, &exponent);
    if (exponent < -1023) {  // the scale would overflow
#if PY_VERSION_HEX < 0x030C0000
        double first = x / largest, second = y / largest, sum = 1.0, lost = 0.0;
        for (double square : {first * first, second * second}) {
            double before = sum;
            sum += square;
            lost += (before - sum) + square;
        }
        return largest * std::sqrt(sum - 1.0 + lost);
#else
        return DBL_MIN * python_hypot(x / DBL_MIN, y / DBL_MIN);
#endif
    }
    double scale = std::ldexp(1.0, -exponent);
    SumOfSquares sum;
    sum.add(x * scale, 1.0);
    sum.add(y * scale, 1.0);
    double root = std::sqrt(sum.value());
    sum.add(root, -1.0);
    return (root + sum.value() / (2.0 * root)) / scale;
}

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
using Count = int64_t (*)(int64_t);
struct Function {
    const char *name;
    void *address;
};

void *at(Unary function) { return reinterpret_cast<void *>(function); }
void *at(Binary function) { return reinterpret_cast<void *>(function); }
void *at(BinaryOfFloats function) { return reinterpret_cast<void *>(function); }
void *at(Count function) { return reinterpret_cast<void *>(function); }

constexpr int64_t KEPT_STACK = 1 << 17, SMALL_STACK = 1 << 18;  // bytes

// Where the stack of this thread ends; what is not known is taken to be small.
char *end_of_stack() {
    char *end = static_cast<char *>(__builtin_frame_address(0)) - SMALL_STACK;
#ifdef __linux__
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *lowest;
        size_t size;
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
            end = static_cast<char *>(lowest);
        }
        pthread_attr_destroy(&attributes);
    }
#endif
    return end + KEPT_STACK;
}

// How many more calls inside each other Python's recursion limit allows this thread, and its stack
// if each takes so many bytes. It may be without the GIL.
int64_t calls_left(int64_t bytes) {
    static thread_local char *end = end_of_stack();
    int64_t room = (static_cast<char *>(__builtin_frame_address(0)) - end) / bytes;
    return std::min<int64_t>(recursion::calls_left(PyGILState_GetThisThreadState()), room);
}

// The address of the function of doubles that Python's `math` calls (powf: of floats): C's, but for
// `hypot`.
PyObject *c_function(PyObject *, PyObject *argument) {
    const Function known[] = {
        {"acos", at(std::acos)}, {"asin", at(std::asin)}, {"atan", at(std::atan)},
        {"atan2", at(static_cast<Binary>(std::atan2))}, {"cos", at(std::cos)}, {"cosh", at(std::cosh)},
        {"exp", at(std::exp)}, {"expm1", at(std::expm1)}, {"hypot", at(python_hypot)},
        {"log", at(std::log)},
        {"log10", at(std::log10)}, {"log1p", at(std::log1p)}, {"log2", at(std::log2)},
        {"pow", at(static_cast<Binary>(std::pow))},
        {"powf", at(static_cast<BinaryOfFloats>(std::pow))},
        {"sin", at(std::sin)}, {"sinh", at(std::sinh)},
        {"tan", at(std::tan)}, {"tanh", at(std::tanh)},
        {"calls_left", at(calls_left)},
        {"find_random_source", reinterpret_cast<void *>(find_random_source)},
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
     "c_function(name, /)\n--\n\nThe address of the function of doubles that `math` calls, or of "
     "`calls_left` or `find_random_source`; else None."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_numeric(PyObject *module) { return PyModule_AddFunctions(module, numeric_functions); }
