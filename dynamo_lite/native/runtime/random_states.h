// Random states: where NumPy's generators keep what a draw changes. The layouts are found by the
// program that uses them (runtime/random_states.py), which tries them out; unknown ones have none.
#pragma once
#include "base/core.h"

#include <numpy/random/bitgen.h>

// A bit generator's class: where its objects have NumPy's C interface, and the parts of its state.
struct StatePart {
    Py_ssize_t pointer_at;  // in the state itself, of a pointer to the part; the state where negative
    Py_ssize_t size;
};

struct BitGeneratorLayout {
    static constexpr int MOST_PARTS = 3;
    PyTypeObject *type;
    Py_ssize_t bitgen_at;
    StatePart parts[MOST_PARTS];
    int n_parts;
    Py_ssize_t size;
};

// The class of what has a bit generator: where it has it, and what it keeps beside it.
struct OwnerLayout {
    PyTypeObject *type;
    Py_ssize_t bit_generator_at, own_at, own_size;
};

// Where all the state of a generator lies; no `bits` when the layout of its classes is not known.
struct StatePlace {
    PyObject *bit_generator;
    const OwnerLayout *owner;
    const BitGeneratorLayout *bits;
    bitgen_t *bitgen;
};

StatePlace place_of_state(PyObject *owner);
