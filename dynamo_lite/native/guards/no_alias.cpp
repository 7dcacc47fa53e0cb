// Guard ops about things that must not be one: objects, and arrays that share memory.
#include <algorithm>

#include "base/core.h"
#include "guards/ops.h"

namespace guards {
namespace {

// The bytes from an array's first element to its last, in memory order.
Bytes extent_of(PyArrayObject *array) {
    intptr_t begin = reinterpret_cast<intptr_t>(PyArray_DATA(array));
    intptr_t end = begin + PyArray_ITEMSIZE(array);
    for (int i = 0; i < PyArray_NDIM(array); ++i) {
        if (PyArray_DIM(array, i) == 0) return {begin, begin};
        intptr_t span = (PyArray_DIM(array, i) - 1) * PyArray_STRIDE(array, i);
        (span < 0 ? begin : end) += span;
    }
    return {begin, end};
}

// An object takes up one byte, None nothing.
Bytes place_of(PyObject *object) {
    intptr_t begin = reinterpret_cast<intptr_t>(object);
    return {begin, begin + !Py_IsNone(object)};
}

bool locate(Group &group, const Machine &machine) {
    for (size_t i = 0; i < group.registers.size(); ++i) {
        PyObject *value = machine.registers[group.registers[i]];
        if (group.of_arrays && !PyArray_Check(value)) return false;
        group.places[i] = group.of_arrays ? extent_of(reinterpret_cast<PyArrayObject *>(value))
                                          : place_of(value);
    }
    return true;
}

}  // namespace

bool disjoint(PyObject *left, PyObject *right) {
    if (!PyArray_Check(left) || !PyArray_Check(right)) return false;
    Bytes a = extent_of(reinterpret_cast<PyArrayObject *>(left));
    Bytes b = extent_of(reinterpret_cast<PyArrayObject *>(right));
    return a.begin == a.end || b.begin == b.end || a.end <= b.begin || b.end <= a.begin;
}

// A walk through memory: what begins before the end of something earlier overlaps it. The order is
// kept, since most calls find things where they were.
bool have_no_alias(Group &group, const Machine &machine) {
    if (!locate(group, machine)) return false;
    const auto &places = group.places;
    auto is_before = [&](int32_t i, int32_t j) { return places[i].begin < places[j].begin; };
    if (!std::is_sorted(group.order.begin(), group.order.end(), is_before)) {
        std::sort(group.order.begin(), group.order.end(), is_before);
    }
    intptr_t end = INTPTR_MIN, end_of_changed = INTPTR_MIN;
    for (int32_t i : group.order) {
        bool is_changed = i < group.n_changed;
        if (places[i].begin == places[i].end) continue;
        if (places[i].begin < (is_changed ? end : end_of_changed)) return false;
        end = std::max(end, places[i].end);
        if (is_changed) end_of_changed = std::max(end_of_changed, places[i].end);
    }
    return true;
}

// An object's __dict__, or None where it has none by now. Asking the object for it would make one:
// the word that holds it, three before the object, is 0 or something odd until then.
PyObject *own_dict(PyObject *object) {
    PyObject **place = Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT
                           ? reinterpret_cast<PyObject **>(object) - 3
                           : _PyObject_GetDictPtr(object);
    bool has_dict = place && *place && !(reinterpret_cast<uintptr_t>(*place) & 1);
    return Py_NewRef(has_dict ? *place : Py_None);
}

}  // namespace guards
