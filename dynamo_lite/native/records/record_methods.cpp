// The methods that records (dataclasses) share, for the fields of one class: no Python frame, no
// tuple of the fields, and for slots no look-up of names. Frozen classes refuse no store from here.
#include "base/core.h"

#include <structmember.h>

#include <vector>

namespace {

struct Field {
    PyObject *name;
    PyObject *value;    // the default, or what makes it; null where there is none
    Py_ssize_t offset;  // of its slot; 0 for an attribute that is no slot
    bool is_parameter, is_made;
};

struct Method {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyTypeObject *owner;
    std::vector<Field> *fields;
    PyObject *then;  // the name of the method that is called last; null where there is none
};

Method *method_of(PyObject *object) { return reinterpret_cast<Method *>(object); }

PyObject **slot_of(const Field &field, PyObject *instance) {
    return reinterpret_cast<PyObject **>(reinterpret_cast<char *>(instance) + field.offset);
}

PyObject *load(const Field &field, PyObject *instance) {
    PyObject *value = field.offset ? *slot_of(field, instance) : nullptr;
    return value ? Py_NewRef(value) : PyObject_GetAttr(instance, field.name);
}

bool store(const Field &field, PyObject *instance, Ref value) {
    if (!field.offset) return PyObject_GenericSetAttr(instance, field.name, value.get()) == 0;
    Ref old(std::exchange(*slot_of(field, instance), value.release()));
    return true;
}

// Whether a method was given an instance of its class and so many other arguments.
bool fits(const Method *self, PyObject *const *args, Py_ssize_t count, Py_ssize_t others) {
    if (count >= 1 && PyObject_TypeCheck(args[0], self->owner)) {
        if (others < 0 || count == others + 1) return true;
    }
    PyErr_Format(PyExc_TypeError, "a method of %s was called wrongly", self->owner->tp_name);
    return false;
}

// -- __init__

// The values of the fields, in their order; null where the call gives none.
class Given {
public:
    Given(const Method *self) : self(self), values(self->fields->size(), nullptr) {}
    bool take_positions(PyObject *const *args, Py_ssize_t count) {
        Py_ssize_t taken = 0;
        for (size_t i = 0; i < values.size() && taken < count; ++i) {
            if ((*self->fields)[i].is_parameter) values[i] = args[taken++];
        }
        return taken == count || refuse("%s() takes fewer arguments", nullptr);
    }
    bool take_names(PyObject *names, PyObject *const *args) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
            PyObject *name = PyTuple_GET_ITEM(names, i);
            PyObject **place = find(name);
            if (!place) return refuse("%s() has no parameter %R", name);
            if (*place) return refuse("%s() got several values for %R", name);
            *place = args[i];
        }
        return true;
    }
    // The value of a field; null without an exception where it stays unset.
    PyObject *value(size_t i) const {
        const Field &field = (*self->fields)[i];
        if (values[i]) return Py_NewRef(values[i]);
        if (field.is_made) return PyObject_CallNoArgs(field.value);
        if (field.value) return Py_NewRef(field.value);
        if (field.is_parameter) refuse("%s() misses %R", field.name);
        return nullptr;
    }

private:
    const Method *self;
    std::vector<PyObject *> values;

    // Names in the text of a program are interned: only those made while it runs are compared.
    PyObject **find(PyObject *name) {
        for (bool is_compared : {false, true}) {
            for (size_t i = 0; i < values.size(); ++i) {
                const Field &field = (*self->fields)[i];
                bool same = is_compared ? PyUnicode_Compare(field.name, name) == 0
                                        : field.name == name;
                if (same && field.is_parameter) return &values[i];
            }
        }
        return nullptr;
    }
    bool refuse(const char *text, PyObject *name) const {
        PyErr_Format(PyExc_TypeError, text, self->owner->tp_name, name);
        return false;
    }
};

PyObject *initialise(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *names) {
    const Method *self = method_of(object);
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    Given given(self);
    if (!fits(self, args, count, -1) || !given.take_positions(args + 1, count - 1)) return nullptr;
    if (names && !given.take_names(names, args + count)) return nullptr;
    for (size_t i = 0; i < self->fields->size(); ++i) {
        Ref value(given.value(i));
        if (!value && PyErr_Occurred()) return nullptr;
        if (value && !store((*self->fields)[i], args[0], std::move(value))) return nullptr;
    }
    return self->then ? PyObject_CallMethodNoArgs(args[0], self->then) : Py_NewRef(Py_None);
}

// -- __eq__ and __hash__, as if of a tuple of the fields

PyObject *equal(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *) {
    const Method *self = method_of(object);
    if (!fits(self, args, PyVectorcall_NARGS(nargsf), 1)) return nullptr;
    if (args[0] == args[1]) Py_RETURN_TRUE;
    if (!Py_IS_TYPE(args[1], Py_TYPE(args[0]))) Py_RETURN_NOTIMPLEMENTED;
    for (const Field &field : *self->fields) {
        Ref left(load(field, args[0])), right(left ? load(field, args[1]) : nullptr);
        int same = right ? PyObject_RichCompareBool(left.get(), right.get(), Py_EQ) : -1;
        if (same < 0) return nullptr;
        if (!same) Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

PyObject *hash(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *) {
    const Method *self = method_of(object);
    if (!fits(self, args, PyVectorcall_NARGS(nargsf), 0)) return nullptr;
    uint64_t total = self->fields->size();
    for (const Field &field : *self->fields) {
        Ref value(load(field, args[0]));
        Py_hash_t part = value ? PyObject_Hash(value.get()) : -1;
        if (part == -1) return nullptr;
        total += static_cast<uint64_t>(part) * 0xC2B2AE3D27D4EB4F;  // as CPython's tuples: xxHash
        total = ((total << 31) | (total >> 33)) * 0x9E3779B185EBCA87;
    }
    auto found = static_cast<Py_hash_t>(total);
    return PyLong_FromSsize_t(found == -1 ? -2 : found);
}

// -- the methods as objects

PyObject *bind(PyObject *object, PyObject *instance, PyObject *) {
    return instance ? PyMethod_New(object, instance) : Py_NewRef(object);
}

int traverse(PyObject *object, visitproc visit, void *arg) {
    Method *self = method_of(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->owner);
    for (Field &field : *self->fields) Py_VISIT(field.value);
    return 0;
}

void dealloc(PyObject *object) {
    Method *self = method_of(object);
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_XDECREF(self->owner);
    Py_XDECREF(self->then);
    for (Field &field : *self->fields) {
        Py_DECREF(field.name);
        Py_XDECREF(field.value);
    }
    delete self->fields;
    type->tp_free(object);
    Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void *>(bind)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
    {Py_tp_members, members},
    {Py_tp_doc, const_cast<char *>("A method of the records of one class.")},
    {0, nullptr},
};

PyType_Spec spec = {
    "dynamo_lite.native.RecordMethod", sizeof(Method), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
        Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION |
        Py_TPFLAGS_IMMUTABLETYPE,
    slots,
};

PyTypeObject *method_type = nullptr;

// Where instances of a class have a field; 0 where it is no slot.
Py_ssize_t offset_of(PyObject *owner, PyObject *name) {
    Ref member(PyObject_GetAttr(owner, name));
    if (!member) {
        PyErr_Clear();
        return 0;
    }
    if (!Py_IS_TYPE(member.get(), &PyMemberDescr_Type)) return 0;
    PyMemberDef *found = reinterpret_cast<PyMemberDescrObject *>(member.get())->d_member;
    return found->type == T_OBJECT_EX ? found->offset : 0;
}

// One row `(name, is parameter, is made, *default or what makes it)`.
bool add_field(Method *self, PyObject *row) {
    PyObject *name, *value = nullptr;
    int is_parameter, is_made;
    if (!PyArg_ParseTuple(row, "Upp|O", &name, &is_parameter, &is_made, &value)) return false;
    PyObject *owner = reinterpret_cast<PyObject *>(self->owner);
    self->fields->push_back({Py_NewRef(name), Py_XNewRef(value), offset_of(owner, name),
                             is_parameter != 0, is_made != 0});
    return true;
}

PyObject *make(vectorcallfunc run, PyTypeObject *owner, PyObject *rows, PyObject *then) {
    auto made = PyObject_GC_New(Method, method_type);
    if (!made) return nullptr;
    made->vectorcall = run;
    made->owner = reinterpret_cast<PyTypeObject *>(Py_NewRef(owner));
    made->fields = new std::vector<Field>;
    made->then = then == Py_None ? nullptr : Py_NewRef(then);
    PyObject_GC_Track(made);
    Ref result(reinterpret_cast<PyObject *>(made));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rows); ++i) {
        if (!add_field(made, PyTuple_GET_ITEM(rows, i))) return nullptr;
    }
    return result.release();
}

PyObject *record_methods(PyObject *, PyObject *args) {
    PyTypeObject *owner;
    PyObject *rows, *then;
    if (!PyArg_ParseTuple(args, "O!O!O", &PyType_Type, &owner, &PyTuple_Type, &rows, &then)) {
        return nullptr;
    }
    Ref methods(PyTuple_New(3));
    Py_ssize_t i = 0;
    for (vectorcallfunc run : {initialise, equal, hash}) {
        PyObject *method = methods ? make(run, owner, rows, then) : nullptr;
        if (!method) return nullptr;
        PyTuple_SET_ITEM(methods.get(), i++, method);
    }
    return methods.release();
}

PyMethodDef functions[] = {
    {"record_methods", record_methods, METH_VARARGS,
     "record_methods(class, rows, then, /)\n--\n\n"
     "`__init__`, `__eq__` and `__hash__` of a class with these fields, each a row `(name, is\n"
     "parameter, is made, *default or what makes it)`; `then` names what `__init__` calls last."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_record_methods(PyObject *module) {
    method_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return method_type ? PyModule_AddFunctions(module, functions) : -1;
}
