// Callables of ours that own references: their types, what they tell the garbage collector, and what
// is left of one that it has cleared. Such a type has a `vectorcall`, lists the references in OWNED,
// calls itself in RELEASED, and gives back in `release` what else it has.
#pragma once
#include "base/core.h"

#include <structmember.h>

template <class T> T *as(PyObject *object) { return reinterpret_cast<T *>(object); }

inline bool is_on_heap(PyObject *object) {
    return PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE);
}

template <class T> int traverse_owned(PyObject *object, visitproc visit, void *arg) {
    if (is_on_heap(object)) Py_VISIT(Py_TYPE(object));
    for (auto field : T::OWNED) Py_VISIT(as<T>(object)->*field);
    return 0;
}

template <class T> PyObject *refuse_call(PyObject *, PyObject *const *, size_t, PyObject *) {
    return PyErr_Format(PyExc_RuntimeError, "%s been released", T::RELEASED);
}

template <class T> int clear_owned(PyObject *object) {
    as<T>(object)->vectorcall = refuse_call<T>;
    for (auto field : T::OWNED) Py_CLEAR(as<T>(object)->*field);
    return 0;
}

template <class T> void dealloc_owned(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    bool is_heap_type = is_on_heap(object);
    PyObject_GC_UnTrack(object);
    as<T>(object)->release();
    clear_owned<T>(object);
    type->tp_free(object);
    if (is_heap_type) Py_DECREF(type);
}

template <class T> constexpr PyMemberDef VECTORCALL = {
    "__vectorcalloffset__", T_PYSSIZET, offsetof(T, vectorcall), READONLY, nullptr};

template <class T> PyMemberDef NO_MEMBERS[] = {VECTORCALL<T>, {nullptr, 0, 0, 0, nullptr}};

// The type of such callables, or null. `members` begin with VECTORCALL; those that have no `make` are
// made in C++ alone.
template <class T> PyTypeObject *callable_type(const char *name, const char *doc, newfunc make = nullptr,
                                               PyMemberDef *members = NO_MEMBERS<T>) {
    PyType_Slot slots[] = {
        {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
        {Py_tp_traverse, reinterpret_cast<void *>(traverse_owned<T>)},
        {Py_tp_clear, reinterpret_cast<void *>(clear_owned<T>)},
        {Py_tp_dealloc, reinterpret_cast<void *>(dealloc_owned<T>)},
        {Py_tp_members, members},
        {Py_tp_doc, const_cast<char *>(doc)},
        {make ? Py_tp_new : 0, reinterpret_cast<void *>(make)},
        {0, nullptr},
    };
    unsigned long flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                          Py_TPFLAGS_IMMUTABLETYPE;
    if (!make) flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
    PyType_Spec spec = {name, sizeof(T), 0, static_cast<unsigned>(flags), slots};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

// A new one, whose references and other parts are null, or null.
template <class T> T *new_callable(PyTypeObject *type, vectorcallfunc call) {
    T *made = as<T>(type->tp_alloc(type, 0));
    if (made) made->vectorcall = call;
    return made;
}

inline int add_type(PyObject *module, PyTypeObject *type) {
    return type ? PyModule_AddType(module, type) : -1;
}
