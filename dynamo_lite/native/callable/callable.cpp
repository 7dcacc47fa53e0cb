// The Python type CompiledFunction: its life, its attributes and its methods.
#include "callable/callable.h"

#include <structmember.h>

namespace {

PyTypeObject *compiled_function_type = nullptr;

constexpr Py_ssize_t RETIRE_AFTER = 8;

CompiledFunction *as_compiled(PyObject *self) { return reinterpret_cast<CompiledFunction *>(self); }

// What functools.wraps copies: the type has a __module__ and a __doc__ of its own, so these live
// in the instance's dictionary.
int copy_attributes(PyObject *function, PyObject *dict) {
    if (PyObject *attributes = reinterpret_cast<PyFunctionObject *>(function)->func_dict) {
        if (PyDict_Update(dict, attributes) < 0) return -1;
    }
    for (const char *name : {"__module__", "__doc__"}) {
        Ref value(PyObject_GetAttrString(function, name));
        if (!value || PyDict_SetItemString(dict, name, value.get()) < 0) return -1;
    }
    if (PyDict_GetItemString(dict, "__wrapped__")) {  // else it would hide the function itself
        return PyDict_DelItemString(dict, "__wrapped__");
    }
    return 0;
}

PyObject *compiled_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *function, *miss;
    if (keywords && PyDict_GET_SIZE(keywords)) {
        PyErr_SetString(PyExc_TypeError, "CompiledFunction takes no keyword arguments");
        return nullptr;
    }
    if (!PyArg_ParseTuple(args, "O!O:CompiledFunction", &PyFunction_Type, &function, &miss)) {
        return nullptr;
    }
    Ref object(type->tp_alloc(type, 0));
    if (!object) return nullptr;
    CompiledFunction *self = as_compiled(object.get());
    self->vectorcall = call_compiled;
    self->function = Py_NewRef(function);
    self->miss = Py_NewRef(miss);
    self->retire_after = RETIRE_AFTER;
    self->signature = signature_of(PyFunction_GET_CODE(function));
    self->entries = PyTuple_New(0);
    self->dict = PyDict_New();
    bool is_complete = self->entries && self->dict && copy_attributes(function, self->dict) == 0;
    return is_complete ? object.release() : nullptr;
}

int compiled_traverse(PyObject *object, visitproc visit, void *arg) {
    CompiledFunction *self = as_compiled(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->dict);
    Py_VISIT(self->function);
    Py_VISIT(self->miss);
    Py_VISIT(self->entries);
    Py_VISIT(self->disabled);
    return 0;
}

// The function stays, so that a call from a finalizer still finds it; its own parts are cleared.
int compiled_clear(PyObject *object) {
    CompiledFunction *self = as_compiled(object);
    Py_CLEAR(self->dict);
    Py_CLEAR(self->miss);
    Py_CLEAR(self->entries);
    Py_CLEAR(self->disabled);
    return 0;
}

void compiled_dealloc(PyObject *object) {
    CompiledFunction *self = as_compiled(object);
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self->weakrefs) PyObject_ClearWeakRefs(object);
    compiled_clear(object);
    Py_CLEAR(self->function);
    Py_XDECREF(self->signature.code);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject *compiled_get(PyObject *self, PyObject *instance, PyObject *) {
    if (!instance || Py_IsNone(instance)) return Py_NewRef(self);
    return PyMethod_New(self, instance);
}

PyObject *compiled_repr(PyObject *self) {
    Ref name(PyObject_GetAttrString(self, "__qualname__"));
    return name ? PyUnicode_FromFormat("<compiled function %U at %p>", name.get(), self) : nullptr;
}

// -- attributes: the instance's dictionary first, then the function

PyObject *get_delegated(PyObject *self, void *name) {
    PyObject *dict = as_compiled(self)->dict;
    PyObject *own = dict ? PyDict_GetItemString(dict, static_cast<char *>(name)) : nullptr;
    if (own) return Py_NewRef(own);
    return PyObject_GetAttrString(as_compiled(self)->function, static_cast<char *>(name));
}

PyObject *get_wrapped(PyObject *self, void *name) {
    PyObject *dict = as_compiled(self)->dict;
    PyObject *own = dict ? PyDict_GetItemString(dict, static_cast<char *>(name)) : nullptr;
    return Py_NewRef(own ? own : as_compiled(self)->function);
}

int set_own(PyObject *self, PyObject *value, void *name) {
    Ref dict(PyObject_GenericGetDict(self, nullptr));
    if (!dict) return -1;
    if (value) return PyDict_SetItemString(dict.get(), static_cast<char *>(name), value);
    return PyDict_DelItemString(dict.get(), static_cast<char *>(name));
}

// What decides how the function runs is set on the function.
int set_on_function(PyObject *self, PyObject *value, void *name) {
    return PyObject_SetAttrString(as_compiled(self)->function, static_cast<char *>(name), value);
}

PyObject *get_disabled(PyObject *self, void *) {
    PyObject *reason = as_compiled(self)->disabled;
    return Py_NewRef(reason ? reason : Py_None);
}

#define NAMED(name) const_cast<char *>(name)
#define OWN(name) {name, get_delegated, set_own, nullptr, NAMED(name)}
#define OF_FUNCTION(name) {name, get_delegated, set_on_function, nullptr, NAMED(name)}
#define FIXED(name) {name, get_delegated, nullptr, nullptr, NAMED(name)}
PyGetSetDef compiled_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__wrapped__", get_wrapped, set_own, "The plain function.", NAMED("__wrapped__")},
    OWN("__name__"),
    OWN("__qualname__"),
    OWN("__annotations__"),
#if PY_VERSION_HEX >= 0x030C0000
    OWN("__type_params__"),
#endif
    OF_FUNCTION("__code__"),
    OF_FUNCTION("__defaults__"),
    OF_FUNCTION("__kwdefaults__"),
    FIXED("__globals__"),
    FIXED("__closure__"),
    FIXED("__builtins__"),
    {"disabled", get_disabled, nullptr, "Why nothing is compiled any more, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
#undef NAMED
#undef OWN
#undef OF_FUNCTION
#undef FIXED

PyMemberDef compiled_members[] = {
    {"miss", T_OBJECT, offsetof(CompiledFunction, miss), READONLY,
     "What is asked for an entry."},
    {"retire_after", T_PYSSIZET, offsetof(CompiledFunction, retire_after), 0,
     "Calls that bailed out in a row after which an entry is retired; 0 for never."},
    {"patience", T_PYSSIZET, offsetof(CompiledFunction, patience), 0,
     "Calls that find no entry and run the function, before the next one asks for an entry."},
    {"unfit", T_PYSSIZET, offsetof(CompiledFunction, unfit), READONLY,
     "Calls that ran in Python because no entry fitted, or because none may run now."},
    {"waiting", T_PYSSIZET, offsetof(CompiledFunction, waiting), 0,
     "Nanoseconds that calls without an entry run in Python, before one asks for an entry."},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledFunction, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CompiledFunction, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledFunction, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

// -- methods

// As the miss callback's method `reduced` says, or by the name.
PyObject *compiled_reduce(PyObject *self, PyObject *) {
    PyObject *miss = as_compiled(self)->miss;
    Ref reduced(miss ? PyObject_GetAttrString(miss, "reduced") : nullptr);
    if (reduced) return PyObject_CallOneArg(reduced.get(), self);
    PyErr_Clear();
    return PyObject_GetAttrString(self, "__qualname__");
}

// A copy is the function itself, as of any function.
PyObject *compiled_copy(PyObject *self, PyObject *) { return Py_NewRef(self); }

Ref entries_without(PyObject *entries, PyObject *entry) {
    Ref list(PySequence_List(entries));
    Py_ssize_t i = list ? PySequence_Index(list.get(), entry) : -1;
    if (i < 0 || PySequence_DelItem(list.get(), i) < 0) return Ref();
    return Ref(PyList_AsTuple(list.get()));
}

Ref entries_with(PyObject *entries, PyObject *entry) {
    Ref first(PyTuple_Pack(1, entry));
    return first ? Ref(PySequence_Concat(first.get(), entries)) : Ref();
}

bool replace_entries(PyObject *self, Ref entries) {
    if (!entries) return false;
    Ref old(std::exchange(as_compiled(self)->entries, entries.release()));
    return true;
}

PyObject *compiled_add_entry(PyObject *object, PyObject *args) {
    CompiledFunction *self = as_compiled(object);
    PyObject *program, *target, *info = Py_None;
    if (!PyArg_ParseTuple(args, "O!O|O:add_entry", guard_program_type, &program, &target, &info)) {
        return nullptr;
    }
    follow_code(self);
    auto guards = reinterpret_cast<GuardProgram *>(program);
    if (guards->block.n_args != self->signature.flat || !PyCallable_Check(target)) {
        PyErr_Format(PyExc_ValueError, "needs guards over %d flat arguments and a callable",
                     self->signature.flat);
        return nullptr;
    }
    Ref entry(new_cache_entry(guards, target, info));
    if (!entry || !replace_entries(object, entries_with(self->entries, entry.get()))) {
        return nullptr;
    }
    return entry.release();
}

PyObject *compiled_entries(PyObject *self, PyObject *) {
    return PySequence_List(as_compiled(self)->entries);
}

PyObject *compiled_remove_entry(PyObject *self, PyObject *entry) {
    if (!replace_entries(self, entries_without(as_compiled(self)->entries, entry))) return nullptr;
    Py_RETURN_NONE;
}

PyObject *compiled_clear_entries(PyObject *self, PyObject *) {
    if (!replace_entries(self, Ref(PyTuple_New(0)))) return nullptr;
    Py_CLEAR(as_compiled(self)->disabled);
    as_compiled(self)->patience = as_compiled(self)->waiting = as_compiled(self)->unfit = 0;
    as_compiled(self)->told_watched = false;
    Py_RETURN_NONE;
}

PyObject *compiled_disable(PyObject *self, PyObject *reason) {
    Ref old(std::exchange(as_compiled(self)->disabled,
                          Py_IsNone(reason) ? nullptr : Py_NewRef(reason)));
    Py_RETURN_NONE;
}

PyObject *compiled_why_miss(PyObject *object, PyObject *given) {
    CompiledFunction *self = as_compiled(object);
    Ref flat(PySequence_Tuple(given)), entries = Ref::borrow(self->entries), failing(PyList_New(0));
    if (!flat || !failing) return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(entries.get()); ++i) {
        auto entry = reinterpret_cast<CacheEntry *>(PyTuple_GET_ITEM(entries.get(), i));
        if (PyTuple_GET_SIZE(flat.get()) != entry->program->block.n_args) {
            PyErr_SetString(PyExc_ValueError, "these are not the function's flat arguments");
            return nullptr;
        }
        int origin = explain_guards(entry->program, &PyTuple_GET_ITEM(flat.get(), 0),
                                    self->function);
        if (origin == GUARD_RAISED) return nullptr;
        Ref number(PyLong_FromLong(origin));
        if (!number || PyList_Append(failing.get(), number.get()) < 0) return nullptr;
    }
    return failing.release();
}

PyMethodDef compiled_methods[] = {
    {"__reduce__", compiled_reduce, METH_NOARGS, nullptr},
    {"__copy__", compiled_copy, METH_NOARGS, nullptr},
    {"__deepcopy__", compiled_copy, METH_O, nullptr},
    {"add_entry", compiled_add_entry, METH_VARARGS,
     "add_entry($self, program, target, info=None, /)\n--\n\nAdds a variant; it is tried first."},
    {"entries", compiled_entries, METH_NOARGS,
     "entries($self, /)\n--\n\nThe entries, in the order in which they are tried."},
    {"remove_entry", compiled_remove_entry, METH_O,
     "remove_entry($self, entry, /)\n--\n\nForgets one entry."},
    {"clear", compiled_clear_entries, METH_NOARGS,
     "clear($self, /)\n--\n\nForgets all entries, and why it was disabled."},
    {"disable", compiled_disable, METH_O,
     "disable($self, reason, /)\n--\n\n"
     "From here on a miss runs the function; entries still serve. None takes it back."},
    {"why_miss", compiled_why_miss, METH_O,
     "why_miss($self, flat_args, /)\n--\n\n"
     "For each entry the index of the guard op that fails, or -1."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot compiled_slots[] = {
    {Py_tp_doc, const_cast<char *>("CompiledFunction(fn, miss, /)\n--\n\n"
                                   "A function that runs a compiled variant where one fits.")},
    {Py_tp_new, reinterpret_cast<void *>(compiled_new)},
    {Py_tp_dealloc, reinterpret_cast<void *>(compiled_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void *>(compiled_traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(compiled_clear)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void *>(compiled_get)},
    {Py_tp_repr, reinterpret_cast<void *>(compiled_repr)},
    {Py_tp_methods, compiled_methods},
    {Py_tp_members, compiled_members},
    {Py_tp_getset, compiled_attributes},
    {0, nullptr},
};

PyType_Spec compiled_spec = {
    "dynamo_lite.native.CompiledFunction", sizeof(CompiledFunction), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
        Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_IMMUTABLETYPE,
    compiled_slots,
};

}  // namespace

bool is_compiled_function(PyObject *object) { return Py_IS_TYPE(object, compiled_function_type); }

int add_callable(PyObject *module) {
    if (add_cache_entry(module) < 0) return -1;
    PyObject *type = PyType_FromSpec(&compiled_spec);
    if (!type) return -1;
    compiled_function_type = reinterpret_cast<PyTypeObject *>(type);
    return PyModule_AddObjectRef(module, "CompiledFunction", type);
}
