// How the members of sets lie in their tables: what is done to two sets alike leaves them alike only
// where that is the same.
#include "base/core.h"

namespace {

bool has_same_member(const setentry &left, const setentry &right) {
    bool is_free = !left.key, is_removed = left.key && left.hash == -1;
    if (is_free || is_removed) {
        return is_free ? !right.key : right.key && right.hash == -1;
    }
    return right.key && left.hash == right.hash;
}

PyObject *same_table(PyObject *, PyObject *args) {
    PyObject *left, *right;
    if (!PyArg_ParseTuple(args, "OO:same_table", &left, &right)) return nullptr;
    if (!PyAnySet_Check(left) || !PyAnySet_Check(right)) {
        return PyErr_Format(PyExc_TypeError, "same_table compares sets");
    }
    auto one = reinterpret_cast<PySetObject *>(left), other = reinterpret_cast<PySetObject *>(right);
    bool same = one->mask == other->mask && one->fill == other->fill &&
                one->used == other->used && one->finger == other->finger;
    for (Py_ssize_t i = 0; same && i <= one->mask; ++i) {
        same = has_same_member(one->table[i], other->table[i]);
    }
    return PyBool_FromLong(same);
}

PyMethodDef functions[] = {
    {"same_table", same_table, METH_VARARGS,
     "same_table(left, right, /)\n--\n\nWhether the members of two sets, known by their hashes, and "
     "the places of those that were removed are the same."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_set_tables(PyObject *module) { return PyModule_AddFunctions(module, functions); }
