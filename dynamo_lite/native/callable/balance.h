// The account of a loop with side exits.
#pragma once
#include "base/core.h"

// Nanoseconds for leaving a loop by a side exit, and entering it again behind what Python did; and
// where that is an arm, behind which steps of the core go on.
constexpr double CROSSING = 1'500, CROSSING_OF_ARM = 400;

bool is_balance(PyObject *object);

// Whether to go on in compiled form at an exit behind so many iterations, each of which saves so many
// nanoseconds; -1 with an exception.
int pays(PyObject *balance, PyObject *iterations, PyObject *saves, double crossing);
