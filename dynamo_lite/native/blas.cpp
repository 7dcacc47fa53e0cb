// BLAS.
#include "runtime.h"

int add_blas() { return 0; }

int32_t gemm(Frame *, int32_t, int32_t, int32_t, int64_t, int64_t, int64_t, const void *, int64_t,
             const void *, int64_t, void *, int64_t) {
    return FAILED;
}

int32_t gemv(Frame *, int32_t, int32_t, int64_t, int64_t, const void *, int64_t, const void *,
             int64_t, void *, int64_t) {
    return FAILED;
}

int32_t dot(Frame *, int32_t, int64_t, const void *, int64_t, const void *, int64_t, void *) {
    return FAILED;
}
