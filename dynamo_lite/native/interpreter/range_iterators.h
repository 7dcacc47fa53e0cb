// What guards look at in iterators over ranges, without objects for it.
#pragma once
#include "base/core.h"

// As in CPython's Objects/rangeobject.c; from 3.12 on in Include/internal/pycore_range.h.
#if PY_VERSION_HEX >= 0x030C0000
struct RangeIterator {
    PyObject_HEAD
    long start, step, left;

    long next() const { return start; }
    long count() const { return left; }
    void take(long items) {
        start = static_cast<long>(start + static_cast<unsigned long>(items) * step);
        left -= items;
    }
};
#else
struct RangeIterator {
    PyObject_HEAD
    long index, start, step, length;

    long next() const { return static_cast<long>(start + static_cast<unsigned long>(index) * step); }
    long count() const { return length - index; }
    void take(long items) { index += items; }
};
#endif

// The start, stop or step (0, 1, 2) of what is left.
inline bool bound_of(const RangeIterator *iterator, int64_t which, int64_t &value) {
    unsigned long beyond = static_cast<unsigned long>(iterator->count()) * iterator->step;
    switch (which) {
    case 0: value = iterator->next(); return true;
    case 1: value = static_cast<long>(iterator->next() + beyond); return true;
    case 2: value = iterator->step; return true;
    default: return false;
    }
}

// The same of a range_iterator; false for anything else.
inline bool find_bound(PyObject *iterator, int64_t which, int64_t &value) {
    return Py_IS_TYPE(iterator, &PyRangeIter_Type) &&
           bound_of(reinterpret_cast<RangeIterator *>(iterator), which, value);
}

inline RangeIterator *range_iterator(PyObject *object) {
    if (Py_IS_TYPE(object, &PyRangeIter_Type)) return reinterpret_cast<RangeIterator *>(object);
    PyErr_Format(PyExc_TypeError, "expected a range_iterator, got %R", object);
    return nullptr;
}

// Has an iterator go on behind an item that is left of it, or be at its end (None). False with an
// exception.
inline bool move_iterator(RangeIterator *iterator, PyObject *item) {
    if (Py_IsNone(item)) {
        iterator->take(iterator->count());
        return true;
    }
    long last = PyLong_AsLong(item);
    if (last == -1 && PyErr_Occurred()) return false;
    // Unsigned: two items may be farther apart than the largest long.
    unsigned long first = iterator->next(), step = iterator->step, behind = last + step;
    iterator->take(iterator->step > 0 ? (behind - first) / step : (first - behind) / (0 - step));
    return true;
}

// Whether an object is the function `bound` of this module.
bool is_bound(PyObject *function);
