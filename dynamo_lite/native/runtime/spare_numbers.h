// Numbers that nobody has any more, for the next ones that compiled code hands to Python: what a free
// list is to CPython's floats. Ints before 3.14 and NumPy's scalars have none of their own.
#pragma once
#include "base/core.h"

PyObject *new_int(int64_t value);
PyObject *new_double(double value);  // numpy.float64

// Drops a reference; the last one to such a number is kept instead.
void drop_number(PyObject *object);
