// Callables of ours that own references: what they tell the garbage collector, and what is left of
// one that it has cleared. Such a type has a `vectorcall`, lists the references in OWNED, calls itself
// in RELEASED, and gives back in `release` what else it has.
#pragma once
#include "base/core.h"

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
    clear_owned<T>(object);
    as<T>(object)->release();
    type->tp_free(object);
    if (is_heap_type) Py_DECREF(type);
}
