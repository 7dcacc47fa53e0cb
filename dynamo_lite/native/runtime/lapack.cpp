// Linear systems by the LAPACK that NumPy ships: np.linalg.solve makes the same call, but forgets the
// factors, with which a system of the same matrix takes only a substitution.
#include "runtime/blas.h"

#include "base/core.h"
#include "runtime/fp_state.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <dlfcn.h>
#include <vector>

namespace {

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112, UPPER = 121, LOWER = 122 };
enum { NON_UNIT = 131, LEFT = 141, RIGHT = 142 };

// The functions of one element type; all of them or none.
struct Routines {
    void *gesv, *getrs, *trsm;
} routines[BLAS_ELEMENTS];
bool looked_for, found, wide;

void *find(void *library, const char *prefix, char letter, const char *name, const char *suffix) {
    char symbol[64];
    std::snprintf(symbol, sizeof symbol, "%s%c%s%s", prefix, letter, name, suffix);
    return dlsym(library, symbol);
}

bool find_all(void *library, const BlasSpelling &spelling) {
    const char *prefix = spelling.lapack_prefix, *suffix = spelling.lapack_suffix;
    for (int i = 0; i < BLAS_ELEMENTS; ++i) {
        char letter = "sdcz"[i];
        routines[i] = {find(library, prefix, letter, "gesv", suffix),
                       find(library, prefix, letter, "getrs", suffix),
                       find(library, spelling.prefix, letter, "trsm", spelling.suffix)};
        if (!routines[i].gesv || !routines[i].getrs || !routines[i].trsm) return false;
    }
    wide = spelling.wide;
    return true;
}

bool has_lapack() {
    if (looked_for) return found;
    looked_for = true;
    void *library = library_of_module("numpy.linalg._umath_linalg");
    if (library == nullptr) return false;
    for (const BlasSpelling &spelling : BLAS_SPELLINGS) {
        if ((found = find_all(library, spelling))) break;
    }
    return found;
}

// A stack of matrices of one size. Where `b` of a system is a vector it has one column.
struct Matrices {
    char *data;
    int64_t itemsize, rows, columns, row_step, column_step;  // steps in bytes
};

Matrices last_axes(PyArrayObject *array, bool is_vector = false) {
    int ndim = PyArray_NDIM(array);
    const npy_intp *shape = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    int64_t itemsize = PyArray_ITEMSIZE(array);
    char *data = PyArray_BYTES(array);
    if (is_vector) return {data, itemsize, shape[0], 1, strides[0], itemsize};
    return {data,          itemsize,          shape[ndim - 2],
            shape[ndim - 1], strides[ndim - 2], strides[ndim - 1]};
}

constexpr int64_t TILE = 16;  // rows and columns that are copied together, for the cache's sake

template <size_t SIZE>
void copy_tiles(char *to, int64_t to_row, int64_t to_column, const Matrices &from) {
    for (int64_t i = 0; i < from.rows; i += TILE) {
        for (int64_t j = 0; j < from.columns; j += TILE) {
            int64_t end_i = std::min(i + TILE, from.rows), end_j = std::min(j + TILE, from.columns);
            for (int64_t n = j; n < end_j; ++n) {
                for (int64_t m = i; m < end_i; ++m) {
                    memcpy(to + m * to_row + n * to_column,
                           from.data + m * from.row_step + n * from.column_step, SIZE);
                }
            }
        }
    }
}

void copy_matrix(char *to, int64_t to_row, int64_t to_column, const Matrices &from) {
    switch (from.itemsize) {
        case 4: return copy_tiles<4>(to, to_row, to_column, from);
        case 8: return copy_tiles<8>(to, to_row, to_column, from);
        default: return copy_tiles<16>(to, to_row, to_column, from);
    }
}

constexpr int64_t MOST_ROWS = 1 << 24;

// LAPACK has columns one after the other.
void to_columns(char *to, const Matrices &from) {
    copy_matrix(to, from.itemsize, from.rows * from.itemsize, from);
}

void from_columns(char *from, const Matrices &to) {
    Matrices columns{from, to.itemsize, to.rows, to.columns, to.itemsize, to.rows * to.itemsize};
    copy_matrix(to.data, to.row_step, to.column_step, columns);
}

// Pivots stand in a row behind the factors, as numbers of the same type: doubles, as NumPy solves
// systems of single precision in double precision as well.
template <typename Int>
void keep_pivots(char *row, int64_t itemsize, const std::vector<Int> &pivots) {
    memset(row, 0, pivots.size() * itemsize);
    for (Int pivot : pivots) {
        *reinterpret_cast<double *>(row) = static_cast<double>(pivot);
        row += itemsize;
    }
}

template <typename Int>
bool read_pivots(const char *row, int64_t itemsize, std::vector<Int> &pivots) {
    for (Int &pivot : pivots) {
        double number = *reinterpret_cast<const double *>(row);
        if (!(number >= 1 && number <= static_cast<double>(pivots.size()))) return false;
        pivot = static_cast<Int>(number);
        row += itemsize;
    }
    return true;
}

template <typename Int>
using Gesv = void (*)(Int *, Int *, void *, Int *, Int *, void *, Int *, Int *);
template <typename Int>
using Getrs = void (*)(const char *, Int *, Int *, const void *, Int *, Int *, void *, Int *, Int *,
                       size_t);
template <typename Int, typename Factor>
using Trsm = void (*)(int, int, int, int, int, Int, Int, Factor, const void *, Int, void *, Int);

// One system of a stack: `factors` get those of `a`.
template <typename Int>
bool factorise(int element, const Matrices &a, const Matrices &b, char *factors, const Matrices &x,
               char *columns) {
    Int n = static_cast<Int>(a.rows), n_columns = static_cast<Int>(b.columns), info = 0;
    std::vector<Int> pivots(n);
    to_columns(factors, a);
    to_columns(columns, b);
    reinterpret_cast<Gesv<Int>>(routines[element].gesv)(&n, &n_columns, factors, &n, pivots.data(),
                                                        columns, &n, &info);
    keep_pivots(factors + a.rows * a.rows * a.itemsize, a.itemsize, pivots);
    from_columns(columns, x);
    return info == 0;
}

template <typename Int>
bool substitute(int element, bool transposed, const char *factors, const Matrices &b,
                const Matrices &x, char *columns) {
    Int n = static_cast<Int>(b.rows), n_columns = static_cast<Int>(b.columns), info = 0;
    std::vector<Int> pivots(n);
    if (!read_pivots(factors + b.rows * b.rows * b.itemsize, b.itemsize, pivots)) return false;
    to_columns(columns, b);
    reinterpret_cast<Getrs<Int>>(routines[element].getrs)(
        transposed ? "T" : "N", &n, &n_columns, factors, &n, pivots.data(), columns, &n, &info, 1);
    from_columns(columns, x);
    return info == 0;
}

struct Triangle {
    int64_t n;
    bool upper, transposed, right;
};

template <typename Int, typename Factor>
void divide(int element, const Triangle &t, const char *matrix, const Matrices &x, Factor one) {
    reinterpret_cast<Trsm<Int, Factor>>(routines[element].trsm)(
        ROW_MAJOR, t.right ? RIGHT : LEFT, t.upper ? UPPER : LOWER,
        t.transposed ? TRANSPOSE : NO_TRANSPOSE, NON_UNIT, static_cast<Int>(x.rows),
        static_cast<Int>(x.columns), one, matrix, static_cast<Int>(t.n), x.data,
        static_cast<Int>(x.columns));
}

template <typename Int>
void divide_as(int element, const Triangle &t, const char *matrix, const Matrices &x) {
    switch (element) {
        case SINGLE: return divide<Int, float>(element, t, matrix, x, 1);
        case DOUBLE: return divide<Int, double>(element, t, matrix, x, 1);
        case COMPLEX_SINGLE: return divide<Int, const void *>(element, t, matrix, x, SINGLE_ONE);
        default: return divide<Int, const void *>(element, t, matrix, x, DOUBLE_ONE);
    }
}

// -- what Python hands over

PyArrayObject *as_array(PyObject *object) { return reinterpret_cast<PyArrayObject *>(object); }

bool is_plain(PyObject *object) {
    if (!PyArray_Check(object)) return false;
    PyArrayObject *array = as_array(object);
    return PyArray_ISBEHAVED_RO(array) && blas_element(PyArray_TYPE(array)) != BLAS_ELEMENTS;
}

bool is_double(PyArrayObject *array) {
    int element = blas_element(PyArray_TYPE(array));
    return element == DOUBLE || element == COMPLEX_DOUBLE;
}

// Whether `b` stands for the right sides of systems with `rows` unknowns, and of the same stack.
bool fits(PyArrayObject *matrices, int64_t rows, PyArrayObject *b) {
    int ndim = PyArray_NDIM(matrices);
    if (PyArray_TYPE(matrices) != PyArray_TYPE(b) || !is_double(b)) return false;
    if (PyArray_SIZE(b) == 0 || rows == 0 || rows > MOST_ROWS || PyArray_SIZE(matrices) == 0) return false;
    if (ndim == 2 && PyArray_NDIM(b) == 1) return PyArray_DIM(b, 0) == rows;
    return ndim >= 2 && PyArray_NDIM(b) == ndim && PyArray_DIM(b, ndim - 2) == rows &&
           PyArray_DIM(b, ndim - 1) <= INT_MAX &&
           PyArray_CompareLists(PyArray_DIMS(matrices), PyArray_DIMS(b), ndim - 2);
}

Ref new_array(PyArrayObject *like, int ndim, const npy_intp *shape) {
    return Ref(PyArray_SimpleNew(ndim, const_cast<npy_intp *>(shape), PyArray_TYPE(like)));
}

// Goes through the places of a stack: arrays of `ndim` dimensions, of which the last two are not its.
class Places {
public:
    explicit Places(PyArrayObject *matrices)
        : ndim(PyArray_NDIM(matrices) - 2), shape(PyArray_DIMS(matrices)) {
        for (int i = 0; i < ndim; ++i) count *= shape[i];
    }

    int64_t offset(PyArrayObject *array, int64_t place) const {
        int64_t bytes = 0;
        for (int i = ndim - 1; i >= 0; --i) {
            bytes += place % shape[i] * PyArray_STRIDE(array, i);
            place /= shape[i];
        }
        return bytes;
    }

    int64_t count = 1;

private:
    int ndim;
    const npy_intp *shape;
};

Matrices at(Matrices matrices, int64_t offset) {
    matrices.data += offset;
    return matrices;
}

// `one` for each place of the stack; false where one of them has no solution.
template <typename Solve>
bool everywhere(PyArrayObject *stack, PyArrayObject *factors, PyArrayObject *b, PyArrayObject *x,
                double flops, Solve one) {
    bool is_vector = PyArray_NDIM(b) == 1;
    Places places(stack);
    Matrices right = last_axes(b, is_vector), result = last_axes(x, is_vector);
    std::vector<char> columns(right.rows * right.columns * right.itemsize);
    KeptFpFlags kept;
    LongWork work(flops * static_cast<double>(places.count));
    for (int64_t i = 0; i < places.count; ++i) {
        if (!one(places.offset(stack, i), PyArray_BYTES(factors) + places.offset(factors, i),
                 at(right, places.offset(b, i)), at(result, places.offset(x, i)), columns.data())) {
            return false;
        }
    }
    return true;
}

PyObject *solve_keeping_factors(PyObject *, PyObject *args) {
    PyObject *first, *second;
    if (!PyArg_ParseTuple(args, "OO", &first, &second)) return nullptr;
    if (!is_plain(first) || !is_plain(second) || !has_lapack()) Py_RETURN_NONE;
    PyArrayObject *a = as_array(first), *b = as_array(second);
    int ndim = PyArray_NDIM(a);
    if (ndim < 2 || ndim > 8 || !fits(a, PyArray_DIM(a, ndim - 1), b)) Py_RETURN_NONE;
    int64_t n = PyArray_DIM(a, ndim - 1);
    if (PyArray_DIM(a, ndim - 2) != n) Py_RETURN_NONE;
    npy_intp shape[8];
    std::copy_n(PyArray_DIMS(a), ndim, shape);
    shape[ndim - 2] += 1;
    Ref factors(new_array(a, ndim, shape)), x(new_array(a, PyArray_NDIM(b), PyArray_DIMS(b)));
    if (!factors || !x) return nullptr;
    Matrices matrix = last_axes(a);
    int element = blas_element(PyArray_TYPE(a));
    double flops = static_cast<double>(n) * n * n;
    bool solved = everywhere(a, as_array(factors.get()), b, as_array(x.get()), flops,
        [&](int64_t offset, char *kept, const Matrices &right, const Matrices &result, char *columns) {
            return (wide ? factorise<int64_t> : factorise<int>)(element, at(matrix, offset), right,
                                                                kept, result, columns);
        });
    if (!solved) Py_RETURN_NONE;
    return PyTuple_Pack(2, x.get(), factors.get());
}

PyObject *solve_with_factors(PyObject *, PyObject *args) {
    PyObject *first, *second;
    int transposed;
    if (!PyArg_ParseTuple(args, "OOp", &first, &second, &transposed)) return nullptr;
    if (!is_plain(first) || !is_plain(second) || !has_lapack()) Py_RETURN_NONE;
    PyArrayObject *factors = as_array(first), *b = as_array(second);
    if (!PyArray_IS_C_CONTIGUOUS(factors) || PyArray_NDIM(factors) < 2) Py_RETURN_NONE;
    int64_t n = PyArray_DIM(factors, PyArray_NDIM(factors) - 1);
    if (!fits(factors, n, b)) Py_RETURN_NONE;
    Ref x(new_array(b, PyArray_NDIM(b), PyArray_DIMS(b)));
    if (!x) return nullptr;
    int element = blas_element(PyArray_TYPE(b));
    double flops = 2.0 * static_cast<double>(n) * static_cast<double>(PyArray_SIZE(b));
    bool solved = everywhere(factors, factors, b, as_array(x.get()), flops,
        [&](int64_t, char *kept, const Matrices &right, const Matrices &result, char *columns) {
            return (wide ? substitute<int64_t> : substitute<int>)(element, transposed != 0, kept,
                                                                  right, result, columns);
        });
    if (!solved) Py_RETURN_NONE;
    return x.release();
}

PyObject *divide_by_triangle(PyObject *, PyObject *args) {
    PyObject *first, *second;
    int upper, transposed, right;
    if (!PyArg_ParseTuple(args, "OOppp", &first, &second, &upper, &transposed, &right)) return nullptr;
    if (!is_plain(first) || !is_plain(second) || !has_lapack()) Py_RETURN_NONE;
    PyArrayObject *matrix = as_array(first), *b = as_array(second);
    int ndim = PyArray_NDIM(matrix);
    if (ndim < 2 || PyArray_NDIM(b) != ndim || PyArray_TYPE(b) != PyArray_TYPE(matrix)) Py_RETURN_NONE;
    int64_t n = PyArray_DIM(matrix, ndim - 1);
    bool square = PyArray_DIM(matrix, ndim - 2) == n && PyArray_DIM(b, right ? ndim - 1 : ndim - 2) == n;
    if (!square || n > MOST_ROWS || PyArray_SIZE(b) == 0 || PyArray_SIZE(matrix) == 0 ||
        !PyArray_CompareLists(PyArray_DIMS(matrix), PyArray_DIMS(b), ndim - 2)) {
        Py_RETURN_NONE;
    }
    Ref packed(PyArray_NewCopy(b, NPY_CORDER));
    Ref whole(PyArray_FROM_OF(first, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED));
    if (!packed || !whole) return nullptr;
    PyArrayObject *x = as_array(packed.get()), *t = as_array(whole.get());
    Triangle triangle{n, upper != 0, transposed != 0, right != 0};
    int element = blas_element(PyArray_TYPE(b));
    Places places(t);
    Matrices result = last_axes(x);
    KeptFpFlags kept;
    LongWork work(static_cast<double>(n) * static_cast<double>(PyArray_SIZE(b)));
    for (int64_t i = 0; i < places.count; ++i) {
        (wide ? divide_as<int64_t> : divide_as<int>)(element, triangle,
                                                     PyArray_BYTES(t) + places.offset(t, i),
                                                     at(result, places.offset(x, i)));
    }
    return packed.release();
}

PyMethodDef lapack_functions[] = {
    {"solve_keeping_factors", solve_keeping_factors, METH_VARARGS,
     "solve_keeping_factors(a, b, /)\n--\n\n(x, factors) of a x = b, or None where that is left to "
     "NumPy. The factors are those of LAPACK, with a row more for the pivots."},
    {"solve_with_factors", solve_with_factors, METH_VARARGS,
     "solve_with_factors(factors, b, transposed, /)\n--\n\nThe solution for another right side, or "
     "None where that is left to NumPy."},
    {"divide_by_triangle", divide_by_triangle, METH_VARARGS,
     "divide_by_triangle(t, b, upper, transposed, right, /)\n--\n\nb multiplied by the inverse of a "
     "triangular matrix, or None where that is left to NumPy."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_lapack(PyObject *module) { return PyModule_AddFunctions(module, lapack_functions); }
