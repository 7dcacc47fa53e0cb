// KeptStates: a compiled graph, and the random states that it advances, restored when it bails out.
// While it runs no other thread draws from these: a number drawn meanwhile would come a second time.
#include "runtime/random_states.h"
#include "runtime/runtime.h"

#include <structmember.h>

namespace {

constexpr int MOST_CLASSES = 8;
constexpr Py_ssize_t INLINE_BYTES = 3072, INLINE_OWNERS = 4;

OwnerLayout owners[MOST_CLASSES];
BitGeneratorLayout bit_generators[MOST_CLASSES];
PyTypeObject *reentrant_lock;
PyObject *lock_name, *acquire_name, *release_name, *bit_generator_name;

template <typename Layout>
Layout *layout_of(Layout *known, PyTypeObject *type) {
    for (int i = 0; i < MOST_CLASSES && known[i].type != nullptr; ++i) {
        if (known[i].type == type) return &known[i];
    }
    return nullptr;
}

// The row of a class: a new one, or that which it has.
template <typename Layout>
Layout *row_for(Layout *known, PyTypeObject *type) {
    for (int i = 0; i < MOST_CLASSES; ++i) {
        if (known[i].type == type || known[i].type == nullptr) return &known[i];
    }
    PyErr_SetString(PyExc_ValueError, "too many classes of random generators");
    return nullptr;
}

char *part_address(const StatePlace &place, const StatePart &part) {
    auto *state = static_cast<char *>(place.bitgen->state);
    return part.pointer_at < 0 ? state : *reinterpret_cast<char **>(state + part.pointer_at);
}

// Copies all parts of a state from or to packed memory.
template <typename Copy>
void for_each_part(PyObject *owner, const StatePlace &place, char *packed, Copy copy) {
    for (int i = 0; i < place.bits->n_parts; ++i) {
        copy(part_address(place, place.bits->parts[i]), packed, place.bits->parts[i].size);
        packed += place.bits->parts[i].size;
    }
    copy(reinterpret_cast<char *>(owner) + place.owner->own_at, packed, place.owner->own_size);
}

// One generator for the length of a call.
struct Held {
    PyObject *owner;     // borrowed from the caller
    StatePlace place;
    char *packed;        // in the memory of all
    PyObject *lock;      // held by this call, or null
    PyObject *state;     // of a generator whose layout is not known

    Py_ssize_t size() const {
        return place.bits != nullptr ? place.bits->size + place.owner->own_size : 0;
    }
};

struct KeptStates {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *run, *save, *put_back;
    PyObject *given;  // the generators, and the positions of those that are inputs
};

// Takes the lock of a bit generator: 1 held, 0 there is none to be held, -1 another thread has it.
int take_lock(PyObject *bit_generator, PyObject **lock) {
    Ref found(PyObject_GetAttr(bit_generator, lock_name));
    if (!found) {
        PyErr_Clear();
        return 0;
    }
    Ref taken(PyObject_CallMethodOneArg(found.get(), acquire_name, Py_False));
    if (!taken || taken.get() != Py_True) {
        PyErr_Clear();
        return -1;
    }
    if (Py_TYPE(found.get()) == reentrant_lock) {
        *lock = found.release();
        return 1;
    }
    Ref released(PyObject_CallMethodNoArgs(found.get(), release_name));
    if (!released) PyErr_Clear();
    return 0;
}

bool take_hold(KeptStates *self, Held *held) {
    Ref found;
    held->place = place_of_state(held->owner);
    PyObject *bit_generator = held->place.bit_generator;
    if (bit_generator == nullptr) {
        found = Ref(PyObject_GetAttr(held->owner, bit_generator_name));
        bit_generator = found.get();
        if (bit_generator == nullptr) PyErr_Clear();
    }
    if (bit_generator != nullptr && take_lock(bit_generator, &held->lock) < 0) return false;
    if (held->place.bits != nullptr) return true;
    held->state = PyObject_CallOneArg(self->save, held->owner);
    return held->state != nullptr;
}

void save_states(Held *held, Py_ssize_t n, char *packed) {
    for (Py_ssize_t i = 0; i < n; ++i) {
        held[i].packed = packed;
        packed += held[i].size();
        if (held[i].place.bits == nullptr) continue;
        for_each_part(held[i].owner, held[i].place, held[i].packed,
                      [](char *state, char *kept, Py_ssize_t size) { memcpy(kept, state, size); });
    }
}

bool restore_states(KeptStates *self, Held *held, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; ++i) {
        if (held[i].place.bits != nullptr) {
            for_each_part(held[i].owner, held[i].place, held[i].packed,
                          [](char *state, char *kept, Py_ssize_t size) { memcpy(state, kept, size); });
            continue;
        }
        PyObject *arguments[] = {held[i].owner, held[i].state};
        Ref done(PyObject_Vectorcall(self->put_back, arguments, 2, nullptr));
        if (!done) return false;
    }
    return true;
}

void let_go(Held *held, Py_ssize_t n) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    for (Py_ssize_t i = n; i-- > 0;) {
        if (held[i].lock != nullptr) {
            Ref released(PyObject_CallMethodNoArgs(held[i].lock, release_name));
            if (!released) PyErr_Clear();
        }
        Py_XDECREF(held[i].lock);
        Py_XDECREF(held[i].state);
    }
    PyErr_Restore(type, value, traceback);
}

PyObject *run_held(KeptStates *self, Held *held, Py_ssize_t n, PyObject *const *args, size_t nargsf,
                   PyObject *kwnames) {
    Py_ssize_t size = 0;
    for (Py_ssize_t i = 0; i < n; ++i) size += held[i].size();
    char inline_bytes[INLINE_BYTES];
    char *packed = inline_bytes;
    if (size > INLINE_BYTES) packed = static_cast<char *>(PyMem_Malloc(size));
    if (packed == nullptr) return PyErr_NoMemory();
    save_states(held, n, packed);
    PyObject *result = PyObject_Vectorcall(self->run, args, nargsf, kwnames);
    if (result == bailout && !restore_states(self, held, n)) Py_CLEAR(result);
    if (packed != inline_bytes) PyMem_Free(packed);
    return result;
}

PyObject *kept_call(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    auto *self = reinterpret_cast<KeptStates *>(callable);
    if (self->given == nullptr) return PyErr_Format(PyExc_RuntimeError, "released");
    Py_ssize_t n = PyTuple_GET_SIZE(self->given), n_args = PyVectorcall_NARGS(nargsf), n_held = 0;
    Held inline_held[INLINE_OWNERS];
    Held *held = n > INLINE_OWNERS ? PyMem_New(Held, n) : inline_held;
    if (held == nullptr) return PyErr_NoMemory();
    memset(held, 0, n * sizeof(Held));
    PyObject *result = nullptr;
    for (bool all = true; all && n_held < n; ++n_held) {
        PyObject *given = PyTuple_GET_ITEM(self->given, n_held);
        Py_ssize_t index = PyLong_CheckExact(given) ? PyLong_AsSsize_t(given) : -1;
        held[n_held].owner = index >= 0 && index < n_args ? args[index] : given;
        all = take_hold(self, &held[n_held]);
        if (!all && !PyErr_Occurred()) result = Py_NewRef(bailout);
    }
    if (result == nullptr && !PyErr_Occurred()) {
        result = run_held(self, held, n, args, nargsf, kwnames);
    }
    let_go(held, n_held);
    if (held != inline_held) PyMem_Free(held);
    return result;
}

PyObject *kept_new(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *run, *given, *save, *put_back;
    if (!PyArg_ParseTuple(args, "OO!OO:KeptStates", &run, &PyTuple_Type, &given, &save, &put_back)) {
        return nullptr;
    }
    auto *self = reinterpret_cast<KeptStates *>(type->tp_alloc(type, 0));
    if (self == nullptr) return nullptr;
    self->vectorcall = kept_call;
    self->run = Py_NewRef(run);
    self->given = Py_NewRef(given);
    self->save = Py_NewRef(save);
    self->put_back = Py_NewRef(put_back);
    return reinterpret_cast<PyObject *>(self);
}

int kept_traverse(PyObject *object, visitproc visit, void *arg) {
    auto *self = reinterpret_cast<KeptStates *>(object);
    Py_VISIT(self->run);
    Py_VISIT(self->given);
    Py_VISIT(self->save);
    Py_VISIT(self->put_back);
    return 0;
}

int kept_clear(PyObject *object) {
    auto *self = reinterpret_cast<KeptStates *>(object);
    Py_CLEAR(self->given);
    Py_CLEAR(self->run);
    Py_CLEAR(self->save);
    Py_CLEAR(self->put_back);
    return 0;
}

void kept_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    kept_clear(object);
    Py_TYPE(object)->tp_free(object);
}

PyMemberDef kept_members[] = {
    {"run", T_OBJECT, offsetof(KeptStates, run), READONLY, "the graph"},
    {"generators", T_OBJECT, offsetof(KeptStates, given), READONLY,
     "random states, and the positions of those that are inputs"},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject kept_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject *know_owner(PyObject *, PyObject *args) {
    PyTypeObject *type;
    Py_ssize_t at, own_at, own_size;
    if (!PyArg_ParseTuple(args, "O!nnn:know_generator", &PyType_Type, &type, &at, &own_at, &own_size)) {
        return nullptr;
    }
    OwnerLayout *row = row_for(owners, type);
    if (row == nullptr) return nullptr;
    Py_INCREF(type);
    *row = {type, at, own_at, own_size};
    Py_RETURN_NONE;
}

bool read_parts(BitGeneratorLayout *layout, PyObject *parts) {
    layout->n_parts = static_cast<int>(PyTuple_GET_SIZE(parts));
    if (layout->n_parts > BitGeneratorLayout::MOST_PARTS) {
        PyErr_SetString(PyExc_ValueError, "too many parts of a random state");
        return false;
    }
    for (int i = 0; i < layout->n_parts; ++i) {
        StatePart &part = layout->parts[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(parts, i), "nn", &part.pointer_at, &part.size)) {
            return false;
        }
        layout->size += part.size;
    }
    return true;
}

PyObject *know_bit_generator(PyObject *, PyObject *args) {
    BitGeneratorLayout layout = {};
    PyObject *parts;
    if (!PyArg_ParseTuple(args, "O!nO!:know_bit_generator", &PyType_Type, &layout.type,
                          &layout.bitgen_at, &PyTuple_Type, &parts) ||
        !read_parts(&layout, parts)) {
        return nullptr;
    }
    BitGeneratorLayout *row = row_for(bit_generators, layout.type);
    if (row == nullptr) return nullptr;
    Py_INCREF(layout.type);
    *row = layout;
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"know_generator", know_owner, METH_VARARGS,
     "know_generator(type, at, own_at, own_size): objects of this class have their bit generator at "
     "this offset, and keep this many bytes of state themselves."},
    {"know_bit_generator", know_bit_generator, METH_VARARGS,
     "know_bit_generator(type, at, parts): objects of this class have NumPy's C interface at this "
     "offset, and their state has these parts: (offset of a pointer to it or -1, size)."},
    {nullptr, nullptr, 0, nullptr},
};

bool make_names() {
    lock_name = PyUnicode_InternFromString("lock");
    acquire_name = PyUnicode_InternFromString("acquire");
    release_name = PyUnicode_InternFromString("release");
    bit_generator_name = PyUnicode_InternFromString("_bit_generator");
    Ref module(PyImport_ImportModule("_thread"));
    Ref type(module ? PyObject_GetAttrString(module.get(), "RLock") : nullptr);
    reentrant_lock = reinterpret_cast<PyTypeObject *>(type.release());
    return reentrant_lock != nullptr && bit_generator_name != nullptr && release_name != nullptr;
}

}  // namespace

StatePlace place_of_state(PyObject *owner) {
    StatePlace place = {};
    place.owner = layout_of(owners, Py_TYPE(owner));
    if (place.owner == nullptr) return place;
    auto *memory = reinterpret_cast<char *>(owner);
    place.bit_generator = *reinterpret_cast<PyObject **>(memory + place.owner->bit_generator_at);
    place.bits = layout_of(bit_generators, Py_TYPE(place.bit_generator));
    if (place.bits == nullptr) return place;
    auto *bits = reinterpret_cast<char *>(place.bit_generator);
    place.bitgen = reinterpret_cast<bitgen_t *>(bits + place.bits->bitgen_at);
    return place;
}

int add_random_states(PyObject *module) {
    kept_type.tp_name = "dynamo_lite.native._core.KeptStates";
    kept_type.tp_basicsize = sizeof(KeptStates);
    kept_type.tp_vectorcall_offset = offsetof(KeptStates, vectorcall);
    kept_type.tp_call = PyVectorcall_Call;
    kept_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC;
    kept_type.tp_doc = "KeptStates(run, generators, save, put_back): `run`, with the states of random "
                       "generators restored when it bails out. Generators are given, or as positions "
                       "of inputs; `save(generator)` and `put_back(generator, state)` are for those "
                       "whose memory is not known.";
    kept_type.tp_new = kept_new;
    kept_type.tp_dealloc = kept_dealloc;
    kept_type.tp_traverse = kept_traverse;
    kept_type.tp_clear = kept_clear;
    kept_type.tp_members = kept_members;
    if (!make_names() || PyModule_AddType(module, &kept_type) < 0) return -1;
    return PyModule_AddFunctions(module, functions);
}
