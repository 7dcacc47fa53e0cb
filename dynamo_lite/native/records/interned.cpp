// Interned: the metaclass of classes of which there is one instance for equal fields. The fields are
// those in `__match_args__`; instances that nobody uses any more are forgotten.
#include "base/core.h"

namespace {

PyObject *table;             // (class, *fields) -> weak reference to the instance
PyObject *match_args_name;   // "__match_args__"

// The instance that is alive; null without an exception where there is none.
PyObject *find(PyObject *key) {
    PyObject *ref = PyDict_GetItemWithError(table, key);
    if (!ref) return nullptr;
#if PY_VERSION_HEX >= 0x030d0000
    PyObject *instance = nullptr;
    PyWeakref_GetRef(ref, &instance);
    return instance;
#else
    PyObject *instance = PyWeakref_GetObject(ref);
    return instance == Py_None ? nullptr : Py_NewRef(instance);
#endif
}

// Called when an instance has ended, with its key.
PyObject *forget(PyObject *key, PyObject *ref) {
    PyObject *present = PyDict_GetItemWithError(table, key);
    if (present == ref && PyDict_DelItem(table, key) < 0) return nullptr;
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
}

PyMethodDef forget_definition = {"forget", forget, METH_O, nullptr};

PyObject *key_of(PyObject *type, PyObject *fields) {
    Py_ssize_t count = PyTuple_GET_SIZE(fields);
    PyObject *key = PyTuple_New(count + 1);
    if (!key) return nullptr;
    PyTuple_SET_ITEM(key, 0, Py_NewRef(type));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyTuple_SET_ITEM(key, i + 1, Py_NewRef(PyTuple_GET_ITEM(fields, i)));
    }
    return key;
}

// An instance with these fields, past the refusal of a frozen class.
PyObject *make(PyObject *type, PyObject *names, PyObject *fields) {
    auto *as_type = reinterpret_cast<PyTypeObject *>(type);
    Ref made(as_type->tp_alloc(as_type, 0));
    if (!made) return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); ++i) {
        PyObject *name = PyTuple_GET_ITEM(names, i), *field = PyTuple_GET_ITEM(fields, i);
        if (PyObject_GenericSetAttr(made.get(), name, field) < 0) return nullptr;
    }
    return made.release();
}

PyObject *fields_of(PyObject *instance, PyObject *names) {
    Ref fields(PyTuple_New(PyTuple_GET_SIZE(names)));
    for (Py_ssize_t i = 0; fields && i < PyTuple_GET_SIZE(names); ++i) {
        PyObject *field = PyObject_GetAttr(instance, PyTuple_GET_ITEM(names, i));
        if (!field) return nullptr;
        PyTuple_SET_ITEM(fields.get(), i, field);
    }
    return fields.release();
}

// The instance that everybody gets: this one, unless an equal one has been made meanwhile.
PyObject *keep(PyObject *key, PyObject *made) {
    PyObject *known = find(key);
    if (known || PyErr_Occurred()) return known;
    Ref callback(PyCFunction_New(&forget_definition, key));
    Ref ref(callback ? PyWeakref_NewRef(made, callback.get()) : nullptr);
    if (!ref || PyDict_SetItem(table, key, ref.get()) < 0) return nullptr;
    return Py_NewRef(made);
}

PyObject *call(PyObject *type, PyObject *args, PyObject *kwargs) {
    Ref names(PyObject_GetAttr(type, match_args_name));
    if (!names) return nullptr;
    bool plain = !kwargs && PyTuple_GET_SIZE(args) == PyTuple_GET_SIZE(names.get());
    Ref made, fields = plain ? Ref::borrow(args) : Ref();
    if (!plain) {
        made = Ref(PyType_Type.tp_call(type, args, kwargs));
        fields = Ref(made ? fields_of(made.get(), names.get()) : nullptr);
    }
    Ref key(fields ? key_of(type, fields.get()) : nullptr);
    if (!key) return nullptr;
    if (plain) {
        PyObject *known = find(key.get());
        if (known || PyErr_Occurred()) return known;
        made = Ref(make(type, names.get(), args));
    }
    return made ? keep(key.get(), made.get()) : nullptr;
}

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void *>(call)},
    {Py_tp_doc, const_cast<char *>("Metaclass: equal fields give the same instance.")},
    {0, nullptr},
};

PyType_Spec spec = {
    "dynamo_lite.native.Interned", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots,
};

}  // namespace

int add_interned(PyObject *module) {
    table = PyDict_New();
    match_args_name = PyUnicode_InternFromString("__match_args__");
    if (!table || !match_args_name) return -1;
    Ref type(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject *>(&PyType_Type)));
    return type ? PyModule_AddObjectRef(module, "Interned", type.get()) : -1;
}
