// Type-exact equality of constants, for the EQUALS guard.
#pragma once
#include "base/core.h"

// Whether EQUALS can tell values like this one apart without running Python code.
bool is_constant(PyObject *value);

// Same type and same value, bit for bit: 1, 1.0 and True differ, -0.0 differs from 0.0, a NaN
// equals the same NaN. `constant` must be one that `is_constant` accepted. Runs no Python code.
bool exactly_equal(PyObject *value, PyObject *constant);

// Whether two dtypes describe the same elements: one type number and byte order, whatever the
// metadata. Structured and datetime dtypes compare by their contents.
bool same_dtype(PyArray_Descr *dtype, PyArray_Descr *wanted);
