// The Python types of cache entries and their counts.
#include "callable/callable.h"

#include <structmember.h>

PyTypeObject *cache_entry_type = nullptr;

namespace {

PyTypeObject *counts_type = nullptr;

void counts_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyMemberDef counts_members[] = {
    {"hits", T_PYSSIZET, offsetof(CallCounts, hits), READONLY, "Calls that it completed."},
    {"bailouts", T_PYSSIZET, offsetof(CallCounts, bailouts), READONLY,
     "Calls that bailed out."},
    {"replaced", T_PYSSIZET, offsetof(CallCounts, replaced), READONLY,
     "Calls for which the function ran after the entry was retired."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot counts_slots[] = {
    {Py_tp_doc, const_cast<char *>("What became of the calls of an entry, which it outlives.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(counts_dealloc)},
    {Py_tp_members, counts_members},
    {0, nullptr},
};

PyType_Spec counts_spec = {
    "dynamo_lite.native.CallCounts", sizeof(CallCounts), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    counts_slots,
};

CacheEntry *as_entry(PyObject *self) { return reinterpret_cast<CacheEntry *>(self); }

int entry_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_entry(self)->program);
    Py_VISIT(as_entry(self)->target);
    Py_VISIT(as_entry(self)->info);
    return 0;
}

// The program stays: a call may be about to run it.
int entry_clear(PyObject *self) {
    Py_CLEAR(as_entry(self)->target);
    Py_CLEAR(as_entry(self)->info);
    return 0;
}

void entry_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    entry_clear(self);
    Py_XDECREF(as_entry(self)->program);
    Py_XDECREF(as_entry(self)->counts);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject *entry_retired(PyObject *self, void *) { return PyBool_FromLong(!as_entry(self)->target); }

PyObject *entry_hits(PyObject *self, void *) {
    return PyLong_FromSsize_t(as_entry(self)->counts->hits);
}

PyObject *entry_bailouts(PyObject *self, void *) {
    return PyLong_FromSsize_t(as_entry(self)->counts->bailouts);
}

PyGetSetDef entry_attributes[] = {
    {"hits", entry_hits, nullptr, "Calls that it completed.", nullptr},
    {"bailouts", entry_bailouts, nullptr, "Calls that bailed out.", nullptr},
    {"retired", entry_retired, nullptr,
     "Whether it bailed out so often that the function runs in its place.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef entry_members[] = {
    {"program", T_OBJECT, offsetof(CacheEntry, program), READONLY, "Its guards."},
    {"target", T_OBJECT, offsetof(CacheEntry, target), READONLY,
     "What a call runs, or None once it is retired."},
    {"info", T_OBJECT, offsetof(CacheEntry, info), 0, "Anything that belongs to the entry."},
    {"leaves_arms", T_BOOL, offsetof(CacheEntry, leaves_arms), 0,
     "Whether it is retired when a good part of its calls bail out, and not only one after the\n"
     "other: arms of branches are left to Python that were taken to be cold."},
    {"counts", T_OBJECT, offsetof(CacheEntry, counts), READONLY,
     "What became of its calls; outlives the entry."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot entry_slots[] = {
    {Py_tp_doc, const_cast<char *>("One compiled variant of a function.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(entry_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void *>(entry_traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(entry_clear)},
    {Py_tp_members, entry_members},
    {Py_tp_getset, entry_attributes},
    {0, nullptr},
};

PyType_Spec entry_spec = {
    "dynamo_lite.native.Entry", sizeof(CacheEntry), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    entry_slots,
};

}  // namespace

PyObject *new_cache_entry(GuardProgram *program, PyObject *target, PyObject *info) {
    Ref counts(counts_type->tp_alloc(counts_type, 0));
    if (!counts) return nullptr;
    PyObject *self = cache_entry_type->tp_alloc(cache_entry_type, 0);
    if (!self) return nullptr;
    as_entry(self)->counts = reinterpret_cast<CallCounts *>(counts.release());
    as_entry(self)->program = reinterpret_cast<GuardProgram *>(Py_NewRef(program));
    as_entry(self)->target = Py_NewRef(target);
    as_entry(self)->info = Py_NewRef(info);
    return self;
}

int add_cache_entry(PyObject *module) {
    counts_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&counts_spec));
    if (!counts_type) return -1;
    PyObject *type = PyType_FromSpec(&entry_spec);
    if (!type) return -1;
    cache_entry_type = reinterpret_cast<PyTypeObject *>(type);
    return PyModule_AddObjectRef(module, "Entry", type);
}
