#include "runtime/spare_numbers.h"

#include <utility>

#include "base/numpy_api.h"

namespace {

// The interpreter's lock is held wherever one is put in or taken out.
class Spares {
public:
    bool keep(PyObject *object) {
        if (count == MOST) return false;
        items[count++] = object;
        return true;
    }
    PyObject *take() { return count ? items[--count] : nullptr; }

private:
    static constexpr int MOST = 8;
    PyObject *items[MOST];
    int count = 0;
};

Spares ints, doubles;

constexpr int64_t LEAST_SHARED = -5, MOST_SHARED = 256;  // of these ints there is one each

bool has_one_digit(int64_t value) {
    return value >= -int64_t(PyLong_MASK) && value <= int64_t(PyLong_MASK);
}

bool is_shared(int64_t value) { return value >= LEAST_SHARED && value <= MOST_SHARED; }

#if PY_VERSION_HEX >= 0x030C0000
constexpr uintptr_t ONE_DIGIT = 1 << 3, NEGATIVE = 2;  // as in pycore_long.h

bool has_one_digit(PyLongObject *number) { return number->long_value.lv_tag >> 3 == 1; }

void set(PyLongObject *number, int64_t value) {
    number->long_value.lv_tag = ONE_DIGIT | (value < 0 ? NEGATIVE : 0);
    number->long_value.ob_digit[0] = static_cast<digit>(value < 0 ? -value : value);
}
#else
bool has_one_digit(PyLongObject *number) {
    return Py_SIZE(number) == 1 || Py_SIZE(number) == -1;
}

void set(PyLongObject *number, int64_t value) {
    Py_SET_SIZE(number, value < 0 ? -1 : 1);
    number->ob_digit[0] = static_cast<digit>(value < 0 ? -value : value);
}
#endif

bool is_kept(PyObject *object) {
    if (PyLong_CheckExact(object)) {
        return has_one_digit(reinterpret_cast<PyLongObject *>(object)) && ints.keep(object);
    }
    return Py_IS_TYPE(object, &PyDoubleArrType_Type) && doubles.keep(object);
}

}  // namespace

PyObject *new_int(int64_t value) {
    bool fits = has_one_digit(value) && !is_shared(value);
    PyObject *spare = fits ? ints.take() : nullptr;
    if (!spare) return PyLong_FromLongLong(value);
    set(reinterpret_cast<PyLongObject *>(spare), value);
    return spare;
}

PyObject *new_double(double value) {
    PyObject *number = doubles.take();
    if (!number) number = PyDoubleArrType_Type.tp_alloc(&PyDoubleArrType_Type, 0);
    if (number) PyArrayScalar_ASSIGN(number, Double, value);
    return number;
}

void drop_number(PyObject *object) {
    if (Py_REFCNT(object) != 1 || !is_kept(object)) Py_DECREF(object);
}
