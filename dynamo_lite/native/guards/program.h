// The Python type GuardProgram, and how the compiled callable runs one.
#pragma once
#include "guards/ops.h"

struct GuardProgram {
    PyObject_HEAD
    PyObject *ops;           // the tuple it was made from; keeps every operand alive
    guards::Block block;
    uint32_t failures;       // drives the occasional move of a failing check
    uint32_t running;        // evaluations under way; ops only move when there is one
};

extern PyTypeObject *guard_program_type;

enum { GUARD_PASSED = -1, GUARD_RAISED = -2 };

// The index of the op that fails, GUARD_PASSED, or GUARD_RAISED with an exception that is not an
// Exception (a KeyboardInterrupt, say). Exceptions in loads and checks are failures. `args` holds
// as many values as the program takes; `function` may be null.
int run_guards(GuardProgram *program, PyObject *const *args, PyObject *function);

// The same with the ops in the order in which they were given, and nothing moved.
int explain_guards(GuardProgram *program, PyObject *const *args, PyObject *function);
