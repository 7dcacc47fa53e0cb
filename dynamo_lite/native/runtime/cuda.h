// The CUDA driver, which is looked up at run time: nothing of CUDA is needed to build this module.
#pragma once
#include "base/core.h"

#include <vector>

namespace cuda {

using Handle = void *;
using Result = int;

// The part of the driver's interface that launching needs (names and signatures of its C API).
struct Driver {
    Result (*cuInit)(unsigned flags);
    Result (*cuCtxGetCurrent)(Handle *context);
    Result (*cuModuleLoadData)(Handle *module, const void *image);
    Result (*cuModuleUnload)(Handle module);
    Result (*cuModuleGetFunction)(Handle *function, Handle module, const char *name);
    Result (*cuFuncSetAttribute)(Handle function, int attribute, int value);
    Result (*cuLaunchKernel)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, Handle stream, void **parameters, void **extra);
    Result (*cuGetErrorString)(Result error, const char **text);
    Result (*cuStreamCreate)(Handle *stream, unsigned flags);
    Result (*cuStreamBeginCapture_v2)(Handle stream, int mode);
    Result (*cuStreamEndCapture)(Handle stream, Handle *graph);
    Result (*cuGraphInstantiateWithFlags)(Handle *executable, Handle graph,
                                          unsigned long long flags);
    Result (*cuGraphLaunch)(Handle executable, Handle stream);
    Result (*cuGraphExecDestroy)(Handle executable);
    Result (*cuGraphDestroy)(Handle graph);
};

// The driver, or null; `why` says what is missing.
const Driver *driver(const char **why);

// Whether a call failed; then a Python exception is set.
bool failed(const Driver *cuda, Result result, const char *what);

// Something that is written in each call, and may be given out again when nobody else has it.
struct Held {
    Ref object;
    Py_ssize_t references;  // while nobody has it

    bool is_free() const;
};

// `objects` (a sequence) as they are when nobody else has them.
void add_held(std::vector<Held> &held, PyObject *objects);
void note_references(std::vector<Held> &held);
bool are_free(const std::vector<Held> &held);

// Where an array of CuPy lies; false with an exception.
bool address_of(PyObject *array, int64_t &address);

// The shapes of a tuple's arrays, or null; and whether they still have them (-1 with an exception).
PyObject *shapes_of(PyObject *arrays);
int have_shapes(PyObject *arrays, PyObject *shapes);

}  // namespace cuda

int add_cuda_graphs(PyObject *module);
int add_spare_arrays(PyObject *module);
