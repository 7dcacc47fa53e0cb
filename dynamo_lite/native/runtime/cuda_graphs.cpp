// What a call launches, kept as a CUDA graph and launched again in one piece.
#include "base/callables.h"
#include "runtime/cuda.h"

namespace {

using namespace cuda;

constexpr int RELAXED = 2;  // other threads may go on allocating memory while one captures
constexpr unsigned NON_BLOCKING = 1;

struct CudaGraph {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *stream_of, *results, *shapes, *kept;
    std::vector<int64_t> *addresses;  // of the arguments
    std::vector<Held> *held;
    Handle context, executable;

    static constexpr const char *RELEASED = "this graph has";
    static constexpr PyObject *CudaGraph::*OWNED[] = {
        &CudaGraph::stream_of, &CudaGraph::results, &CudaGraph::shapes};

    // `kept` has what the executable launches, and goes after it.
    void release() {
        const char *why;
        const Driver *cuda = executable ? driver(&why) : nullptr;
        if (cuda) cuda->cuGraphExecDestroy(executable);
        delete addresses;
        delete held;
        Py_CLEAR(kept);
    }
};

// Whether all arguments lie where they lay, and the results, in the shapes that they had, are free:
// 1, 0 or -1 with an exception.
int fits(CudaGraph *self, PyObject *const *args, Py_ssize_t n) {
    if (n != static_cast<Py_ssize_t>(self->addresses->size())) return 0;
    if (!are_free(*self->held)) return 0;
    for (Py_ssize_t i = 0; i < n; ++i) {
        int64_t address;
        if (!address_of(args[i], address)) return -1;
        if (address != (*self->addresses)[i]) return 0;
    }
    return have_shapes(self->results, self->shapes);
}

bool start(CudaGraph *self, const Driver *cuda) {
    Ref number(PyObject_CallNoArgs(self->stream_of));
    if (!number) return false;
    auto stream = reinterpret_cast<Handle>(PyLong_AsUnsignedLongLongMask(number.get()));
    return !PyErr_Occurred() && !failed(cuda, cuda->cuGraphLaunch(self->executable, stream), "launch");
}

// In a tuple of their own: who has that has the results.
PyObject *given_out(PyObject *results) {
    PyObject *made = PyTuple_New(PyTuple_GET_SIZE(results));
    for (Py_ssize_t i = 0; made && i < PyTuple_GET_SIZE(results); ++i) {
        PyTuple_SET_ITEM(made, i, Py_NewRef(PyTuple_GET_ITEM(results, i)));
    }
    return made;
}

// graph(*arguments): the results, or None where it does not serve these arguments now
PyObject *launch(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *) {
    auto *self = as<CudaGraph>(object);
    const char *why;
    const Driver *cuda = driver(&why);
    Handle context = nullptr;
    if (!cuda || failed(cuda, cuda->cuCtxGetCurrent(&context), "current context")) return nullptr;
    int serves = context == self->context ? fits(self, args, PyVectorcall_NARGS(nargsf)) : 0;
    if (serves < 0 || (serves && !start(self, cuda))) return nullptr;
    return serves ? given_out(self->results) : Py_NewRef(Py_None);
}

// What `call(stream)` launches there, as an executable graph; its result, or null.
PyObject *capture(CudaGraph *self, const Driver *cuda, PyObject *call) {
    static Handle stream = nullptr;
    if (failed(cuda, cuda->cuCtxGetCurrent(&self->context), "current context")) return nullptr;
    if (!stream && failed(cuda, cuda->cuStreamCreate(&stream, NON_BLOCKING), "a stream")) return nullptr;
    if (failed(cuda, cuda->cuStreamBeginCapture_v2(stream, RELAXED), "capturing")) return nullptr;
    Ref number(PyLong_FromUnsignedLongLong(reinterpret_cast<unsigned long long>(stream)));
    Ref made(number ? PyObject_CallOneArg(call, number.get()) : nullptr);
    Handle graph = nullptr;
    Result ended = cuda->cuStreamEndCapture(stream, &graph);
    bool wrong = !made || failed(cuda, ended, "capturing") ||
                 failed(cuda, cuda->cuGraphInstantiateWithFlags(&self->executable, graph, 0), "a graph");
    if (graph) cuda->cuGraphDestroy(graph);
    return wrong ? nullptr : made.release();
}

bool take_addresses(CudaGraph *self, PyObject *arrays) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); ++i) {
        int64_t address;
        if (!address_of(PyTuple_GET_ITEM(arrays, i), address)) return false;
        self->addresses->push_back(address);
    }
    return true;
}

PyObject *make(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *arrays, *call, *stream_of;
    if (!PyArg_ParseTuple(args, "O!OO", &PyTuple_Type, &arrays, &call, &stream_of)) return nullptr;
    const char *why;
    const Driver *cuda = driver(&why);
    if (!cuda) return PyErr_Format(PyExc_RuntimeError, "%s", why);
    auto *self = new_callable<CudaGraph>(type, launch);
    if (!self) return nullptr;
    Ref object(reinterpret_cast<PyObject *>(self));
    self->stream_of = Py_NewRef(stream_of);
    self->addresses = new std::vector<int64_t>;
    self->held = new std::vector<Held>;
    Ref made(capture(self, cuda, call));
    PyObject *memories;
    if (!made || !PyArg_ParseTuple(made.get(), "O!O!O", &PyTuple_Type, &self->results, &PyTuple_Type,
                                   &memories, &self->kept)) {
        self->results = self->kept = nullptr;
        return nullptr;
    }
    Py_INCREF(self->results);
    Py_INCREF(self->kept);
    self->shapes = shapes_of(self->results);
    if (!self->shapes || !take_addresses(self, arrays)) return nullptr;
    add_held(*self->held, self->results);
    add_held(*self->held, memories);
    made = Ref();
    note_references(*self->held);
    return object.release();
}

const char *const DOC =
    "CudaGraph(arrays, call, stream_of)\n\n"
    "What `call(stream)` launches for these arrays, as a graph; it gives the results, what they "
    "hold their memory by, and what else the graph needs. Calling the graph with arrays at the same "
    "places launches it on `stream_of()` and gives the results, or None while these are in use.";

}  // namespace

int add_cuda_graphs(PyObject *module) {
    return add_type(module, callable_type<CudaGraph>("dynamo_lite.native.CudaGraph", DOC, make));
}
