// The guard op about the special methods of a class.
#include "base/core.h"
#include "guards/ops.h"

namespace guards {
namespace {

bool is_special(PyObject *name) {
    if (!PyUnicode_CheckExact(name) || PyUnicode_GET_LENGTH(name) < 5) return false;
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    if (!text) {
        PyErr_Clear();
        return false;
    }
    return text[0] == '_' && text[1] == '_' && text[size - 1] == '_' && text[size - 2] == '_';
}

// Python puts these into a class when somebody asks for them.
bool is_made_later(PyObject *name) {
    for (const char *later : {"__annotations__", "__annotations_cache__", "__doc__"}) {
        if (PyUnicode_CompareWithASCIIString(name, later) == 0) return true;
    }
    return false;
}

// The namespaces of a class and its bases; null for those that cannot change, as C's own.
PyObject *namespace_of(PyTypeObject *type, Py_ssize_t i) {
    auto base = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(type->tp_mro, i));
    return PyType_HasFeature(base, Py_TPFLAGS_IMMUTABLETYPE) ? nullptr : base->tp_dict;
}

bool has_no_others(PyTypeObject *type, PyObject *names) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
        PyObject *name, *space = namespace_of(type, i);
        Py_ssize_t position = 0;
        while (space && PyDict_Next(space, &position, &name, nullptr)) {
            if (is_special(name) && !is_made_later(name) && PySet_Contains(names, name) != 1) {
                return false;
            }
        }
    }
    return true;
}

bool is_defined(PyTypeObject *type, PyObject *name) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
        PyObject *space = namespace_of(type, i);
        if (space && PyDict_Contains(space, name) == 1) return true;
    }
    return false;
}

bool has_all(PyTypeObject *type, PyObject *names) {
    Ref iterator(PyObject_GetIter(names));
    while (iterator) {
        Ref name(PyIter_Next(iterator.get()));
        if (!name) return true;
        if (!is_defined(type, name.get())) return false;
    }
    return false;
}

}  // namespace

// The version of a class is another one after every change to it or to its bases, and 0 until it is
// asked for.
bool has_special_names(PyTypeObject *type, PyObject *names, unsigned &version) {
    if (version && type->tp_version_tag == version) return true;
    if (!type->tp_mro || !has_no_others(type, names) || !has_all(type, names)) return false;
    version = type->tp_version_tag;
    return true;
}

}  // namespace guards
