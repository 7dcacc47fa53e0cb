// The array runtime: native entries, the functions that generated code calls, threads and objects.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

// Adds NativeEntry, BoundEntry, load_object and the thread settings to the module. Needs NumPy's
// array API imported (module.cpp does, once for all files).
int add_runtime(PyObject *module);
