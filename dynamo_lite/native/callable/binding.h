// Binding the arguments of a call to the parameters of a Python function.
#pragma once
#include "base/core.h"

// The parameters of a code object, in `co_varnames` order: positional, keyword-only, *args,
// **kwargs. A flat argument belongs to each.
struct Signature {
    PyCodeObject *code;      // owned, so that its address cannot be used again
    int positional;          // positional-only ones included
    int positional_only;
    int named;               // positional and keyword-only
    int flat;                // all
    int direct;              // the number of plain arguments that are the flat ones, or -1
    bool has_varargs, has_varkeywords;
};

// Reads the signature; takes a reference to the code.
Signature signature_of(PyObject *code);

enum class Binding { BOUND, MISMATCH, RAISED };

// Fills `flat` (zeroed, signature.flat long) with new references. Defaults are read from the
// function. After MISMATCH the function itself raises the TypeError that fits; the caller releases
// what was filled in any case.
Binding bind(const Signature &signature, PyObject *function, PyObject *const *args,
             Py_ssize_t n_args, PyObject *kwnames, PyObject **flat);
