// Guard ops about things that must not be one: objects, and arrays that share memory.
#include <algorithm>

#include "base/core.h"
#include "guards/ops.h"

namespace guards {
namespace {

// The bytes from the first element at `data` to the last, in memory order.
Bytes extent_of(intptr_t data, intptr_t itemsize, int ndim, const npy_intp *shape,
                const npy_intp *strides) {
    intptr_t begin = data, end = data + itemsize;
    for (int i = 0; i < ndim; ++i) {
        if (shape[i] == 0) return {data, data};
        intptr_t span = (shape[i] - 1) * strides[i];
        (span < 0 ? begin : end) += span;
    }
    return {begin, end};
}

bool read_number(PyObject *object, const char *attribute, intptr_t &number) {
    Ref found(PyObject_GetAttrString(object, attribute));
    if (!found) return false;
    number = PyLong_AsSsize_t(found.get());
    return number != -1 || !PyErr_Occurred();
}

// Of an array of another library, which lies in the memory of a device.
bool foreign_extent(PyObject *array, Bytes &found) {
    npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    intptr_t address, itemsize, ndim;
    Ref memory(PyObject_GetAttrString(array, "data"));
    if (!memory || !read_number(memory.get(), "ptr", address) ||
        !read_number(array, "itemsize", itemsize) || !read_number(array, "ndim", ndim) ||
        ndim > NPY_MAXDIMS || !read_sizes(array, "shape", static_cast<int>(ndim), shape) ||
        !read_sizes(array, "strides", static_cast<int>(ndim), strides)) {
        PyErr_Clear();
        return false;
    }
    found = extent_of(address, itemsize, static_cast<int>(ndim), shape, strides);
    return true;
}

bool extent_of(PyObject *value, Bytes &found) {
    if (!PyArray_Check(value)) return foreign_extent(value, found);
    auto array = reinterpret_cast<PyArrayObject *>(value);
    found = extent_of(reinterpret_cast<intptr_t>(PyArray_DATA(array)), PyArray_ITEMSIZE(array),
                      PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array));
    return true;
}

// An object takes up one byte, None nothing.
Bytes place_of(PyObject *object) {
    intptr_t begin = reinterpret_cast<intptr_t>(object);
    return {begin, begin + !Py_IsNone(object)};
}

bool locate(Group &group, const Machine &machine) {
    for (size_t i = 0; i < group.registers.size(); ++i) {
        PyObject *value = machine.registers[group.registers[i]];
        if (!group.of_arrays) {
            group.places[i] = place_of(value);
        } else if (!extent_of(value, group.places[i])) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool disjoint(PyObject *left, PyObject *right) {
    Bytes a, b;
    if (!extent_of(left, a) || !extent_of(right, b)) return false;
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

}  // namespace guards
