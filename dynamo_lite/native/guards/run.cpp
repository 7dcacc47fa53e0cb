// What each guard op does.
#include "base/constants.h"
#include "guards/ops.h"
#include "guards/watchers.h"
#include "interpreter/interpreter.h"

namespace guards {
namespace {

// An item of a tuple or list, negative indices counted from the end; null when there is none.
PyObject *item_at(PyObject *sequence, int64_t i) {
    Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
    if (i < 0) i += size;
    return i >= 0 && i < size ? Py_NewRef(PySequence_Fast_GET_ITEM(sequence, i)) : nullptr;
}

PyObject *item_of(bool has_items, PyObject *sequence, int64_t i) {
    return has_items ? item_at(sequence, i) : nullptr;
}

PyObject *dict_item(PyObject *dict, PyObject *key, Py_hash_t hash) {
    return PyDict_Check(dict) ? Py_XNewRef(_PyDict_GetItem_KnownHash(dict, key, hash)) : nullptr;
}

PyObject *global(const Op &op) {
    Py_hash_t hash = PyObject_Hash(op.third);
    PyObject *value = _PyDict_GetItem_KnownHash(op.object, op.third, hash);
    if (!value && !PyErr_Occurred()) {
        value = _PyDict_GetItem_KnownHash(op.second, op.third, hash);
    }
    return Py_XNewRef(value);
}

PyObject *closure_item(PyObject *function, int64_t i) {
    PyObject *closure = function ? PyFunction_GET_CLOSURE(function) : nullptr;
    if (!closure) return nullptr;
    Ref cell(item_at(closure, i));
    return cell && PyCell_Check(cell.get()) ? PyCell_Get(cell.get()) : nullptr;
}

PyObject *default_item(PyObject *function, int64_t i) {
    PyObject *defaults = function ? PyFunction_GET_DEFAULTS(function) : nullptr;
    return defaults ? item_at(defaults, i) : nullptr;
}

PyObject *keyword_default(PyObject *function, PyObject *name) {
    PyObject *defaults = function ? PyFunction_GET_KW_DEFAULTS(function) : nullptr;
    return defaults ? dict_item(defaults, name, PyObject_Hash(name)) : nullptr;
}

PyObject *instance_dict(PyObject *object) {
    return PyType_Check(object) ? PyObject_GetAttrString(object, "__dict__")
                                : PyObject_GenericGetDict(object, nullptr);
}

// An object's __dict__, or None where it has none by now: asking the object for it would make one.
PyObject *own_dict(PyObject *object) {
    PyObject *dict = present_dict(object);
    return Py_NewRef(dict ? dict : Py_None);
}

bool has_length(PyObject *object, int64_t n) {
    if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
        return PySequence_Fast_GET_SIZE(object) == n;
    }
    if (PyDict_CheckExact(object)) return PyDict_GET_SIZE(object) == n;
    return PyObject_Size(object) == n;
}

bool same_key(PyObject *key, PyObject *wanted) {
    return key == wanted || (is_constant(wanted) && exactly_equal(key, wanted));
}

bool has_keys(PyObject *object, PyObject *wanted) {
    Ref keys(PyDict_Check(object) ? PySequence_List(object) : nullptr);
    if (!keys || PyList_GET_SIZE(keys.get()) != PyTuple_GET_SIZE(wanted)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(wanted); ++i) {
        if (!same_key(PyList_GET_ITEM(keys.get(), i), PyTuple_GET_ITEM(wanted, i))) return false;
    }
    return true;
}

// The common case, an exact dict, without a list of its keys.
bool has_keys_in_order(PyObject *object, PyObject *wanted) {
    if (!PyDict_CheckExact(object)) return has_keys(object, wanted);
    if (PyDict_GET_SIZE(object) != PyTuple_GET_SIZE(wanted)) return false;
    PyObject *key;
    Py_ssize_t position = 0;
    for (Py_ssize_t i = 0; PyDict_Next(object, &position, &key, nullptr); ++i) {
        if (!same_key(key, PyTuple_GET_ITEM(wanted, i))) return false;
    }
    return true;
}

bool lacks_key(PyObject *object, PyObject *key) {
    return (PyDict_Check(object) ? PyDict_Contains(object, key)
                                 : PySequence_Contains(object, key)) == 0;
}

bool lacks_attribute(PyObject *object, PyObject *name) {
    PyObject *value;
#if PY_VERSION_HEX >= 0x030D0000
    int found = PyObject_GetOptionalAttr(object, name, &value);
#else
    int found = _PyObject_LookupAttr(object, name, &value);
#endif
    Py_XDECREF(value);
    return found == 0;
}

bool as_int64(PyObject *value, int64_t &number) {
    if (!PyLong_CheckExact(value)) return false;
    int overflow;
    number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return !overflow;
}

bool equals_int(PyObject *value, int64_t wanted) {
    int64_t number;
    return as_int64(value, number) && number == wanted;
}

// The object of a dying weak reference is None, and None is never the value that was guarded.
bool is_referent(PyObject *value, PyObject *reference) {
    return reinterpret_cast<PyWeakReference *>(reference)->wr_object == value && !Py_IsNone(value);
}

bool is_accepted(PyObject *value, PyObject *function) {
    Ref answer(PyObject_CallOneArg(function, value));
    return answer && PyObject_IsTrue(answer.get()) == 1;
}

}  // namespace

PyObject *load(const Op &op, const Machine &machine) {
    auto source = [&] { return machine.registers[op.a]; };
    switch (op.code) {
    case Code::ATTR: return PyObject_GetAttr(source(), op.object);
    case Code::ITEM: return PyObject_GetItem(source(), op.object);
    case Code::TUPLE_ITEM: return item_of(PyTuple_Check(source()), source(), op.number);
    case Code::LIST_ITEM: return item_of(PyList_Check(source()), source(), op.number);
    case Code::DICT_ITEM: return dict_item(source(), op.object, op.number);
    case Code::CELL: return PyCell_Get(op.object);
    case Code::GLOBAL: return global(op);
    case Code::CONST: return Py_NewRef(op.object);
    case Code::CLOSURE: return closure_item(machine.function, op.number);
    case Code::DEFAULT: return default_item(machine.function, op.number);
    case Code::KWDEFAULT: return keyword_default(machine.function, op.object);
    case Code::TYPE_OF: return Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(source())));
    case Code::INSTANCE_DICT: return instance_dict(source());
    case Code::OWN_DICT: return own_dict(source());
    case Code::APPLY: return PyObject_CallOneArg(op.object, source());
    case Code::APPLY2: {
        PyObject *operands[] = {source(), machine.registers[op.b]};
        return PyObject_Vectorcall(op.object, operands, 2, nullptr);
    }
    default: Py_UNREACHABLE();
    }
}

bool holds(const Op &op, const Machine &machine) {
    auto value = [&] { return machine.registers[op.a]; };
    auto other = [&] { return machine.registers[op.b]; };
    switch (op.code) {
    case Code::ARRAY: return holds_array(op, machine);
    case Code::ARRAY_LIKE: return holds_array_like(op, machine);
    case Code::IS: return value() == op.object;
    case Code::WEAK_IS: return is_referent(value(), op.object);
    case Code::TYPE: return reinterpret_cast<PyObject *>(Py_TYPE(value())) == op.object;
    case Code::EQUALS: return exactly_equal(value(), op.object);
    case Code::EQUALS_INT: return equals_int(value(), op.number);
    case Code::LENGTH: return has_length(value(), op.number);
    case Code::KEYS: return has_keys_in_order(value(), op.object);
    case Code::NO_KEY: return lacks_key(value(), op.object);
    case Code::NO_OWN: return !own_value(value(), op.object);
    case Code::NO_ATTR: return lacks_attribute(value(), op.object);
    case Code::INT: return as_int64(value(), machine.slots[op.number]);
    case Code::RELATION: return holds_relation(*op.relation, machine.slots);
    case Code::DISJOINT: return disjoint(value(), other());
    case Code::NOT_ALIASED: return value() != other();
    case Code::NO_ALIAS: return have_no_alias(*op.group, machine);
    case Code::SPECIALS:
        return has_special_names(reinterpret_cast<PyTypeObject *>(op.object), op.second, *op.version);
    case Code::SAME: return value() == other();
    case Code::BOUND:
    case Code::EQUALS_BOUND: return holds_bound(op, machine);
    case Code::FLAG: return is_valid(op.object);
    case Code::CALL: return is_accepted(value(), op.object);
    default: Py_UNREACHABLE();
    }
}

}  // namespace guards
