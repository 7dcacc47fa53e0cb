// Validity cells over dictionaries and types.
//
// On 3.12 and later the interpreter reports changes: a cell is marked stale, and looks again when
// it is next asked. On 3.11 a cell compares version tags, and looks again when they differ. Either
// way a dictionary's cell tells whether the key has the value it had, and a type's cell whether
// the type and its bases were never changed.
#include "guards/watchers.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

PyTypeObject *watch_cell_type = nullptr;

namespace {

struct WatchCell {
    PyObject_HEAD
    PyObject *subject;       // the dictionary or the type; null when there is nothing left to watch
    PyObject *key, *value;   // of a dictionary; the value is null when the key was missing
    uint64_t tag;            // 3.11
    bool is_stale;
};

WatchCell *as_cell(PyObject *self) { return reinterpret_cast<WatchCell *>(self); }

bool has_value(WatchCell *cell) {
    Py_hash_t hash = PyObject_Hash(cell->key);
    PyObject *value = _PyDict_GetItem_KnownHash(cell->subject, cell->key, hash);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return value == cell->value;
}

#if PY_VERSION_HEX >= 0x030C0000

// The cells of everything that is watched. Cells are in it from their making to their end.
std::unordered_map<PyObject *, std::vector<WatchCell *>> watched;
int dict_watcher = -1, type_watcher = -1;

// Marks the cells of a subject that a change of `key` concerns; null concerns all of them. A cell
// that is marked without need just looks again.
void mark_stale(PyObject *subject, PyObject *key) {
    auto found = watched.find(subject);
    if (found == watched.end()) return;
    for (WatchCell *cell : found->second) {
        bool is_other = key && cell->key && PyUnicode_CheckExact(key) &&
                        PyUnicode_CheckExact(cell->key) &&
                        PyObject_Hash(key) != PyObject_Hash(cell->key);
        if (!is_other) cell->is_stale = true;
    }
}

int on_dict_event(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *) {
    bool has_key = event == PyDict_EVENT_ADDED || event == PyDict_EVENT_MODIFIED ||
                   event == PyDict_EVENT_DELETED;
    mark_stale(dict, has_key ? key : nullptr);
    return 0;
}

int on_type_event(PyTypeObject *type) {
    mark_stale(reinterpret_cast<PyObject *>(type), nullptr);
    return 0;
}

int start_watching(WatchCell *cell) {
    PyObject *subject = cell->subject;
    if (PyDict_Check(subject)) {
        if (PyDict_Watch(dict_watcher, subject) < 0) return -1;
    } else {
        // Without a version tag a change of the type is not reported.
        if (!PyUnstable_Type_AssignVersionTag(reinterpret_cast<PyTypeObject *>(subject))) {
            PyErr_Format(PyExc_RuntimeError, "%R has changed too often to be watched", subject);
            return -1;
        }
        if (PyType_Watch(type_watcher, subject) < 0) return -1;
    }
    watched[subject].push_back(cell);
    return 0;
}

void stop_watching(WatchCell *cell) {
    auto found = watched.find(cell->subject);
    if (found == watched.end()) return;
    std::vector<WatchCell *> &cells = found->second;
    cells.erase(std::remove(cells.begin(), cells.end(), cell), cells.end());
    if (!cells.empty()) return;
    watched.erase(found);
    int failed = PyDict_Check(cell->subject) ? PyDict_Unwatch(dict_watcher, cell->subject)
                                             : PyType_Unwatch(type_watcher, cell->subject);
    if (failed) PyErr_Clear();
}

bool is_fresh(WatchCell *cell) { return !cell->is_stale; }

void refresh(WatchCell *cell) { cell->is_stale = false; }

int add_watcher_ids() {
    dict_watcher = PyDict_AddWatcher(on_dict_event);
    if (dict_watcher < 0) return -1;
    type_watcher = PyType_AddWatcher(on_type_event);
    return type_watcher < 0 ? -1 : 0;
}

#else

// The tag of the present state, 0 when a type has none.
uint64_t tag_of(PyObject *subject) {
    if (PyDict_Check(subject)) return reinterpret_cast<PyDictObject *>(subject)->ma_version_tag;
    auto type = reinterpret_cast<PyTypeObject *>(subject);
    return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) ? type->tp_version_tag : 0;
}

int start_watching(WatchCell *cell) {
    if (PyType_Check(cell->subject)) {  // looking something up gives the type a tag
        Ref name(PyUnicode_InternFromString("__class__"));
        if (!name) return -1;
        _PyType_Lookup(reinterpret_cast<PyTypeObject *>(cell->subject), name.get());
    }
    cell->tag = tag_of(cell->subject);
    if (cell->tag) return 0;
    PyErr_Format(PyExc_RuntimeError, "%R cannot be watched", cell->subject);
    return -1;
}

void stop_watching(WatchCell *) {}

bool is_fresh(WatchCell *cell) { return cell->tag == tag_of(cell->subject); }

void refresh(WatchCell *cell) { cell->tag = tag_of(cell->subject); }

int add_watcher_ids() { return 0; }

#endif

// -- the Python type

PyObject *new_cell(PyObject *subject, PyObject *key) {
    Ref object(watch_cell_type->tp_alloc(watch_cell_type, 0));
    if (!object) return nullptr;
    WatchCell *cell = as_cell(object.get());
    cell->key = Py_XNewRef(key);
    if (key) {
        cell->value = Py_XNewRef(PyDict_GetItemWithError(subject, key));
        if (!cell->value && PyErr_Occurred()) return nullptr;
    }
    cell->subject = Py_NewRef(subject);
    return start_watching(cell) < 0 ? nullptr : object.release();
}

int cell_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_cell(self)->subject);
    Py_VISIT(as_cell(self)->key);
    Py_VISIT(as_cell(self)->value);
    return 0;
}

int cell_clear(PyObject *self) {
    WatchCell *cell = as_cell(self);
    if (cell->subject) stop_watching(cell);
    Py_CLEAR(cell->subject);
    Py_CLEAR(cell->key);
    Py_CLEAR(cell->value);
    return 0;
}

void cell_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    cell_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject *cell_valid(PyObject *self, void *) { return PyBool_FromLong(is_valid(self)); }

PyGetSetDef cell_attributes[] = {
    {"valid", cell_valid, nullptr, "Whether what it watches is as it was.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot cell_slots[] = {
    {Py_tp_doc, const_cast<char *>("Tells whether a dictionary item or a type is as it was.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(cell_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void *>(cell_traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(cell_clear)},
    {Py_tp_getset, cell_attributes},
    {0, nullptr},
};

PyType_Spec cell_spec = {
    "dynamo_lite.native.WatchCell", sizeof(WatchCell), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    cell_slots,
};

PyObject *watch_dict(PyObject *, PyObject *args) {
    PyObject *dict, *key;
    if (!PyArg_ParseTuple(args, "O!O:watch_dict", &PyDict_Type, &dict, &key)) return nullptr;
    return new_cell(dict, key);
}

PyObject *watch_type(PyObject *, PyObject *type) {
    if (PyType_Check(type)) return new_cell(type, nullptr);
    PyErr_SetString(PyExc_TypeError, "watch_type() needs a type");
    return nullptr;
}

PyMethodDef functions[] = {
    {"watch_dict", watch_dict, METH_VARARGS,
     "watch_dict(d, key, /)\n--\n\nA cell that is valid while d[key] is what it is now."},
    {"watch_type", watch_type, METH_O,
     "watch_type(t, /)\n--\n\nA cell that is valid until the type or one of its bases changes."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool is_valid(PyObject *self) {
    WatchCell *cell = as_cell(self);
    if (!cell->subject) return false;
    if (is_fresh(cell)) return true;
    if (!cell->key || !has_value(cell)) return false;
    refresh(cell);
    return true;
}

int add_watchers(PyObject *module) {
    if (add_watcher_ids() < 0) return -1;
    PyObject *type = PyType_FromSpec(&cell_spec);
    if (!type) return -1;
    watch_cell_type = reinterpret_cast<PyTypeObject *>(type);
    if (PyModule_AddObjectRef(module, "WatchCell", type) < 0) return -1;
    return PyModule_AddFunctions(module, functions);
}
