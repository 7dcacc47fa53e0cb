// The account of a loop with side exits.
#pragma once
#include "base/core.h"

bool is_balance(PyObject *object);

// Whether to go on in compiled form at an exit behind so many iterations, each of which saves so many
// nanoseconds; -1 with an exception.
int pays(PyObject *balance, PyObject *iterations, PyObject *saves);
