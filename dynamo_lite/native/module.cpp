// The extension module dynamo_lite.native._core.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", nullptr, -1, nullptr};

PyMODINIT_FUNC PyInit__core(void) { return PyModule_Create(&definition); }
