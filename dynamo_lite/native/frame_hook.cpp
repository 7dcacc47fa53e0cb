// Regions: stub.
#include "frame_hook.h"

vectorcallfunc plain_vectorcall = nullptr;
int installed_regions = 0;

namespace {

// The interpreter's own way to call a function, read off a fresh one.
vectorcallfunc find_plain_vectorcall() {
    Ref code(reinterpret_cast<PyObject *>(PyCode_NewEmpty("", "", 0))), globals(PyDict_New());
    if (!code || !globals) return nullptr;
    Ref function(PyFunction_New(code.get(), globals.get()));
    return function ? reinterpret_cast<PyFunctionObject *>(function.get())->vectorcall : nullptr;
}

}  // namespace

PyObject *run_outside_regions(PyObject *function, PyObject *const *args, size_t nargsf,
                              PyObject *kwnames) {
    return plain_vectorcall(function, args, nargsf, kwnames);
}

int add_frame_hook(PyObject *) {
    plain_vectorcall = find_plain_vectorcall();
    return plain_vectorcall ? 0 : -1;
}
