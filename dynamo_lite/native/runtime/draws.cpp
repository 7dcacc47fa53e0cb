// Draws: single random numbers that compiled code draws as the methods of NumPy's generators do, bit
// by bit, with their own functions where NumPy lets others call them. Which ones agree with the
// methods is tried out before any is used (backends/llvm/entry/draws.py).
#include "runtime/fp_state.h"
#include "runtime/python_draws.h"
#include "runtime/random_states.h"
#include "runtime/runtime.h"

#include <cmath>

// The normal number that RandomState may have left.
struct Gauss {
    int64_t is_left;
    double number;
};

// Where the numbers of a generator come from, found once for many draws. `bitgen` is first: compiled
// code calls its `next_double`. It is null where the class is not known, whose draws may raise flags.
struct RandomSource {
    bitgen_t *bitgen, *foreign;
    Gauss *gauss;  // null where it is no generator of NumPy's
    PyObject *owner;
    bitgen_t python;
};

namespace {

// What NumPy exports (numpy/random/distributions.h).
double (*standard_normal)(bitgen_t *);
double (*standard_exponential)(bitgen_t *);
void (*bounded_integers)(bitgen_t *, uint64_t offset, uint64_t range, intptr_t count, bool masked,
                         uint64_t *out);
PyObject *private_name, *capsule_name;

struct Drawn {
    bitgen_t *bitgen;
    Gauss *gauss;
    double a, b;
};

double uniform_of(bitgen_t *bitgen) { return bitgen->next_double(bitgen->state); }

// Marsaglia's polar method, whose second number is kept.
double polar_normal(Drawn &draw) {
    Gauss &gauss = *draw.gauss;
    if (gauss.is_left) {
        gauss.is_left = 0;
        return std::exchange(gauss.number, 0.0);
    }
    double x, y, square;
    do {
        x = 2.0 * uniform_of(draw.bitgen) - 1.0;
        y = 2.0 * uniform_of(draw.bitgen) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    double factor = std::sqrt(-2.0 * std::log(square) / square);
    gauss = {1, factor * x};
    return factor * y;
}

double inverted_exponential(Drawn &draw) { return -std::log(1.0 - uniform_of(draw.bitgen)); }

bool may_be_scale(double number) { return std::isnan(number) || !std::signbit(number); }

bool draw_uniform(Drawn &draw, double *out) {
    double range = draw.b - draw.a;
    if (!std::isfinite(range)) return false;
    *out = draw.a + range * uniform_of(draw.bitgen);
    return true;
}

bool draw_rising_uniform(Drawn &draw, double *out) {
    return may_be_scale(draw.b - draw.a) && draw_uniform(draw, out);
}

using Draw = bool (*)(Drawn &, double *);

constexpr Draw DRAWS[] = {
    [](Drawn &draw, double *out) { *out = uniform_of(draw.bitgen); return true; },
    draw_uniform,
    draw_rising_uniform,
    [](Drawn &draw, double *out) { *out = polar_normal(draw); return true; },
    [](Drawn &draw, double *out) {
        if (!may_be_scale(draw.b)) return false;
        *out = draw.a + draw.b * polar_normal(draw);
        return true;
    },
    [](Drawn &draw, double *out) { *out = inverted_exponential(draw); return true; },
    [](Drawn &draw, double *out) {
        if (!may_be_scale(draw.a)) return false;
        *out = draw.a * inverted_exponential(draw);
        return true;
    },
    [](Drawn &draw, double *out) { *out = standard_normal(draw.bitgen); return true; },
    [](Drawn &draw, double *out) {
        if (!may_be_scale(draw.b)) return false;
        *out = draw.a + draw.b * standard_normal(draw.bitgen);
        return true;
    },
    [](Drawn &draw, double *out) { *out = standard_exponential(draw.bitgen); return true; },
    [](Drawn &draw, double *out) {
        if (!may_be_scale(draw.a)) return false;
        *out = draw.a * standard_exponential(draw.bitgen);
        return true;
    },
};
constexpr int N_DRAWS = static_cast<int>(std::size(DRAWS)), FIRST_OF_GENERATOR = 7;

// Of integers: how those above the range are left out, by Python's own generator, or how many bits.
constexpr int32_t AS_PYTHON = 2, PYTHON_BITS = 3;

bool is_known(int32_t number) {
    if (number < 0 || number >= N_DRAWS) return false;
    return number < FIRST_OF_GENERATOR || (standard_normal && standard_exponential);
}

// The generator: it, or that of a function of the module, which is bound to it.
PyObject *owner_of(PyObject *object) {
    if (PyMethod_Check(object)) return PyMethod_GET_SELF(object);
    return PyCFunction_Check(object) ? PyCFunction_GET_SELF(object) : object;
}

// The C interface of a bit generator that is not one of NumPy's own.
bitgen_t *foreign_bitgen(PyObject *owner) {
    Ref bits(PyObject_GetAttr(owner, private_name));
    Ref capsule(bits ? PyObject_GetAttr(bits.get(), capsule_name) : nullptr);
    void *found = capsule ? PyCapsule_GetPointer(capsule.get(), "BitGenerator") : nullptr;
    if (found == nullptr) PyErr_Clear();
    return static_cast<bitgen_t *>(found);
}

int32_t draw_of(const RandomSource &source, int32_t number, double a, double b, double *out) {
    if (number >= N_DRAWS) {
        return draw_as_python(source.owner, number - N_DRAWS, a, b, out) ? OK : FAILED;
    }
    if (source.gauss == nullptr || !is_known(number)) return FAILED;
    Drawn draw = {source.bitgen != nullptr ? source.bitgen : source.foreign, source.gauss, a, b};
    return DRAWS[number](draw, out) ? OK : FAILED;
}

PyObject *know_distributions(PyObject *, PyObject *args) {
    unsigned long long normal, exponential, integers;
    if (!PyArg_ParseTuple(args, "KKK:know_distributions", &normal, &exponential, &integers)) {
        return nullptr;
    }
    standard_normal = reinterpret_cast<decltype(standard_normal)>(normal);
    standard_exponential = reinterpret_cast<decltype(standard_exponential)>(exponential);
    bounded_integers = reinterpret_cast<decltype(bounded_integers)>(integers);
    Py_RETURN_NONE;
}

void find(PyObject *generator, RandomSource *source) {
    *source = {};
    source->owner = owner_of(generator);
    source->python = bitgen_of_python(source->owner);
    if (source->python.state != nullptr) source->bitgen = &source->python;
    StatePlace place = place_of_state(source->owner);
    if (place.owner == nullptr) return;
    source->bitgen = place.bits != nullptr ? place.bitgen : nullptr;
    if (source->bitgen == nullptr) source->foreign = foreign_bitgen(source->owner);
    if (source->bitgen == nullptr && source->foreign == nullptr) return;
    auto *memory = reinterpret_cast<char *>(source->owner);
    source->gauss = reinterpret_cast<Gauss *>(memory + place.owner->own_at);
}

PyObject *draw_from(PyObject *, PyObject *args) {
    PyObject *owner;
    int number;
    double a, b, drawn;
    if (!PyArg_ParseTuple(args, "Oidd:draw_from", &owner, &number, &a, &b)) return nullptr;
    RandomSource source;
    find(owner, &source);
    if (draw_float(nullptr, &source, number, a, b, &drawn) != OK) Py_RETURN_NONE;
    return PyFloat_FromDouble(drawn);
}

PyObject *draw_between(PyObject *, PyObject *args) {
    PyObject *owner;
    int masked;
    long long low, high;
    int64_t drawn;
    if (!PyArg_ParseTuple(args, "OiLL:draw_between", &owner, &masked, &low, &high)) return nullptr;
    RandomSource source;
    find(owner, &source);
    if (draw_integer(nullptr, &source, masked, low, high, &drawn) != OK) Py_RETURN_NONE;
    return PyLong_FromLongLong(drawn);
}

PyMethodDef functions[] = {
    {"know_distributions", know_distributions, METH_VARARGS,
     "know_distributions(normal, exponential, integers): the addresses of NumPy's functions."},
    {"draw_from", draw_from, METH_VARARGS,
     "draw_from(generator, number, a, b) -> what compiled code draws, or None where it bails out."},
    {"draw_between", draw_between, METH_VARARGS,
     "draw_between(generator, masked, low, high) -> the integer that compiled code draws, or None."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void find_random_source(Frame *frame, PyObject *generator, RandomSource *source) {
    call_of(frame)->keeps_gil = true;  // no other thread draws between two draws of this one
    find(generator, source);
}

// Neither NumPy nor Python looks at the flags of a draw. Of moderate parameters none is raised, and
// to read them takes longer than to draw.
int32_t draw_float(Frame *, const RandomSource *source, int32_t number, double a, double b,
                   double *out) {
    if (source->bitgen != nullptr && is_moderate(a) && is_moderate(b)) {
        return draw_of(*source, number, a, b, out);
    }
    KeptFpFlags kept;
    return draw_of(*source, number, a, b, out);
}

int32_t draw_integer(Frame *, const RandomSource *source, int32_t masked, int64_t low, int64_t high,
                     int64_t *out) {
    if (masked == AS_PYTHON) {
        return draw_integer_as_python(source->owner, low, high, out) ? OK : FAILED;
    }
    if (masked == PYTHON_BITS) return draw_bits_as_python(source->owner, low, out) ? OK : FAILED;
    if (low >= high || bounded_integers == nullptr || source->gauss == nullptr) return FAILED;
    uint64_t range = static_cast<uint64_t>(high) - 1 - static_cast<uint64_t>(low);
    bitgen_t *bitgen = source->bitgen != nullptr ? source->bitgen : source->foreign;
    bounded_integers(bitgen, static_cast<uint64_t>(low), range, 1, masked != 0,
                     reinterpret_cast<uint64_t *>(out));
    return OK;
}

int add_draws(PyObject *module) {
    private_name = PyUnicode_InternFromString("_bit_generator");
    capsule_name = PyUnicode_InternFromString("capsule");
    if (private_name == nullptr || capsule_name == nullptr) return -1;
    return add_python_draws(module) < 0 ? -1 : PyModule_AddFunctions(module, functions);
}
