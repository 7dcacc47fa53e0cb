// Draws of `random.Random`, from its own memory: where that lies in an object is found and tried out
// by the program that uses it (ir/random_memory.py).
#pragma once
#include "base/core.h"

#include <numpy/random/bitgen.h>

// One number of the distribution `number`, of those below; false where the method would raise, or the
// object is no `random.Random`.
bool draw_as_python(PyObject *owner, int32_t number, double a, double b, double *out);
constexpr int32_t N_PYTHON_DRAWS = 5;

// An integer between `low` and `high`, or with `bits` random bits.
bool draw_integer_as_python(PyObject *owner, int64_t low, int64_t high, int64_t *out);
bool draw_bits_as_python(PyObject *owner, int64_t bits, int64_t *out);

// Its words as the C interface of a bit generator; without state where it is no `random.Random`.
bitgen_t bitgen_of_python(PyObject *owner);

int add_python_draws(PyObject *module);
