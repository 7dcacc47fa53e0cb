// What every source file of dynamo_lite.native._core shares.
#pragma once

#include "base/numpy_api.h"

#ifdef Py_GIL_DISABLED
#error "dynamo_lite needs an interpreter with a global interpreter lock"
#endif

#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

// What a target returns when it bailed out, without having had any effect. A singleton.
extern PyObject *bailout;

// Each part adds its types and functions to the module; -1 with an exception when it cannot.
int add_guard_program(PyObject *module);
int add_callable(PyObject *module);
int add_watchers(PyObject *module);
int add_regions(PyObject *module);
int add_sampling(PyObject *module);
int add_keeping(PyObject *module);
int add_running_frames(PyObject *module);
int add_stoppable_iterator(PyObject *module);
int add_continuations(PyObject *module);
int add_balance(PyObject *module);
int add_steps(PyObject *module);
int add_arms(PyObject *module);
int add_range_iterators(PyObject *module);
int add_own_attributes(PyObject *module);
int add_cuda(PyObject *module);
int add_interned(PyObject *module);
int add_tree(PyObject *module);
int add_record_methods(PyObject *module);
int add_object_compiler(PyObject *module);
int add_set_tables(PyObject *module);
int add_spans(PyObject *module);

// An owned reference.
class Ref {
public:
    Ref() = default;
    explicit Ref(PyObject *owned) : object(owned) {}
    Ref(Ref &&other) noexcept : object(other.release()) {}
    Ref(const Ref &) = delete;
    ~Ref() { Py_XDECREF(object); }
    Ref &operator=(Ref &&other) noexcept {
        PyObject *old = std::exchange(object, other.release());
        Py_XDECREF(old);
        return *this;
    }
    static Ref borrow(PyObject *borrowed) { return Ref(Py_XNewRef(borrowed)); }
    PyObject *get() const { return object; }
    PyObject *release() { return std::exchange(object, nullptr); }
    explicit operator bool() const { return object != nullptr; }

private:
    PyObject *object = nullptr;
};
