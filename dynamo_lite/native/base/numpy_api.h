// NumPy's C API, imported once by module.cpp and shared by every file of the core.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef PY_ARRAY_UNIQUE_SYMBOL
#define PY_ARRAY_UNIQUE_SYMBOL dynamo_lite_ARRAY_API
#endif
#ifndef NPY_NO_DEPRECATED_API
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#endif
#ifndef NPY_TARGET_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#endif
#ifndef DYNAMO_LITE_IMPORTS_ARRAY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

// results.cpp: a new array, whose elements are packed in some order of the axes; null with an
// exception.
PyObject *packed_array(PyArray_Descr *descr, int32_t ndim, const int64_t *shape,
                       const int64_t *strides);
int add_results(PyObject *module);
int add_list_numbers(PyObject *module);
int add_list_rows(PyObject *module);
