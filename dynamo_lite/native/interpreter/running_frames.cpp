// On-stack replacement: looks at frames that are running, and changes them.
#include "base/core.h"
#include "interpreter/interpreter.h"

namespace {

PyFrameObject *frame_of(PyObject *object) {
    if (Py_TYPE(object) == &PyFrame_Type) return reinterpret_cast<PyFrameObject *>(object);
    PyErr_Format(PyExc_TypeError, "a frame is needed, not %s", Py_TYPE(object)->tp_name);
    return nullptr;
}

PyObject *exchange_in_frame(PyObject *, PyObject *args) {
    PyObject *object, *value, *unbound;
    int slot;
    if (!PyArg_ParseTuple(args, "OiOO:exchange_in_frame", &object, &slot, &value, &unbound)) {
        return nullptr;
    }
    PyFrameObject *frame = frame_of(object);
    PyObject **place = frame ? place_in_frame(frame, slot) : nullptr;
    if (!place) {
        if (frame) PyErr_SetString(PyExc_ValueError, "the frame has no such place");
        return nullptr;
    }
    PyObject *before = std::exchange(*place, value == unbound ? nullptr : Py_NewRef(value));
    return before ? before : Py_NewRef(unbound);
}

PyObject *value_in_frame(PyObject *, PyObject *args) {
    PyObject *object, *unbound;
    int slot;
    if (!PyArg_ParseTuple(args, "OiO:value_in_frame", &object, &slot, &unbound)) return nullptr;
    PyFrameObject *frame = frame_of(object);
    if (!frame) return nullptr;
    PyObject **place = place_in_frame(frame, slot);
    return Py_NewRef(place && *place ? *place : unbound);
}

PyObject *set_frame_place(PyObject *, PyObject *args) {
    PyObject *object;
    int offset;
    if (!PyArg_ParseTuple(args, "Oi:set_frame_place", &object, &offset)) return nullptr;
    PyFrameObject *frame = frame_of(object);
    if (!frame) return nullptr;
    if (place_in_frame(frame, 0)) set_place(frame, offset);
    Py_RETURN_NONE;
}

// Called by the interpreter with a frame and an error, again and again until it is in that frame.
int raise_in_frame(void *waiting) {
    Ref pair(static_cast<PyObject *>(waiting));
    auto frame = reinterpret_cast<PyFrameObject *>(PyTuple_GET_ITEM(pair.get(), 0));
    PyObject *error = PyTuple_GET_ITEM(pair.get(), 1);
    if (!is_running(frame) && Py_AddPendingCall(raise_in_frame, pair.get()) == 0) {
        pair.release();
        return 0;
    }
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error)), error);
    return -1;
}

PyObject *raise_soon(PyObject *, PyObject *args) {
    PyObject *frame, *error;
    if (!PyArg_ParseTuple(args, "O!O:raise_soon", &PyFrame_Type, &frame, &error)) return nullptr;
    Ref pair(PyTuple_Pack(2, frame, error));
    if (!pair) return nullptr;
    if (Py_AddPendingCall(raise_in_frame, pair.get()) == 0) pair.release();
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"value_in_frame", value_in_frame, METH_VARARGS,
     "value_in_frame(frame, slot, unbound, /)\n--\n\n"
     "What a running frame keeps in a slot: its variables, cells and free variables, then its\n"
     "stack. `unbound` where there is nothing."},
    {"exchange_in_frame", exchange_in_frame, METH_VARARGS,
     "exchange_in_frame(frame, slot, value, unbound, /)\n--\n\n"
     "Puts another value there, and gives the one before. The frame must be in a loop whose\n"
     "iterator that is, or read the variable again before it uses it."},
    {"set_frame_place", set_frame_place, METH_VARARGS,
     "set_frame_place(frame, offset, /)\n--\n\n"
     "Has a running frame seem to be at an offset of its code; at -2 it is not seen at all."},
    {"raise_soon", raise_soon, METH_VARARGS,
     "raise_soon(frame, error, /)\n--\n\n"
     "Raises the error in a frame of the main thread, before one of its next instructions."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_running_frames(PyObject *module) { return PyModule_AddFunctions(module, functions); }
