// What CPython's `random` computes (Lib/random.py, Modules/_randommodule.c), number by number: the
// Mersenne twister of Matsumoto and Nishimura, and the distributions that are made of its numbers.
#include "runtime/python_draws.h"

#include <cmath>

namespace {

constexpr int N = 624, M = 397;
constexpr uint32_t UPPER = 0x80000000u, LOWER = 0x7fffffffu, MATRIX = 0x9908b0dfu;

// How a `random.Random` keeps its words.
struct Twister {
    int index;
    uint32_t words[N];

    uint32_t next() {
        if (index >= N) refill();
        uint32_t word = words[index++];
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c5680u;
        word ^= (word << 15) & 0xefc60000u;
        return word ^ (word >> 18);
    }

    double uniform() {
        uint32_t high = next() >> 5, low = next() >> 6;
        return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
    }

    uint64_t bits(int count) {
        if (count <= 32) return next() >> (32 - count);
        uint64_t low = next();
        return low | static_cast<uint64_t>(next() >> (64 - count)) << 32;
    }

private:
    void refill() {
        for (int i = 0; i < N - M; ++i) words[i] = words[i + M] ^ twisted(words[i], words[i + 1]);
        for (int i = N - M; i < N - 1; ++i) {
            words[i] = words[i + M - N] ^ twisted(words[i], words[i + 1]);
        }
        words[N - 1] = words[M - 1] ^ twisted(words[N - 1], words[0]);
        index = 0;
    }

    static uint32_t twisted(uint32_t word, uint32_t following) {
        uint32_t both = (word & UPPER) | (following & LOWER);
        return (both >> 1) ^ (-(both & 1) & MATRIX);
    }
};

int bit_length(uint64_t number) { return number == 0 ? 0 : 64 - __builtin_clzll(number); }

PyTypeObject *random_type;
Py_ssize_t twister_at;
PyObject *next_name;

Twister *twister_of(PyObject *owner) {
    if (random_type == nullptr || Py_TYPE(owner) != random_type) return nullptr;
    return reinterpret_cast<Twister *>(reinterpret_cast<char *>(owner) + twister_at);
}

// A number that `gauss` has kept: it computes two at once.
bool take_kept(PyObject *owner, double *number) {
    Ref kept(PyObject_GetAttr(owner, next_name));
    bool found = kept && PyFloat_CheckExact(kept.get());
    if (found) *number = PyFloat_AS_DOUBLE(kept.get());
    if (found && PyObject_SetAttr(owner, next_name, Py_None) < 0) found = false;
    PyErr_Clear();
    return found;
}

bool keep(PyObject *owner, double number) {
    Ref boxed(PyFloat_FromDouble(number));
    bool done = boxed && PyObject_SetAttr(owner, next_name, boxed.get()) == 0;
    PyErr_Clear();
    return done;
}

struct Python {
    PyObject *owner;
    Twister &twister;
    double a, b;
};

bool draw_gauss(Python &draw, double *out) {
    double number;
    if (!take_kept(draw.owner, &number)) {
        double angle = draw.twister.uniform() * (2.0 * M_PI);
        double radius = std::sqrt(-2.0 * std::log(1.0 - draw.twister.uniform()));
        number = std::cos(angle) * radius;
        if (!keep(draw.owner, std::sin(angle) * radius)) return false;
    }
    *out = draw.a + number * draw.b;
    return true;
}

// Kinderman and Monahan's ratio of uniform numbers.
bool draw_normal(Python &draw, double *out) {
    static const double magic = 4 * std::exp(-0.5) / std::sqrt(2.0);
    double number, first, second;
    do {
        first = draw.twister.uniform();
        second = 1.0 - draw.twister.uniform();
        number = magic * (first - 0.5) / second;
    } while (number * number / 4.0 > -std::log(second));
    *out = draw.a + number * draw.b;
    return true;
}

using Draw = bool (*)(Python &, double *);

constexpr Draw DRAWS[] = {
    [](Python &draw, double *out) { *out = draw.twister.uniform(); return true; },
    [](Python &draw, double *out) {
        *out = draw.a + (draw.b - draw.a) * draw.twister.uniform();
        return true;
    },
    draw_gauss,
    draw_normal,
    [](Python &draw, double *out) {
        double drawn = -std::log(1.0 - draw.twister.uniform());
        if (draw.a == 0.0) return false;
        *out = drawn / draw.a;
        return true;
    },
};
static_assert(std::size(DRAWS) == N_PYTHON_DRAWS);

PyObject *know_python_random(PyObject *, PyObject *args) {
    PyTypeObject *type;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "O!n:know_python_random", &PyType_Type, &type, &at)) return nullptr;
    Py_INCREF(type);
    random_type = type;
    twister_at = at;
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"know_python_random", know_python_random, METH_VARARGS,
     "know_python_random(type, at): objects of this class, `random.Random`, have their state at this "
     "offset."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool draw_as_python(PyObject *owner, int32_t number, double a, double b, double *out) {
    Twister *twister = twister_of(owner);
    if (twister == nullptr || number < 0 || number >= N_PYTHON_DRAWS) return false;
    Python draw = {owner, *twister, a, b};
    return DRAWS[number](draw, out);
}

bool draw_integer_as_python(PyObject *owner, int64_t low, int64_t high, int64_t *out) {
    Twister *twister = twister_of(owner);
    if (twister == nullptr || low >= high) return false;
    uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low), drawn;
    int length = bit_length(range);
    do {
        drawn = twister->bits(length);
    } while (drawn >= range);
    *out = static_cast<int64_t>(static_cast<uint64_t>(low) + drawn);
    return true;
}

bool draw_bits_as_python(PyObject *owner, int64_t bits, int64_t *out) {
    Twister *twister = twister_of(owner);
    if (twister == nullptr || bits < 0 || bits > 62) return false;
    *out = bits == 0 ? 0 : static_cast<int64_t>(twister->bits(static_cast<int>(bits)));
    return true;
}

bitgen_t bitgen_of_python(PyObject *owner) {
    bitgen_t bitgen = {};
    bitgen.state = twister_of(owner);
    bitgen.next_double = [](void *state) { return static_cast<Twister *>(state)->uniform(); };
    return bitgen;
}

int add_python_draws(PyObject *module) {
    next_name = PyUnicode_InternFromString("gauss_next");
    return next_name == nullptr ? -1 : PyModule_AddFunctions(module, functions);
}
