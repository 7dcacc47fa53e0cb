// Whether a thread is importing a module, read off the locks that importlib holds meanwhile.
#include "interpreter/regions.h"

namespace {

PyObject *module_locks = nullptr;  // importlib's: weak references to the locks, by module name

// The lock's thread; a lock that nobody holds has None.
bool is_held_here(PyObject *reference, unsigned long thread) {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject *found = nullptr;
    if (PyWeakref_GetRef(reference, &found) < 0) PyErr_Clear();
    Ref lock(found);
#else
    Ref lock = Ref::borrow(PyWeakref_GetObject(reference));
#endif
    Ref owner(lock ? PyObject_GetAttrString(lock.get(), "owner") : nullptr);
    bool is_known = owner && PyLong_CheckExact(owner.get());
    bool is_here = is_known && PyLong_AsUnsignedLong(owner.get()) == thread;
    PyErr_Clear();
    return is_here;
}

}  // namespace

bool regions::watch_imports() {
    if (module_locks) return true;
    Ref bootstrap(PyImport_ImportModule("_frozen_importlib"));
    Ref locks(bootstrap ? PyObject_GetAttrString(bootstrap.get(), "_module_locks") : nullptr);
    if (locks && PyDict_CheckExact(locks.get())) module_locks = locks.release();
    return module_locks;
}

bool regions::is_importing() {
    if (!module_locks || PyDict_GET_SIZE(module_locks) == 0) return false;
    unsigned long thread = PyThread_get_thread_ident();
    PyObject *name, *reference;
    for (Py_ssize_t i = 0; PyDict_Next(module_locks, &i, &name, &reference);) {
        if (PyWeakref_Check(reference) && is_held_here(reference, thread)) return true;
    }
    return false;
}
