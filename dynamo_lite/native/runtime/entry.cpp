// NativeEntry: one compiled graph. A call is an attempt: it fills its slots with fresh objects, and
// either hands out the first of them or, when it bails out, releases them all.
#include "base/callables.h"
#include "base/spans.h"
#include "runtime/fp_state.h"
#include "runtime/runtime.h"

#include <algorithm>

namespace {

constexpr Py_ssize_t INLINE_OBJECTS = 16;  // this many fit on the C stack

struct NativeEntry {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    EntryFunction function;
    Py_ssize_t n_inputs, n_slots, n_outputs;
    PyObject **objects;    // borrowed from the two tuples, constants first
    PyObject *owner, *constants, *descrs;
    unsigned inexact_flags;
    char single, check_flags;

    static constexpr const char *RELEASED = "this compiled graph has";
    static constexpr PyObject *NativeEntry::*OWNED[] = {
        &NativeEntry::owner, &NativeEntry::constants, &NativeEntry::descrs};
    void release() { PyMem_Free(objects); }
};

struct BoundEntry {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *entry;
    Py_ssize_t n_args, n_indices;
    Py_ssize_t *indices;

    static constexpr const char *RELEASED = NativeEntry::RELEASED;
    static constexpr PyObject *BoundEntry::*OWNED[] = {&BoundEntry::entry};
    void release() { PyMem_Free(indices); }
};

// Object pointers for the length of a call, on the C stack when there are few.
struct Pointers {
    PyObject *inline_items[INLINE_OBJECTS];
    PyObject **items;

    bool make(Py_ssize_t count) {
        items = inline_items;
        if (count > INLINE_OBJECTS) items = PyMem_New(PyObject *, count);
        return items != nullptr;
    }
    void free() {
        if (items != inline_items) PyMem_Free(items);
    }
};

bool has_outputs(NativeEntry *self, PyObject **slots) {
    for (Py_ssize_t i = 0; i < self->n_outputs; ++i) {
        if (slots[i] != nullptr) continue;
        PyErr_Format(PyExc_SystemError, "compiled graph left output %zd empty", i);
        return false;
    }
    return true;
}

PyObject *collect_outputs(NativeEntry *self, PyObject **slots) {
    if (self->single) return std::exchange(slots[0], nullptr);
    PyObject *outputs = PyTuple_New(self->n_outputs);
    for (Py_ssize_t i = 0; outputs != nullptr && i < self->n_outputs; ++i) {
        PyTuple_SET_ITEM(outputs, i, std::exchange(slots[i], nullptr));
    }
    return outputs;
}

bool succeeded(NativeEntry *self, Call *call, int32_t code) {
    if (code != OK) return false;
    if (call->committed) return true;
    if (self->check_flags) return commit(&call->frame) == OK;
    return call->frame.status == 0;
}

// A call of the graph, which fills the slots: empty before.
ALWAYS_INLINE Ran attempt_in(
    NativeEntry *self, PyObject *const *inputs, PyObject **slots, bool is_counted) {
    Call call = {};
    call.inexact_flags = self->inexact_flags;
    call.keeps_gil = is_counted;
    call.frame = {const_cast<PyObject **>(inputs), slots, self->objects, runtime_table, 0,
                  is_counted};
    Py_INCREF(self);
    clear_fp_flags();
    int32_t code = self->function(&call.frame);
    take_gil(&call);
    Ran ran = Ran::BAILED_OUT;
    if (succeeded(self, &call, code)) {
        ran = has_outputs(self, slots) ? Ran::DONE : Ran::RAISED;
    } else {
        undo(&call);
    }
    release_scratch(&call);
    Py_DECREF(self);
    return ran;
}

// `take` is given the slots of a graph that has succeeded, and takes its outputs; false if it raises.
template <class Take>
ALWAYS_INLINE Ran attempt(NativeEntry *self, PyObject *const *inputs, bool is_counted, Take take) {
    Pointers slots;
    if (!slots.make(self->n_slots)) return PyErr_NoMemory(), Ran::RAISED;
    Py_ssize_t n_slots = self->n_slots;
    std::fill_n(slots.items, n_slots, nullptr);
    Ran ran = attempt_in(self, inputs, slots.items, is_counted);
    if (ran == Ran::DONE && !take(slots.items)) ran = Ran::RAISED;
    for (Py_ssize_t i = 0; i < n_slots; ++i) Py_XDECREF(slots.items[i]);
    slots.free();
    return ran;
}

template <class Take>
NEVER_INLINE Ran attempt_counted(NativeEntry *self, PyObject *const *inputs, Take take) {
    Span span(Spent::ENTRY, reinterpret_cast<PyObject *>(self));
    return attempt(self, inputs, true, take);
}

template <class Take>
ALWAYS_INLINE Ran run_into(NativeEntry *self, PyObject *const *inputs, Take take) {
    return are_spans_counted ? attempt_counted(self, inputs, take)
                             : attempt(self, inputs, false, take);
}

ALWAYS_INLINE PyObject *run(NativeEntry *self, PyObject *const *inputs) {
    PyObject *result = nullptr;
    Ran ran = run_into(self, inputs, [&](PyObject **slots) {
        return (result = collect_outputs(self, slots)) != nullptr;
    });
    return ran == Ran::BAILED_OUT ? Py_NewRef(bailout) : result;
}

PyObject *wrong_count(Py_ssize_t expected, Py_ssize_t given, PyObject *kwnames) {
    if (kwnames != nullptr && PyTuple_GET_SIZE(kwnames) > 0) {
        PyErr_SetString(PyExc_TypeError, "a compiled graph takes no keyword arguments");
    } else {
        PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", expected, given);
    }
    return nullptr;
}

bool counts_match(Py_ssize_t expected, size_t nargsf, PyObject *kwnames) {
    return PyVectorcall_NARGS(nargsf) == expected &&
           (kwnames == nullptr || PyTuple_GET_SIZE(kwnames) == 0);
}

PyObject *entry_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    auto *self = reinterpret_cast<NativeEntry *>(callable);
    if (!counts_match(self->n_inputs, nargsf, kwnames)) {
        return wrong_count(self->n_inputs, PyVectorcall_NARGS(nargsf), kwnames);
    }
    return run(self, args);
}

PyObject *bound_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    auto *self = reinterpret_cast<BoundEntry *>(callable);
    if (!counts_match(self->n_args, nargsf, kwnames)) {
        return wrong_count(self->n_args, PyVectorcall_NARGS(nargsf), kwnames);
    }
    Pointers inputs;
    if (!inputs.make(self->n_indices)) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < self->n_indices; ++i) inputs.items[i] = args[self->indices[i]];
    PyObject *result = as<NativeEntry>(self->entry)->vectorcall(self->entry, inputs.items,
                                                                self->n_indices, nullptr);
    inputs.free();
    return result;
}

bool fill_objects(NativeEntry *self) {
    Py_ssize_t n_constants = PyTuple_GET_SIZE(self->constants);
    Py_ssize_t n_descrs = PyTuple_GET_SIZE(self->descrs);
    self->objects = PyMem_New(PyObject *, n_constants + n_descrs + 1);
    if (self->objects == nullptr) return PyErr_NoMemory() != nullptr;
    for (Py_ssize_t i = 0; i < n_constants; ++i) {
        self->objects[i] = PyTuple_GET_ITEM(self->constants, i);
    }
    for (Py_ssize_t i = 0; i < n_descrs; ++i) {
        PyObject *descr = PyTuple_GET_ITEM(self->descrs, i);
        if (!PyArray_DescrCheck(descr)) {
            PyErr_Format(PyExc_TypeError, "descrs must hold dtypes, not %R", descr);
            return false;
        }
        self->objects[n_constants + i] = descr;
    }
    return true;
}

bool check_counts(NativeEntry *self) {
    bool valid = self->function != nullptr && self->n_inputs >= 0 && self->n_outputs >= 0 &&
                 self->n_slots >= self->n_outputs && (!self->single || self->n_outputs == 1);
    if (!valid) PyErr_SetString(PyExc_ValueError, "counts of a native entry do not fit together");
    return valid;
}

PyObject *entry_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static const char *names[] = {"address",   "owner",  "n_inputs", "n_slots",     "n_outputs",
                                  "constants", "descrs", "single",   "check_flags", "inexact_flags",
                                  nullptr};
    unsigned long long address;
    Py_ssize_t n_inputs, n_slots, n_outputs;
    PyObject *owner, *constants, *descrs;
    int single, check_flags = 1;
    unsigned inexact_flags = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "KOnnnO!O!p|pI", const_cast<char **>(names),
                                     &address, &owner, &n_inputs, &n_slots, &n_outputs,
                                     &PyTuple_Type, &constants, &PyTuple_Type, &descrs, &single,
                                     &check_flags, &inexact_flags)) {
        return nullptr;
    }
    auto *self = reinterpret_cast<NativeEntry *>(type->tp_alloc(type, 0));
    if (self == nullptr) return nullptr;
    self->vectorcall = entry_call;
    self->function = reinterpret_cast<EntryFunction>(static_cast<uintptr_t>(address));
    self->n_inputs = n_inputs;
    self->n_slots = n_slots;
    self->n_outputs = n_outputs;
    self->single = static_cast<char>(single);
    self->check_flags = static_cast<char>(check_flags);
    self->inexact_flags = inexact_flags & FP_REPORTED;
    self->owner = Py_NewRef(owner);
    self->constants = Py_NewRef(constants);
    self->descrs = Py_NewRef(descrs);
    if (!check_counts(self) || !fill_objects(self)) Py_CLEAR(self);
    return reinterpret_cast<PyObject *>(self);
}

bool fill_indices(BoundEntry *self, PyObject *indices) {
    self->indices = PyMem_New(Py_ssize_t, self->n_indices + 1);
    if (self->indices == nullptr) return PyErr_NoMemory() != nullptr;
    for (Py_ssize_t i = 0; i < self->n_indices; ++i) {
        Py_ssize_t index = PyLong_AsSsize_t(PyTuple_GET_ITEM(indices, i));
        if (index == -1 && PyErr_Occurred()) return false;
        if (index < 0 || index >= self->n_args) {
            PyErr_Format(PyExc_IndexError, "no flat argument %zd among %zd", index, self->n_args);
            return false;
        }
        self->indices[i] = index;
    }
    return true;
}

extern PyTypeObject bound_type;

PyObject *entry_bind(PyObject *object, PyObject *args) {
    auto *entry = reinterpret_cast<NativeEntry *>(object);
    PyObject *indices;
    Py_ssize_t n_args;
    if (!PyArg_ParseTuple(args, "O!n:bind", &PyTuple_Type, &indices, &n_args)) return nullptr;
    if (PyTuple_GET_SIZE(indices) != entry->n_inputs) {
        return wrong_count(entry->n_inputs, PyTuple_GET_SIZE(indices), nullptr);
    }
    auto *self = reinterpret_cast<BoundEntry *>(bound_type.tp_alloc(&bound_type, 0));
    if (self == nullptr) return nullptr;
    self->vectorcall = bound_call;
    self->n_args = n_args;
    self->n_indices = entry->n_inputs;
    self->entry = Py_NewRef(object);
    if (!fill_indices(self, indices)) Py_CLEAR(self);
    return reinterpret_cast<PyObject *>(self);
}

PyMethodDef entry_methods[] = {
    {"bind", entry_bind, METH_VARARGS,
     "bind(indices, nargs) -> callable over `nargs` flat arguments that passes on those at `indices`"},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef entry_members[] = {
    {"n_inputs", T_PYSSIZET, offsetof(NativeEntry, n_inputs), READONLY, "placeholders"},
    {"n_slots", T_PYSSIZET, offsetof(NativeEntry, n_slots), READONLY, "owned objects per call"},
    {"n_outputs", T_PYSSIZET, offsetof(NativeEntry, n_outputs), READONLY, "results"},
    {"address", T_PYSSIZET, offsetof(NativeEntry, function), READONLY, "of the machine code"},
    {"owner", T_OBJECT, offsetof(NativeEntry, owner), READONLY, "keeps the machine code mapped"},
    {"constants", T_OBJECT, offsetof(NativeEntry, constants), READONLY, "arrays and callables"},
    {"descrs", T_OBJECT, offsetof(NativeEntry, descrs), READONLY, "dtypes of its arrays"},
    {"single", T_BOOL, offsetof(NativeEntry, single), READONLY, "returns no tuple"},
    {"check_flags", T_BOOL, offsetof(NativeEntry, check_flags), READONLY,
     "commits after the function when the function did not"},
    {"inexact_flags", T_UINT, offsetof(NativeEntry, inexact_flags), READONLY,
     "floating-point flags that the code may miss: 1 invalid, 4 divide, 8 over, 16 under"},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject entry_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject bound_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

template <class T> void describe_callable(PyTypeObject *type, const char *name) {
    type->tp_name = name;
    type->tp_basicsize = sizeof(T);
    type->tp_vectorcall_offset = offsetof(T, vectorcall);
    type->tp_call = PyVectorcall_Call;
    type->tp_dealloc = dealloc_owned<T>;
    type->tp_traverse = traverse_owned<T>;
    type->tp_clear = clear_owned<T>;
    type->tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC;
}

}  // namespace

bool is_native_entry(PyObject *object) { return Py_TYPE(object) == &entry_type; }

Py_ssize_t inputs_of(PyObject *entry) { return reinterpret_cast<NativeEntry *>(entry)->n_inputs; }

Py_ssize_t outputs_of(PyObject *entry) { return reinterpret_cast<NativeEntry *>(entry)->n_outputs; }

Ran run_native_entry(PyObject *entry, PyObject *const *inputs, PyObject **outputs) {
    auto *self = reinterpret_cast<NativeEntry *>(entry);
    if (self->n_slots == self->n_outputs && !are_spans_counted) {
        return attempt_in(self, inputs, outputs, false);
    }
    return run_into(self, inputs, [&](PyObject **slots) {
        for (Py_ssize_t i = 0; i < self->n_outputs; ++i) {
            outputs[i] = std::exchange(slots[i], nullptr);
        }
        return true;
    });
}

int add_entry_types(PyObject *module) {
    describe_callable<NativeEntry>(&entry_type, "dynamo_lite.native._core.NativeEntry");
    entry_type.tp_doc = "One compiled graph: called with its placeholders' values, it gives the "
                        "outputs, or BAILOUT without having had an effect.";
    entry_type.tp_new = entry_new;
    entry_type.tp_methods = entry_methods;
    entry_type.tp_members = entry_members;
    describe_callable<BoundEntry>(&bound_type, "dynamo_lite.native._core.BoundEntry");
    bound_type.tp_doc = "A NativeEntry that takes its inputs from the flat arguments by index.";
    if (PyModule_AddType(module, &entry_type) < 0) return -1;
    if (PyDict_SetItemString(entry_type.tp_dict, "has_blas", has_blas() ? Py_True : Py_False) < 0) {
        return -1;
    }
    PyType_Modified(&entry_type);
    return PyModule_AddType(module, &bound_type);
}
