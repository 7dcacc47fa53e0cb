// Products of matrices by the BLAS that NumPy ships.
#include "runtime/blas.h"

#include "base/core.h"
#include "runtime/runtime.h"

#include <atomic>
#include <climits>
#include <cstdio>
#include <dlfcn.h>

namespace {

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112, UPPER = 121 };

// The functions of one element type; all of them or none.
struct Routines {
    void *gemm, *gemv, *dot, *syrk;
};

struct ElementRow {
    const char *gemm, *gemv, *dot, *syrk;
    int64_t itemsize;
} const ELEMENT_ROWS[BLAS_ELEMENTS] = {
    {"sgemm", "sgemv", "sdot", "ssyrk", 4},
    {"dgemm", "dgemv", "ddot", "dsyrk", 8},
    {"cgemm", "cgemv", "cdotu_sub", "csyrk", 8},
    {"zgemm", "zgemv", "zdotu_sub", "zsyrk", 16},
};

Routines routines[BLAS_ELEMENTS];
bool found, wide;

void *find(void *library, const BlasSpelling &spelling, const char *name) {
    char symbol[64];
    std::snprintf(symbol, sizeof symbol, "%s%s%s", spelling.prefix, name, spelling.suffix);
    return dlsym(library, symbol);
}

bool find_all(void *library, const BlasSpelling &spelling) {
    for (int i = 0; i < BLAS_ELEMENTS; ++i) {
        const ElementRow &row = ELEMENT_ROWS[i];
        routines[i] = {find(library, spelling, row.gemm), find(library, spelling, row.gemv),
                       find(library, spelling, row.dot), find(library, spelling, row.syrk)};
        const Routines &r = routines[i];
        if (!r.gemm || !r.gemv || !r.dot || !r.syrk) return false;
    }
    wide = spelling.wide;
    return true;
}

bool valid_size(int64_t value) { return value >= 0 && (wide || value <= INT_MAX); }

// The interface for one width of integers and one way to pass alpha and beta: by value for real
// elements, by pointer for complex ones.
template <typename Int, typename Factor>
struct Blas {
    using Gemm = void (*)(int, int, int, Int, Int, Int, Factor, const void *, Int, const void *, Int,
                          Factor, void *, Int);
    using Gemv = void (*)(int, int, Int, Int, Factor, const void *, Int, const void *, Int, Factor,
                          void *, Int);
    using Syrk = void (*)(int, int, int, Int, Int, Factor, const void *, Int, Factor, void *, Int);
};

struct Product {
    bool trans_a, trans_b;
    int64_t m, n, k;
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    void *c;
    int64_t ldc;
};

int order(bool transposed) { return transposed ? TRANSPOSE : NO_TRANSPOSE; }

// A product of a matrix with its own transpose: NumPy computes one triangle and copies it, so that
// the result is symmetric to the last bit.
bool is_symmetric(const Product &p) {
    return p.a == p.b && p.lda == p.ldb && p.m == p.n && p.trans_a != p.trans_b;
}

void mirror(const Product &p, int64_t itemsize) {
    auto *c = static_cast<char *>(p.c);
    for (int64_t i = 0; i < p.m; ++i) {
        for (int64_t j = i + 1; j < p.m; ++j) {
            memcpy(c + (j * p.ldc + i) * itemsize, c + (i * p.ldc + j) * itemsize, itemsize);
        }
    }
}

template <typename Int, typename Factor>
void multiply(BlasElement element, const Product &p, Factor one, Factor zero) {
    using Calls = Blas<Int, Factor>;
    const Routines &r = routines[element];
    if (is_symmetric(p)) {
        reinterpret_cast<typename Calls::Syrk>(r.syrk)(ROW_MAJOR, UPPER, order(p.trans_a), p.m, p.k,
                                                       one, p.a, p.lda, zero, p.c, p.ldc);
        return mirror(p, ELEMENT_ROWS[element].itemsize);
    }
    reinterpret_cast<typename Calls::Gemm>(r.gemm)(ROW_MAJOR, order(p.trans_a), order(p.trans_b), p.m,
                                                   p.n, p.k, one, p.a, p.lda, p.b, p.ldb, zero, p.c,
                                                   p.ldc);
}

template <typename Int>
void multiply_as(BlasElement element, const Product &p) {
    switch (element) {
        case SINGLE: return multiply<Int, float>(element, p, 1, 0);
        case DOUBLE: return multiply<Int, double>(element, p, 1, 0);
        case COMPLEX_SINGLE:
            return multiply<Int, const void *>(element, p, SINGLE_ONE, SINGLE_ZERO);
        default: return multiply<Int, const void *>(element, p, DOUBLE_ONE, DOUBLE_ZERO);
    }
}

struct MatrixVector {
    bool trans;
    int64_t m, n;
    const void *a;
    int64_t lda;
    const void *x;
    int64_t incx;
    void *y;
    int64_t incy;
};

template <typename Int, typename Factor>
void apply(BlasElement element, const MatrixVector &p, Factor one, Factor zero) {
    reinterpret_cast<typename Blas<Int, Factor>::Gemv>(routines[element].gemv)(
        ROW_MAJOR, order(p.trans), p.m, p.n, one, p.a, p.lda, p.x, p.incx, zero, p.y, p.incy);
}

template <typename Int>
void apply_as(BlasElement element, const MatrixVector &p) {
    switch (element) {
        case SINGLE: return apply<Int, float>(element, p, 1, 0);
        case DOUBLE: return apply<Int, double>(element, p, 1, 0);
        case COMPLEX_SINGLE: return apply<Int, const void *>(element, p, SINGLE_ONE, SINGLE_ZERO);
        default: return apply<Int, const void *>(element, p, DOUBLE_ONE, DOUBLE_ZERO);
    }
}

template <typename Int, typename T>
T real_dot(BlasElement element, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy) {
    using Dot = T (*)(Int, const void *, Int, const void *, Int);
    return reinterpret_cast<Dot>(routines[element].dot)(n, x, incx, y, incy);
}

template <typename Int>
void dot_as(BlasElement element, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy,
            void *out) {
    using ComplexDot = void (*)(Int, const void *, Int, const void *, Int, void *);
    switch (element) {
        case SINGLE:
            *static_cast<float *>(out) = real_dot<Int, float>(element, n, x, incx, y, incy);
            return;
        case DOUBLE:
            *static_cast<double *>(out) = real_dot<Int, double>(element, n, x, incx, y, incy);
            return;
        default:
            reinterpret_cast<ComplexDot>(routines[element].dot)(n, x, incx, y, incy, out);
    }
}

void fill_zero(void *data, int64_t rows, int64_t row_step, int64_t row_bytes) {
    if (row_step == row_bytes) {
        memset(data, 0, rows * row_bytes);
        return;
    }
    for (int64_t i = 0; i < rows; ++i) memset(static_cast<char *>(data) + i * row_step, 0, row_bytes);
}

// NumPy adds up longer vectors in pieces.
constexpr int64_t MAX_DOT = INT_MAX / 2;

bool valid_increment(int64_t increment) { return increment > 0 && valid_size(increment); }

template <typename T>
void scale_as(const MatrixVector &p) {
    auto *a = static_cast<const T *>(p.a);
    auto *y = static_cast<T *>(p.y);
    int64_t rows = p.trans ? p.n : p.m, step = p.trans ? 1 : p.lda;
    T x = *static_cast<const T *>(p.x);
    for (int64_t i = 0; i < rows; ++i) y[i * p.incy] = a[i * step] * x + T(0);
}

// The three routines. They touch nothing of Python's, so that any thread may call them.
int32_t multiply_matrices(int32_t typenum, const Product &p) {
    int element = blas_element(typenum);
    if (!found || element == BLAS_ELEMENTS) return FAILED;
    if (!valid_size(p.m) || !valid_size(p.n) || !valid_size(p.k)) return FAILED;
    if (p.m == 0 || p.n == 0) return OK;
    bool strides_fit = p.ldc >= p.n && valid_size(p.ldc) && valid_size(p.lda) && valid_size(p.ldb);
    if (!strides_fit) return FAILED;
    if (p.k == 0) {
        int64_t itemsize = ELEMENT_ROWS[element].itemsize;
        fill_zero(p.c, p.m, p.ldc * itemsize, p.n * itemsize);
        return OK;
    }
    if (p.lda < (p.trans_a ? p.m : p.k) || p.ldb < (p.trans_b ? p.k : p.n)) return FAILED;
    (wide ? multiply_as<int64_t> : multiply_as<int>)(static_cast<BlasElement>(element), p);
    return OK;
}

int32_t multiply_vectors(int32_t typenum, int64_t n, const void *x, int64_t incx, const void *y,
                         int64_t incy, void *out) {
    int element = blas_element(typenum);
    if (!found || element == BLAS_ELEMENTS || n < 0 || n > MAX_DOT) return FAILED;
    if (!valid_increment(incx) || !valid_increment(incy)) return FAILED;
    (wide ? dot_as<int64_t> : dot_as<int>)(static_cast<BlasElement>(element), n, x, incx, y, incy, out);
    return OK;
}

// Real matrices of one row, and of one column, are other cases for np.matmul.
int32_t multiply_narrow(int32_t typenum, const MatrixVector &p) {
    if (p.m == 0 || p.n == 0) return FAILED;
    if ((p.trans ? p.n : p.m) == 1) {
        return multiply_vectors(typenum, p.trans ? p.m : p.n, p.a, p.trans ? p.lda : 1, p.x, p.incx,
                                p.y);
    }
    (typenum == NPY_FLOAT ? scale_as<float> : scale_as<double>)(p);
    return OK;
}

int32_t multiply_vector(int32_t typenum, const MatrixVector &p) {
    int element = blas_element(typenum);
    if (!found || element == BLAS_ELEMENTS || !valid_size(p.m) || !valid_size(p.n)) return FAILED;
    int64_t rows = p.trans ? p.n : p.m, itemsize = ELEMENT_ROWS[element].itemsize;
    if (rows == 0) return OK;
    if (!valid_increment(p.incx) || !valid_increment(p.incy)) return FAILED;
    bool real = element == SINGLE || element == DOUBLE;
    if (real && (p.m == 1 || p.n == 1)) return multiply_narrow(typenum, p);
    // Some builds scale y by beta: 0 * NaN is NaN.
    fill_zero(p.y, rows, p.incy * itemsize, itemsize);
    if (p.m == 0 || p.n == 0) return OK;
    if (p.lda < p.n || !valid_size(p.lda)) return FAILED;
    (wide ? apply_as<int64_t> : apply_as<int>)(static_cast<BlasElement>(element), p);
    return OK;
}

// A stack of products: one request, at many places.
enum Routine { GEMM, GEMV, DOT };

struct Stack {
    int32_t routine, typenum;
    bool trans_a, trans_b;
    int64_t m, n, k, lda, ldb;  // those that a routine has not are 1
    const char *a, *b;
    char *c;
    int32_t ndim;
    const int64_t *extents, *steps;  // steps: in bytes, of a, b and c for each dimension
    std::atomic<bool> failed{false};

    int64_t count() const {
        int64_t product = 1;
        for (int32_t i = 0; i < ndim; ++i) product *= extents[i];
        return product;
    }

    double flops() const { return 2.0 * m * n * k; }

    // OpenBLAS multiplies smaller ones in the calling thread.
    bool is_small() const { return flops() <= (routine == GEMM ? 1 << 19 : 1 << 14); }

    int32_t one(int64_t index) const {
        const char *x = a, *y = b;
        char *out = c;
        for (int32_t i = ndim - 1; i >= 0; --i) {
            int64_t place = index % extents[i];
            index /= extents[i];
            x += place * steps[3 * i];
            y += place * steps[3 * i + 1];
            out += place * steps[3 * i + 2];
        }
        switch (routine) {
            case GEMM:
                return multiply_matrices(typenum,
                                         {trans_a, trans_b, m, n, k, x, lda, y, ldb, out, n});
            case GEMV:
                return multiply_vector(typenum, {trans_a, m, n, x, lda, y, ldb, out, 1});
            default:
                return multiply_vectors(typenum, m, x, lda, y, ldb, out);
        }
    }
};

void some_of_stack(void *env, int64_t begin, int64_t end) {
    auto *stack = static_cast<Stack *>(env);
    for (int64_t i = begin; i < end; ++i) {
        if (stack->one(i) != OK) return stack->failed.store(true);
    }
}

constexpr double FLOPS_PER_NS = 32;
// Shorter stacks are done by the calling thread: OpenBLAS's own threads go on spinning for a while
// after each large product, and those of the pool would share the cores with them.
constexpr double SHARED_FLOPS = 32e6;

// A product as a step of a call, which takes the GIL again only where it has to.
class LongStep {
public:
    LongStep(Frame *frame, double flops) : call(call_of(frame)) {
        if (flops > GIL_FLOPS) give_gil(call);
    }
    LongStep(const LongStep &) = delete;
    ~LongStep() {
        if (call->keeps_gil) take_gil(call);
    }

private:
    Call *call;
};

void all_of_stack(Frame *frame, Stack *stack) {
    int64_t count = stack->count();
    double flops = stack->flops() * count;
    if (stack->is_small() && flops >= SHARED_FLOPS) {
        auto cost_ns = static_cast<int64_t>(flops / FLOPS_PER_NS);
        return parallel(frame, some_of_stack, stack, count, cost_ns);
    }
    LongStep step(frame, flops);
    some_of_stack(stack, 0, count);
}

}  // namespace

void *library_of_module(const char *name) {
    Ref module(PyImport_ImportModule(name));
    Ref file(module ? PyObject_GetAttrString(module.get(), "__file__") : nullptr);
    const char *path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
    if (path != nullptr) return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    PyErr_Clear();
    return nullptr;
}

int add_blas() {
    void *library = library_of_module("numpy._core._multiarray_umath");
    if (library == nullptr) return 0;
    for (const BlasSpelling &spelling : BLAS_SPELLINGS) {
        if ((found = find_all(library, spelling))) break;
    }
    return 0;
}

bool has_blas() { return found; }

int32_t gemm(Frame *frame, int32_t typenum, int32_t trans_a, int32_t trans_b, int64_t m, int64_t n,
             int64_t k, const void *a, int64_t lda, const void *b, int64_t ldb, void *c,
             int64_t ldc) {
    LongStep step(frame, 2.0 * m * n * k);
    return multiply_matrices(typenum, {trans_a != 0, trans_b != 0, m, n, k, a, lda, b, ldb, c, ldc});
}

int32_t gemv(Frame *frame, int32_t typenum, int32_t trans, int64_t m, int64_t n, const void *a,
             int64_t lda, const void *x, int64_t incx, void *y, int64_t incy) {
    LongStep step(frame, 2.0 * m * n);
    return multiply_vector(typenum, {trans != 0, m, n, a, lda, x, incx, y, incy});
}

int32_t dot(Frame *frame, int32_t typenum, int64_t n, const void *x, int64_t incx, const void *y,
            int64_t incy, void *out) {
    LongStep step(frame, 2.0 * n);
    return multiply_vectors(typenum, n, x, incx, y, incy, out);
}

int32_t products(Frame *frame, int32_t routine, int32_t typenum, int32_t trans_a, int32_t trans_b,
                 const int64_t *sizes, const void *a, const void *b, void *c, int32_t ndim,
                 const int64_t *extents, const int64_t *steps, int32_t suppressed) {
    Stack stack{routine, typenum, trans_a != 0, trans_b != 0, sizes[0], sizes[1], sizes[2], sizes[3],
                sizes[4], static_cast<const char *>(a), static_cast<const char *>(b),
                static_cast<char *>(c), ndim, extents, steps};
    if (suppressed) suppress_flags(frame, 1);
    unsigned before = call_of(frame)->fp_flags;
    all_of_stack(frame, &stack);
    if (suppressed) {
        call_of(frame)->fp_flags = before;
        suppress_flags(frame, 0);
    }
    return stack.failed.load() ? FAILED : OK;
}
