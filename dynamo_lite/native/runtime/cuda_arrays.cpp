// Small arrays that a plan makes in each call: those of an earlier call, when nobody has them.
#include "base/callables.h"
#include "runtime/cuda.h"

namespace cuda {

namespace {

PyObject *DATA, *MEM, *PTR, *SHAPE;  // names of attributes

bool is_referred_to_weakly(PyObject *object) {
    if (!PyType_SUPPORTS_WEAKREFS(Py_TYPE(object))) return false;
    return *PyObject_GET_WEAKREFS_LISTPTR(object) != nullptr;
}

}  // namespace

bool Held::is_free() const {
    return Py_REFCNT(object.get()) == references && !is_referred_to_weakly(object.get());
}

void add_held(std::vector<Held> &held, PyObject *objects) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(objects); ++i) {
        held.push_back({Ref(Py_NewRef(PyTuple_GET_ITEM(objects, i))), 0});
    }
}

void note_references(std::vector<Held> &held) {
    for (Held &one : held) one.references = Py_REFCNT(one.object.get());
}

bool are_free(const std::vector<Held> &held) {
    for (const Held &one : held) {
        if (!one.is_free()) return false;
    }
    return true;
}

bool address_of(PyObject *array, int64_t &address) {
    Ref memory(PyObject_GetAttr(array, DATA));
    Ref number(memory ? PyObject_GetAttr(memory.get(), PTR) : nullptr);
    if (!number) return false;
    address = PyLong_AsLongLong(number.get());
    return address != -1 || !PyErr_Occurred();
}

PyObject *shapes_of(PyObject *arrays) {
    Py_ssize_t n = PyTuple_GET_SIZE(arrays);
    Ref shapes(PyTuple_New(n));
    for (Py_ssize_t i = 0; shapes && i < n; ++i) {
        PyObject *shape = PyObject_GetAttr(PyTuple_GET_ITEM(arrays, i), SHAPE);
        if (!shape) return nullptr;
        PyTuple_SET_ITEM(shapes.get(), i, shape);
    }
    return shapes.release();
}

int have_shapes(PyObject *arrays, PyObject *shapes) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shapes); ++i) {
        Ref shape(PyObject_GetAttr(PyTuple_GET_ITEM(arrays, i), SHAPE));
        if (!shape) return -1;
        int same = PyObject_RichCompareBool(shape.get(), PyTuple_GET_ITEM(shapes, i), Py_EQ);
        if (same != 1) return same;
    }
    return 1;
}

}  // namespace cuda

namespace {

using namespace cuda;

constexpr size_t MOST = 3;  // calls in turn have the results of those before
constexpr unsigned PATIENCE = 16;
// So many calls in turn find none, and then one of so many leaves what it is given here.

// What one call was given. Memory belongs to the stream and the allocator that it was made with.
struct Set {
    Ref given, shapes, allocator;
    unsigned long long stream;
    std::vector<Held> held;
};

struct SpareArrays {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *make, *allocator_of;
    std::vector<Set> *sets;
    size_t oldest;
    unsigned missed;  // calls in turn

    static constexpr const char *RELEASED = "these arrays have";
    static constexpr PyObject *SpareArrays::*OWNED[] = {
        &SpareArrays::make, &SpareArrays::allocator_of};
    void release() { delete sets; }
};

// Whether a set may be given out: 1, 0 or -1 with an exception.
int fits(const Set &set, unsigned long long stream, PyObject *allocator) {
    if (stream != set.stream || allocator != set.allocator.get()) return 0;
    if (Py_REFCNT(set.given.get()) != 1 || !are_free(set.held)) return 0;
    return have_shapes(set.given.get(), set.shapes.get());
}

// Arrays, and after them their addresses.
PyObject *with_addresses(PyObject *arrays) {
    Py_ssize_t n = PyTuple_GET_SIZE(arrays);
    Ref given(PyTuple_New(2 * n));
    for (Py_ssize_t i = 0; given && i < n; ++i) {
        int64_t address;
        PyObject *array = PyTuple_GET_ITEM(arrays, i);
        PyTuple_SET_ITEM(given.get(), i, Py_NewRef(array));
        PyObject *number = address_of(array, address) ? PyLong_FromLongLong(address) : nullptr;
        if (!number) return nullptr;
        PyTuple_SET_ITEM(given.get(), n + i, number);
    }
    return given.release();
}

// An array, what it points to its memory with, and this memory: somebody may have any of them.
bool hold_with_memory(std::vector<Held> &held, PyObject *arrays) {
    add_held(held, arrays);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); ++i) {
        Ref pointer(PyObject_GetAttr(PyTuple_GET_ITEM(arrays, i), DATA));
        Ref memory(pointer ? PyObject_GetAttr(pointer.get(), MEM) : nullptr);
        if (!memory) return false;
        held.push_back({std::move(pointer), 0});
        held.push_back({std::move(memory), 0});
    }
    return true;
}

// `given`, whose arrays are `arrays`, in place of what was kept first; false with an exception.
bool keep(SpareArrays *self, Ref arrays, PyObject *given, unsigned long long stream, Ref allocator) {
    Set set{Ref(Py_NewRef(given)), Ref(shapes_of(arrays.get())), std::move(allocator), stream, {}};
    if (!set.shapes || !hold_with_memory(set.held, arrays.get())) return false;
    arrays = Ref();
    note_references(set.held);
    if (self->sets->size() < MOST) {
        self->sets->push_back(std::move(set));
    } else {
        std::swap((*self->sets)[self->oldest], set);
        self->oldest = (self->oldest + 1) % MOST;
    }
    return true;
}

PyObject *give_new(SpareArrays *self, unsigned long long stream, Ref allocator) {
    Ref arrays(PyObject_CallNoArgs(self->make));
    if (!arrays) return nullptr;
    if (!PyTuple_Check(arrays.get())) return PyErr_Format(PyExc_TypeError, "no tuple of arrays");
    Ref given(with_addresses(arrays.get()));
    bool keeps = ++self->missed < PATIENCE || self->missed % PATIENCE == 0;
    if (given && keeps && !keep(self, std::move(arrays), given.get(), stream, std::move(allocator)))
        return nullptr;
    return given.release();
}

// spares(stream): arrays and their addresses
PyObject *give(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *names) {
    auto *self = as<SpareArrays>(object);
    if (PyVectorcall_NARGS(nargsf) != 1 || names) {
        return PyErr_Format(PyExc_TypeError, "it takes a stream");
    }
    unsigned long long stream = PyLong_AsUnsignedLongLongMask(args[0]);
    Ref allocator(PyErr_Occurred() ? nullptr : PyObject_CallNoArgs(self->allocator_of));
    if (!allocator) return nullptr;
    for (const Set &set : *self->sets) {
        int serves = fits(set, stream, allocator.get());
        if (serves < 0) return nullptr;
        if (!serves) continue;
        self->missed = 0;
        return Py_NewRef(set.given.get());
    }
    return give_new(self, stream, std::move(allocator));
}

PyObject *make(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *make_arrays, *allocator_of;
    if (!PyArg_ParseTuple(args, "OO", &make_arrays, &allocator_of)) return nullptr;
    auto *self = new_callable<SpareArrays>(type, give);
    if (!self) return nullptr;
    self->make = Py_NewRef(make_arrays);
    self->allocator_of = Py_NewRef(allocator_of);
    self->sets = new std::vector<Set>;
    return reinterpret_cast<PyObject *>(self);
}

const char *const DOC =
    "SpareArrays(make, allocator_of)\n\n"
    "Calling it with a stream gives the arrays of `make()` and, after them, their addresses: those "
    "of an earlier call with the same stream and allocator, if nobody has them any more.";

}  // namespace

int add_spare_arrays(PyObject *module) {
    cuda::DATA = PyUnicode_InternFromString("data");
    cuda::MEM = PyUnicode_InternFromString("mem");
    cuda::PTR = PyUnicode_InternFromString("ptr");
    cuda::SHAPE = PyUnicode_InternFromString("shape");
    if (!cuda::DATA || !cuda::MEM || !cuda::PTR || !cuda::SHAPE) return -1;
    return add_type(module, callable_type<SpareArrays>("dynamo_lite.native.SpareArrays", DOC, make));
}
