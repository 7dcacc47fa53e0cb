// The BLAS that NumPy ships, found through NumPy's own extension module: a symbol is looked up in
// that library and in what it is linked with, so another BLAS in the process is never taken.
#include "core.h"
#include "runtime.h"

#include <climits>
#include <cstdio>
#include <dlfcn.h>

namespace {

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112, UPPER = 121 };
constexpr int64_t GIL_FLOPS = 50000;  // about 10 µs: from here on the GIL is released

// How a build of NumPy decorates cblas_dgemm, and how wide its integers are.
struct Spelling {
    const char *prefix, *suffix;
    bool wide;
} const SPELLINGS[] = {
    {"scipy_cblas_", "64_", true},
    {"cblas_", "64_", true},
    {"cblas_", "$NEWLAPACK$ILP64", true},
    {"scipy_cblas_", "", false},
    {"cblas_", "$NEWLAPACK", false},
    {"cblas_", "", false},
};

// The functions of one element type; all of them or none.
struct Routines {
    void *gemm, *gemv, *dot, *syrk;
};

enum Element { SINGLE, DOUBLE, COMPLEX_SINGLE, COMPLEX_DOUBLE, ELEMENTS };

struct ElementRow {
    const char *gemm, *gemv, *dot, *syrk;
    int64_t itemsize;
} const ELEMENT_ROWS[ELEMENTS] = {
    {"sgemm", "sgemv", "sdot", "ssyrk", 4},
    {"dgemm", "dgemv", "ddot", "dsyrk", 8},
    {"cgemm", "cgemv", "cdotu_sub", "csyrk", 8},
    {"zgemm", "zgemv", "zdotu_sub", "zsyrk", 16},
};

const float SINGLE_ONE[2] = {1, 0}, SINGLE_ZERO[2] = {0, 0};
const double DOUBLE_ONE[2] = {1, 0}, DOUBLE_ZERO[2] = {0, 0};

Routines routines[ELEMENTS];
bool found, wide;

int element_of(int32_t typenum) {
    switch (typenum) {
        case NPY_FLOAT: return SINGLE;
        case NPY_DOUBLE: return DOUBLE;
        case NPY_CFLOAT: return COMPLEX_SINGLE;
        case NPY_CDOUBLE: return COMPLEX_DOUBLE;
        default: return ELEMENTS;
    }
}

void *find(void *library, const Spelling &spelling, const char *name) {
    char symbol[64];
    std::snprintf(symbol, sizeof symbol, "%s%s%s", spelling.prefix, name, spelling.suffix);
    return dlsym(library, symbol);
}

bool find_all(void *library, const Spelling &spelling) {
    for (int i = 0; i < ELEMENTS; ++i) {
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
void multiply(Element element, const Product &p, Factor one, Factor zero) {
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
void multiply_as(Element element, const Product &p) {
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
void apply(Element element, const MatrixVector &p, Factor one, Factor zero) {
    reinterpret_cast<typename Blas<Int, Factor>::Gemv>(routines[element].gemv)(
        ROW_MAJOR, order(p.trans), p.m, p.n, one, p.a, p.lda, p.x, p.incx, zero, p.y, p.incy);
}

template <typename Int>
void apply_as(Element element, const MatrixVector &p) {
    switch (element) {
        case SINGLE: return apply<Int, float>(element, p, 1, 0);
        case DOUBLE: return apply<Int, double>(element, p, 1, 0);
        case COMPLEX_SINGLE: return apply<Int, const void *>(element, p, SINGLE_ONE, SINGLE_ZERO);
        default: return apply<Int, const void *>(element, p, DOUBLE_ONE, DOUBLE_ZERO);
    }
}

template <typename Int, typename T>
T real_dot(Element element, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy) {
    using Dot = T (*)(Int, const void *, Int, const void *, Int);
    return reinterpret_cast<Dot>(routines[element].dot)(n, x, incx, y, incy);
}

template <typename Int>
void dot_as(Element element, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy,
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
    for (int64_t i = 0; i < rows; ++i) memset(static_cast<char *>(data) + i * row_step, 0, row_bytes);
}

// NumPy adds up longer vectors in pieces.
constexpr int64_t MAX_DOT = INT_MAX / 2;

bool valid_increment(int64_t increment) { return increment > 0 && valid_size(increment); }

}  // namespace

int add_blas() {
    Ref umath(PyImport_ImportModule("numpy._core._multiarray_umath"));
    if (!umath) return -1;
    Ref file(PyObject_GetAttrString(umath.get(), "__file__"));
    const char *path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
    if (path == nullptr) {
        PyErr_Clear();
        return 0;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return 0;
    for (const Spelling &spelling : SPELLINGS) {
        if ((found = find_all(library, spelling))) break;
    }
    return 0;
}

bool has_blas() { return found; }

int32_t gemm(Frame *, int32_t typenum, int32_t trans_a, int32_t trans_b, int64_t m, int64_t n,
             int64_t k, const void *a, int64_t lda, const void *b, int64_t ldb, void *c,
             int64_t ldc) {
    int element = element_of(typenum);
    if (!found || element == ELEMENTS) return FAILED;
    if (!valid_size(m) || !valid_size(n) || !valid_size(k)) return FAILED;
    if (m == 0 || n == 0) return OK;
    bool strides_fit = ldc >= n && valid_size(ldc) && valid_size(lda) && valid_size(ldb);
    if (!strides_fit) return FAILED;
    if (k == 0) {
        int64_t itemsize = ELEMENT_ROWS[element].itemsize;
        fill_zero(c, m, ldc * itemsize, n * itemsize);
        return OK;
    }
    if (lda < (trans_a ? m : k) || ldb < (trans_b ? k : n)) return FAILED;
    Product product = {trans_a != 0, trans_b != 0, m, n, k, a, lda, b, ldb, c, ldc};
    LongWork work(2.0 * m * n * k);
    (wide ? multiply_as<int64_t> : multiply_as<int>)(static_cast<Element>(element), product);
    return OK;
}

int32_t gemv(Frame *, int32_t typenum, int32_t trans, int64_t m, int64_t n, const void *a,
             int64_t lda, const void *x, int64_t incx, void *y, int64_t incy) {
    int element = element_of(typenum);
    if (!found || element == ELEMENTS || !valid_size(m) || !valid_size(n)) return FAILED;
    int64_t rows = trans ? n : m, itemsize = ELEMENT_ROWS[element].itemsize;
    if (rows == 0) return OK;
    if (!valid_increment(incx) || !valid_increment(incy)) return FAILED;
    fill_zero(y, rows, incy * itemsize, itemsize);  // some builds scale y by beta: 0 * NaN is NaN
    if (m == 0 || n == 0) return OK;
    if (lda < n || !valid_size(lda)) return FAILED;
    MatrixVector product = {trans != 0, m, n, a, lda, x, incx, y, incy};
    LongWork work(2.0 * m * n);
    (wide ? apply_as<int64_t> : apply_as<int>)(static_cast<Element>(element), product);
    return OK;
}

int32_t dot(Frame *, int32_t typenum, int64_t n, const void *x, int64_t incx, const void *y,
            int64_t incy, void *out) {
    int element = element_of(typenum);
    if (!found || element == ELEMENTS || n < 0 || n > MAX_DOT) return FAILED;
    if (!valid_increment(incx) || !valid_increment(incy)) return FAILED;
    LongWork work(2.0 * n);
    (wide ? dot_as<int64_t> : dot_as<int>)(static_cast<Element>(element), n, x, incx, y, incy, out);
    return OK;
}
