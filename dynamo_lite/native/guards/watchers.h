// Validity cells: one byte that tells whether a dictionary item or a type is as it was.
#pragma once
#include "base/core.h"

// The type of cells.
extern PyTypeObject *watch_cell_type;

// Whether what the cell watches is still as it was when the cell was made. Runs no Python code
// for dictionaries with string keys.
bool is_valid(PyObject *cell);
