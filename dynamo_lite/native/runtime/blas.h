// How the BLAS and LAPACK that NumPy ships are found and called.
#pragma once

#include "base/core.h"

// How a build of NumPy decorates cblas_dgemm and dgesv, and how wide its integers are.
struct BlasSpelling {
    const char *prefix, *suffix, *lapack_prefix, *lapack_suffix;
    bool wide;
};
constexpr BlasSpelling BLAS_SPELLINGS[] = {
    {"scipy_cblas_", "64_", "scipy_", "_64_", true},
    {"cblas_", "64_", "", "_64_", true},
    {"cblas_", "$NEWLAPACK$ILP64", "", "$NEWLAPACK$ILP64", true},
    {"scipy_cblas_", "", "scipy_", "_", false},
    {"cblas_", "$NEWLAPACK", "", "$NEWLAPACK", false},
    {"cblas_", "", "", "_", false},
};

enum BlasElement { SINGLE, DOUBLE, COMPLEX_SINGLE, COMPLEX_DOUBLE, BLAS_ELEMENTS };

inline int blas_element(int32_t typenum) {
    switch (typenum) {
        case NPY_FLOAT: return SINGLE;
        case NPY_DOUBLE: return DOUBLE;
        case NPY_CFLOAT: return COMPLEX_SINGLE;
        case NPY_CDOUBLE: return COMPLEX_DOUBLE;
        default: return BLAS_ELEMENTS;
    }
}

// CBLAS passes alpha and beta of complex numbers by pointer, those of real ones by value.
constexpr float SINGLE_ONE[2] = {1, 0}, SINGLE_ZERO[2] = {0, 0};
constexpr double DOUBLE_ONE[2] = {1, 0}, DOUBLE_ZERO[2] = {0, 0};

constexpr int64_t GIL_FLOPS = 50000;  // about 10 µs: from here on the GIL is released

// Releases the GIL for work that is worth it.
class LongWork {
public:
    explicit LongWork(double flops) : thread(flops > GIL_FLOPS ? PyEval_SaveThread() : nullptr) {}
    LongWork(const LongWork &) = delete;
    ~LongWork() {
        if (thread != nullptr) PyEval_RestoreThread(thread);
    }

private:
    PyThreadState *thread;
};

// The library of one of NumPy's extension modules, already loaded, or nullptr: a symbol is looked up
// in it and in what it is linked with, so another BLAS in the process is never taken.
void *library_of_module(const char *name);
