#include "callable/binding.h"

#include <algorithm>

Signature signature_of(PyObject *object) {
    auto code = reinterpret_cast<PyCodeObject *>(Py_NewRef(object));
    Signature s{};
    s.code = code;
    s.positional = code->co_argcount;
    s.positional_only = code->co_posonlyargcount;
    s.named = code->co_argcount + code->co_kwonlyargcount;
    s.has_varargs = code->co_flags & CO_VARARGS;
    s.has_varkeywords = code->co_flags & CO_VARKEYWORDS;
    s.flat = s.named + s.has_varargs + s.has_varkeywords;
    s.direct = s.flat == s.positional ? s.positional : -1;
    return s;
}

namespace {

class Binder {
public:
    Binder(const Signature &signature, PyObject *function, PyObject **flat)
        : s(signature), function(function), flat(flat) {}

    Binding bind_positional(PyObject *const *args, Py_ssize_t n_args);
    Binding bind_keyword(PyObject *name, PyObject *value);
    Binding fill_defaults();

private:
    PyObject *name_of(int i) const { return PyTuple_GET_ITEM(s.code->co_localsplusnames, i); }
    int find(PyObject *name);
    Binding fill_keyword_defaults();

    const Signature &s;
    PyObject *function;
    PyObject **flat;
};

Binding Binder::bind_positional(PyObject *const *args, Py_ssize_t n_args) {
    Py_ssize_t n = std::min<Py_ssize_t>(n_args, s.positional);
    for (Py_ssize_t i = 0; i < n; ++i) flat[i] = Py_NewRef(args[i]);
    if (s.has_varargs) {
        PyObject *rest = flat[s.named] = PyTuple_New(n_args - n);
        if (!rest) return Binding::RAISED;
        for (Py_ssize_t i = n; i < n_args; ++i) PyTuple_SET_ITEM(rest, i - n, Py_NewRef(args[i]));
    } else if (n_args > n) {
        return Binding::MISMATCH;
    }
    if (s.has_varkeywords && !(flat[s.named + s.has_varargs] = PyDict_New())) {
        return Binding::RAISED;
    }
    return Binding::BOUND;
}

// The parameter of that name, -1 when there is none, -2 with an exception.
int Binder::find(PyObject *name) {
    for (int i = s.positional_only; i < s.named; ++i) {
        if (name_of(i) == name) return i;
    }
    for (int i = s.positional_only; i < s.named; ++i) {
        int equal = PyObject_RichCompareBool(name, name_of(i), Py_EQ);
        if (equal) return equal < 0 ? -2 : i;
    }
    return -1;
}

Binding Binder::bind_keyword(PyObject *name, PyObject *value) {
    int i = find(name);
    if (i == -2) return Binding::RAISED;
    if (i >= 0) {
        if (flat[i]) return Binding::MISMATCH;
        flat[i] = Py_NewRef(value);
        return Binding::BOUND;
    }
    if (!s.has_varkeywords) return Binding::MISMATCH;
    int failed = PyDict_SetItem(flat[s.named + s.has_varargs], name, value);
    return failed ? Binding::RAISED : Binding::BOUND;
}

Binding Binder::fill_defaults() {
    PyObject *defaults = PyFunction_GET_DEFAULTS(function);
    Py_ssize_t n_defaults = defaults ? PyTuple_GET_SIZE(defaults) : 0;
    Py_ssize_t first = s.positional - n_defaults;  // negative when there are too many
    for (int i = 0; i < s.positional; ++i) {
        if (flat[i]) continue;
        if (i < first) return Binding::MISMATCH;
        flat[i] = Py_NewRef(PyTuple_GET_ITEM(defaults, i - first));
    }
    return fill_keyword_defaults();
}

Binding Binder::fill_keyword_defaults() {
    PyObject *defaults = PyFunction_GET_KW_DEFAULTS(function);
    for (int i = s.positional; i < s.named; ++i) {
        if (flat[i]) continue;
        PyObject *value = defaults ? PyDict_GetItemWithError(defaults, name_of(i)) : nullptr;
        if (!value) return PyErr_Occurred() ? Binding::RAISED : Binding::MISMATCH;
        flat[i] = Py_NewRef(value);
    }
    return Binding::BOUND;
}

}  // namespace

Binding bind(const Signature &signature, PyObject *function, PyObject *const *args,
             Py_ssize_t n_args, PyObject *kwnames, PyObject **flat) {
    Binder binder(signature, function, flat);
    Binding bound = binder.bind_positional(args, n_args);
    Py_ssize_t n_keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < n_keywords && bound == Binding::BOUND; ++i) {
        bound = binder.bind_keyword(PyTuple_GET_ITEM(kwnames, i), args[n_args + i]);
    }
    return bound == Binding::BOUND ? binder.fill_defaults() : bound;
}
