// Launching compiled GPU kernels through the CUDA driver.
#include "base/callables.h"
#include "runtime/cuda.h"

#if defined(__linux__)
#include <dlfcn.h>
#endif

namespace cuda {

const Driver *driver(const char **why) {
    static Driver table;
    static const char *missing = nullptr;
    static bool tried = false;
    if (!tried) {
        tried = true;
#if defined(__linux__)
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            missing = "there is no CUDA driver on this machine (libcuda.so.1 cannot be loaded)";
        } else {
            auto find = [library](const char *name, auto *slot) {
                *slot = reinterpret_cast<std::remove_reference_t<decltype(*slot)>>(
                    dlsym(library, name));
                if (!*slot) missing = name;
            };
#define FIND(name) find(#name, &table.name)
            FIND(cuInit);
            FIND(cuCtxGetCurrent);
            FIND(cuModuleLoadData);
            FIND(cuModuleUnload);
            FIND(cuModuleGetFunction);
            FIND(cuFuncSetAttribute);
            FIND(cuLaunchKernel);
            FIND(cuGetErrorString);
            FIND(cuStreamCreate);
            FIND(cuStreamBeginCapture_v2);
            FIND(cuStreamEndCapture);
            FIND(cuGraphInstantiateWithFlags);
            FIND(cuGraphLaunch);
            FIND(cuGraphExecDestroy);
            FIND(cuGraphDestroy);
#undef FIND
            if (!missing && table.cuInit(0) != 0) missing = "the CUDA driver found no usable GPU";
        }
#else
        missing = "CUDA kernels can be launched on Linux only";
#endif
    }
    *why = missing;
    return missing ? nullptr : &table;
}

bool failed(const Driver *cuda, Result result, const char *what) {
    if (result == 0) return false;
    const char *text = nullptr;
    cuda->cuGetErrorString(result, &text);
    PyErr_Format(PyExc_RuntimeError, "%s: CUDA error %d (%s)", what, result, text ? text : "unknown");
    return true;
}

}  // namespace cuda

namespace {

using namespace cuda;

constexpr int MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
constexpr int STATIC_SHARED_LIMIT = 48 * 1024;
constexpr Py_ssize_t MAX_PARAMETERS = 120;
constexpr Py_ssize_t HIDDEN_PARAMETERS = 2;  // Triton's scratch pointers; these kernels use none
constexpr long long MAX_GRID = 2147483647;

// One cubin's kernel. It is loaded into the context that is current at its first launch.
struct CudaKernel {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *cubin, *name;
    PyObject *signature;  // bytes: a letter per parameter, see `pack`
    Handle context, module, function;
    int threads, shared;

    static constexpr const char *RELEASED = "this kernel has";
    static constexpr PyObject *CudaKernel::*OWNED[] = {
        &CudaKernel::cubin, &CudaKernel::name, &CudaKernel::signature};
    void release() {
        const char *why;
        const Driver *cuda = module ? driver(&why) : nullptr;
        if (cuda) cuda->cuModuleUnload(module);
    }
};

bool load(CudaKernel *self, const Driver *cuda) {
    Handle context = nullptr;
    if (failed(cuda, cuda->cuCtxGetCurrent(&context), "current context")) return false;
    if (self->function && self->context == context) return true;
    if (failed(cuda, cuda->cuModuleLoadData(&self->module, PyBytes_AS_STRING(self->cubin)),
               "loading a kernel"))
        return false;
    const char *name = PyUnicode_AsUTF8(self->name);
    if (!name || failed(cuda, cuda->cuModuleGetFunction(&self->function, self->module, name), name))
        return false;
    if (self->shared > STATIC_SHARED_LIMIT &&
        failed(cuda, cuda->cuFuncSetAttribute(self->function, MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              self->shared), "shared memory"))
        return false;
    self->context = context;
    return true;
}

// P: a device pointer; b h i l: integers of 8 to 64 bits (also unsigned); f d: floats.
bool pack(char letter, PyObject *value, uint64_t *out) {
    switch (letter) {
        case 'f': {
            float number = static_cast<float>(PyFloat_AsDouble(value));
            memcpy(out, &number, sizeof number);
            break;
        }
        case 'd': {
            double number = PyFloat_AsDouble(value);
            memcpy(out, &number, sizeof number);
            break;
        }
        case 'P': case 'b': case 'h': case 'i': case 'l':
            *out = PyLong_AsUnsignedLongLongMask(value);
            break;
        default:
            PyErr_Format(PyExc_ValueError, "unknown parameter letter '%c'", letter);
    }
    return !PyErr_Occurred();
}

// kernel(stream, programs, *parameters)
PyObject *launch(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *names) {
    auto *self = as<CudaKernel>(object);
    Py_ssize_t n = PyVectorcall_NARGS(nargsf) - 2, expected = PyBytes_GET_SIZE(self->signature);
    if (n != expected || names) {
        return PyErr_Format(PyExc_TypeError, "the kernel takes a stream, a grid and %zd parameters",
                            expected);
    }
    const char *why;
    const Driver *cuda = driver(&why);
    if (!cuda) return PyErr_Format(PyExc_RuntimeError, "%s", why);
    uint64_t values[MAX_PARAMETERS + HIDDEN_PARAMETERS] = {};
    void *pointers[MAX_PARAMETERS + HIDDEN_PARAMETERS];
    const char *letters = PyBytes_AS_STRING(self->signature);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!pack(letters[i], args[i + 2], &values[i])) return nullptr;
    }
    for (Py_ssize_t i = 0; i < n + HIDDEN_PARAMETERS; i++) pointers[i] = &values[i];
    long long programs = PyLong_AsLongLong(args[1]);
    auto stream = reinterpret_cast<Handle>(PyLong_AsUnsignedLongLongMask(args[0]));
    if (PyErr_Occurred() || !load(self, cuda)) return nullptr;
    if (programs < 0 || programs > MAX_GRID) {
        return PyErr_Format(PyExc_ValueError, "a grid of %lld programs", programs);
    }
    if (programs && failed(cuda, cuda->cuLaunchKernel(
            self->function, static_cast<unsigned>(programs), 1, 1, self->threads, 1, 1,
            self->shared, stream, pointers, nullptr), "launch")) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyObject *make(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *cubin, *name, *signature;
    int threads, shared;
    if (!PyArg_ParseTuple(args, "SUSii", &cubin, &name, &signature, &threads, &shared)) return nullptr;
    if (PyBytes_GET_SIZE(signature) > MAX_PARAMETERS) {
        return PyErr_Format(PyExc_ValueError, "more than %zd kernel parameters", MAX_PARAMETERS);
    }
    auto *self = new_callable<CudaKernel>(type, launch);
    if (!self) return nullptr;
    self->cubin = Py_NewRef(cubin);
    self->name = Py_NewRef(name);
    self->signature = Py_NewRef(signature);
    self->threads = threads;
    self->shared = shared;
    return reinterpret_cast<PyObject *>(self);
}

PyObject *why_no_cuda(PyObject *, PyObject *) {
    const char *why;
    if (driver(&why)) Py_RETURN_NONE;
    return PyUnicode_FromString(why);
}

PyMethodDef functions[] = {
    {"why_no_cuda", why_no_cuda, METH_NOARGS,
     "Why kernels cannot be launched on this machine, or None."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_cuda(PyObject *module) {
    constexpr const char *DOC =
        "CudaKernel(cubin, name, signature, threads, shared_bytes)\n\n"
        "A GPU kernel; calling it with (stream, programs, *parameters) launches it.";
    PyTypeObject *type = callable_type<CudaKernel>("dynamo_lite.native.CudaKernel", DOC, make);
    if (add_type(module, type) < 0) return -1;
    if (PyModule_AddFunctions(module, functions) < 0 || add_spare_arrays(module) < 0) return -1;
    return add_cuda_graphs(module);
}
