// An iterator that can be told to end before its time.
#include "base/core.h"

#include <structmember.h>

namespace {

struct Iterator {
    PyObject_HEAD
    PyObject *iterator;
    char is_stopped, was_stopped;
};

Iterator *cast(PyObject *object) { return reinterpret_cast<Iterator *>(object); }

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *iterator;
    if (!PyArg_ParseTuple(args, "O:StoppableIterator", &iterator)) return nullptr;
    PyObject *object = type->tp_alloc(type, 0);
    if (object) cast(object)->iterator = Py_NewRef(iterator);
    return object;
}

int traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(cast(object)->iterator);
    return 0;
}

int clear(PyObject *object) {
    Py_CLEAR(cast(object)->iterator);
    return 0;
}

void dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject *next_item(PyObject *object) {
    Iterator *self = cast(object);
    if (self->is_stopped) self->was_stopped = 1;
    return self->is_stopped || !self->iterator ? nullptr : PyIter_Next(self->iterator);
}

PyObject *length_hint(PyObject *object, PyObject *) {
    PyObject *iterator = cast(object)->iterator;
    Py_ssize_t hint = iterator ? PyObject_LengthHint(iterator, 0) : 0;
    return hint < 0 ? nullptr : PyLong_FromSsize_t(hint);
}

PyMethodDef methods[] = {
    {"__length_hint__", length_hint, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"iterator", T_OBJECT, offsetof(Iterator, iterator), READONLY, "What the items come from."},
    {"is_stopped", T_BOOL, offsetof(Iterator, is_stopped), 0,
     "Whether there is to be no next item."},
    {"was_stopped", T_BOOL, offsetof(Iterator, was_stopped), READONLY,
     "Whether an item was asked for after that."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
    {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void *>(next_item)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_doc, const_cast<char *>("The items of an iterator, until it is stopped.")},
    {0, nullptr},
};

PyType_Spec spec = {
    "dynamo_lite.native.StoppableIterator", sizeof(Iterator), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots,
};

}  // namespace

int add_stoppable_iterator(PyObject *module) {
    Ref type(PyType_FromSpec(&spec));
    return type ? PyModule_AddObjectRef(module, "StoppableIterator", type.get()) : -1;
}
