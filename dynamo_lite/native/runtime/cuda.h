// The CUDA driver, which is looked up at run time: nothing of CUDA is needed to build this module.
#pragma once
#include "base/core.h"

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

}  // namespace cuda

int add_cuda_graphs(PyObject *module);
