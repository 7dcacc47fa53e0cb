// The extension module dynamo_lite.native._core.
#define DYNAMO_LITE_IMPORTS_ARRAY
#include "base/core.h"
#include "callable/callable.h"
#include "interpreter/interpreter.h"
#include "runtime/runtime.h"

PyObject *bailout = nullptr;

namespace {

PyObject *bailout_repr(PyObject *) { return PyUnicode_FromString("BAILOUT"); }

PyObject *bailout_reduce(PyObject *, PyObject *) { return PyUnicode_FromString("BAILOUT"); }

PyMethodDef bailout_methods[] = {
    {"__reduce__", bailout_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot bailout_slots[] = {
    {Py_tp_repr, reinterpret_cast<void *>(bailout_repr)},
    {Py_tp_methods, bailout_methods},
    {Py_tp_doc, const_cast<char *>("What a target returns when it bailed out.")},
    {0, nullptr},
};

PyType_Spec bailout_spec = {
    "dynamo_lite.native.Bailout", sizeof(PyObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    bailout_slots,
};

int add_bailout(PyObject *module) {
    Ref type(PyType_FromSpec(&bailout_spec));
    if (!type) return -1;
    bailout = PyObject_New(PyObject, reinterpret_cast<PyTypeObject *>(type.get()));
    return bailout ? PyModule_AddObjectRef(module, "BAILOUT", bailout) : -1;
}

PyObject *get_filters_version(PyObject *, PyObject *) {
    return PyLong_FromLong(filters_version());
}

PyObject *put_filters_version(PyObject *, PyObject *argument) {
    long version = PyLong_AsLong(argument);
    if (version == -1 && PyErr_Occurred()) return nullptr;
    set_filters_version(version);
    Py_RETURN_NONE;
}

PyObject *get_lines_are_watched(PyObject *, PyObject *) {
    return PyBool_FromLong(lines_are_watched(PyThreadState_Get()));
}

PyObject *put_all_in_python(PyObject *, PyObject *argument) {
    int is_so = PyObject_IsTrue(argument);
    if (is_so < 0) return nullptr;
    run_all_in_python(is_so);
    Py_RETURN_NONE;
}

PyObject *put_compile_watched(PyObject *, PyObject *argument) {
    int is_so = PyObject_IsTrue(argument);
    if (is_so < 0) return nullptr;
    compile_watched(is_so);
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"run_all_in_python", put_all_in_python, METH_O,
     "Whether every compiled function runs in Python from here on."},
    {"compile_watched", put_compile_watched, METH_O,
     "Whether compiled functions run compiled although lines are watched."},
    {"lines_are_watched", get_lines_are_watched, METH_NOARGS,
     "Whether a debugger, coverage tool or line profiler is active: compiled functions then run "
     "in Python."},
    {"filters_version", get_filters_version, METH_NOARGS,
     "How often the filters of warnings have changed; warnings shown before are then forgotten."},
    {"set_filters_version", put_filters_version, METH_O,
     "Have the filters count as unchanged since that version."},
    {nullptr, nullptr, 0, nullptr},
};

int add_functions(PyObject *module) { return PyModule_AddFunctions(module, functions); }

using Part = int (*)(PyObject *);
constexpr Part PARTS[] = {
    add_functions, add_bailout, add_watchers, add_guard_program, add_callable, add_regions,
    add_sampling, add_keeping, add_running_frames, add_stoppable_iterator, add_continuations,
    add_range_iterators, add_own_attributes, add_balance, add_steps, add_arms, add_runtime, add_cuda,
    add_interned, add_tree, add_record_methods, add_object_compiler, add_set_tables, add_spans,
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "dynamo_lite.native._core",
    "The compiled callable, its guards, and the runtime of compiled graphs.",
    -1, nullptr, nullptr, nullptr, nullptr, nullptr,
};

}  // namespace

PyMODINIT_FUNC PyInit__core() {
    import_array();
    PyObject *module = PyModule_Create(&definition);
    if (!module) return nullptr;
    for (Part add : PARTS) {
        if (add(module) < 0) {
            Py_DECREF(module);
            return nullptr;
        }
    }
    return module;
}
