// Walking and rebuilding the arguments of a node: tuples, lists, dicts and slices. Their subclasses
// are leaves.
#include "base/core.h"

namespace {

struct Parts {
    PyObject *items[3];
};

Parts parts_of(PyObject *slice) {
    auto *object = reinterpret_cast<PySliceObject *>(slice);
    return {{object->start, object->stop, object->step}};
}

// The leaves found so far; those of other types than `type`, if there is one, are left out.
struct Found {
    PyObject *list, *type;
};

int collect(PyObject *tree, const Found &found);

int collect_inside(PyObject *tree, const Found &found) {
    if (PySlice_Check(tree)) {
        for (PyObject *part : parts_of(tree).items) {
            if (collect(part, found) < 0) return -1;
        }
        return 0;
    }
    if (PyDict_CheckExact(tree)) {
        Py_ssize_t position = 0;
        PyObject *value;
        while (PyDict_Next(tree, &position, nullptr, &value)) {
            if (collect(value, found) < 0) return -1;
        }
        return 0;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(tree); ++i) {
        if (collect(PySequence_Fast_GET_ITEM(tree, i), found) < 0) return -1;
    }
    return 0;
}

bool is_leaf(PyObject *tree) {
    return !PyTuple_CheckExact(tree) && !PyList_CheckExact(tree) && !PyDict_CheckExact(tree) &&
           !PySlice_Check(tree);
}

int collect(PyObject *tree, const Found &found) {
    if (is_leaf(tree)) {
        if (found.type && !Py_IS_TYPE(tree, reinterpret_cast<PyTypeObject *>(found.type))) return 0;
        return PyList_Append(found.list, tree);
    }
    if (Py_EnterRecursiveCall(" in a tree")) return -1;
    int result = collect_inside(tree, found);
    Py_LeaveRecursiveCall();
    return result;
}

PyObject *leaves(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (count != 1 && count != 2) {
        PyErr_SetString(PyExc_TypeError, "leaves takes a tree and perhaps a type");
        return nullptr;
    }
    Ref found(PyList_New(0));
    if (!found || collect(args[0], {found.get(), count == 2 ? args[1] : nullptr}) < 0) return nullptr;
    return found.release();
}

PyObject *map(PyObject *function, PyObject *tree);

// The items are looked at one by one, and kept alive: the function may change what holds them.
PyObject *map_list(PyObject *function, PyObject *tree) {
    Ref made(PyList_New(0));
    for (Py_ssize_t i = 0; made && i < PyList_GET_SIZE(tree); ++i) {
        Ref item = Ref::borrow(PyList_GET_ITEM(tree, i));
        Ref mapped(map(function, item.get()));
        if (!mapped || PyList_Append(made.get(), mapped.get()) < 0) return nullptr;
    }
    return made.release();
}

PyObject *map_tuple(PyObject *function, PyObject *tree) {
    Py_ssize_t count = PyTuple_GET_SIZE(tree);
    Ref made(PyTuple_New(count));
    for (Py_ssize_t i = 0; made && i < count; ++i) {
        PyObject *mapped = map(function, PyTuple_GET_ITEM(tree, i));
        if (!mapped) return nullptr;
        PyTuple_SET_ITEM(made.get(), i, mapped);
    }
    return made.release();
}

PyObject *map_dict(PyObject *function, PyObject *tree) {
    Ref made(PyDict_New()), items(PyDict_Items(tree));
    if (!made || !items) return nullptr;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
        PyObject *pair = PyList_GET_ITEM(items.get(), i);
        Ref mapped(map(function, PyTuple_GET_ITEM(pair, 1)));
        if (!mapped || PyDict_SetItem(made.get(), PyTuple_GET_ITEM(pair, 0), mapped.get()) < 0) {
            return nullptr;
        }
    }
    return made.release();
}

PyObject *map_slice(PyObject *function, PyObject *tree) {
    Ref made[3];
    for (int i = 0; i < 3; ++i) {
        made[i] = Ref(map(function, parts_of(tree).items[i]));
        if (!made[i]) return nullptr;
    }
    return PySlice_New(made[0].get(), made[1].get(), made[2].get());
}

PyObject *map(PyObject *function, PyObject *tree) {
    if (is_leaf(tree)) return PyObject_CallOneArg(function, tree);
    if (Py_EnterRecursiveCall(" in a tree")) return nullptr;
    PyObject *made = PyTuple_CheckExact(tree)  ? map_tuple(function, tree)
                     : PyList_CheckExact(tree) ? map_list(function, tree)
                     : PyDict_CheckExact(tree) ? map_dict(function, tree)
                                               : map_slice(function, tree);
    Py_LeaveRecursiveCall();
    return made;
}

PyObject *map_leaves(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (count == 2) return map(args[0], args[1]);
    PyErr_SetString(PyExc_TypeError, "map_leaves takes a function and a tree");
    return nullptr;
}

PyMethodDef functions[] = {
    {"leaves", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(leaves)), METH_FASTCALL,
     nullptr},
    {"map_leaves", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(map_leaves)),
     METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_tree(PyObject *module) { return PyModule_AddFunctions(module, functions); }
