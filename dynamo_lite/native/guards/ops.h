// The instructions of guard programs, and the machine that runs one of them at a time.
#pragma once
#include <memory>
#include <vector>

#include "base/core.h"
#include "interpreter/range_iterators.h"

namespace guards {

enum class Code : uint8_t {
    // loads
    ATTR, ITEM, TUPLE_ITEM, LIST_ITEM, DICT_ITEM, CELL, GLOBAL, CONST, CLOSURE, DEFAULT, KWDEFAULT,
    TYPE_OF, INSTANCE_DICT, OWN_DICT, APPLY, APPLY2,
    // checks
    IS, WEAK_IS, TYPE, EQUALS, EQUALS_INT, LENGTH, KEYS, NO_KEY, NO_OWN, NO_ATTR, ARRAY, ARRAY_LIKE,
    INT, RELATION, DISJOINT, NOT_ALIASED, NO_ALIAS, SPECIALS, SAME, FLAG, CALL,
    // checks that other ops are folded to
    BOUND, EQUALS_BOUND,
};

// What a size or a stride must be.
struct Extent {
    enum Kind : uint8_t { STATIC, ANY, BIND, EQUAL } kind;
    int64_t value;  // the size, or the slot
};

// One token of a postfix expression over slots.
struct Token {
    enum Kind : uint8_t { NUMBER, SLOT, ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, MIN, MAX } kind;
    int64_t value;
};

// constant + the sum of factor * slot.
struct Sum {
    static constexpr int MAX_TERMS = 3;
    struct Term {
        int64_t factor, slot;
    };
    int64_t constant;
    int n_terms;
    Term terms[MAX_TERMS];
};

// `accepted` has bit 0, 1 or 2 where it holds for a left side that is less, equal or greater.
struct Relation {
    uint8_t accepted;
    bool is_linear;
    Sum difference;  // left - right, where it is linear
    std::vector<Token> left, right;
};

struct Bytes {
    intptr_t begin, end;
};

// What must not alias: the first `n_changed` registers and all others; these may overlap.
struct Group {
    bool of_arrays;
    int32_t n_changed;
    std::vector<int32_t> registers;
    std::vector<Bytes> places;   // of one evaluation
    std::vector<int32_t> order;  // by place, in the last evaluation
};

// Operands are borrowed from the tuples that the program keeps alive.
struct Op {
    Code code;
    bool is_load;
    bool is_pure;            // a check that never runs Python code, so it may move
    uint8_t ndim;            // ARRAY
    int32_t origin;          // the index of this op as given
    int32_t a, b;            // registers that are read
    int32_t dst;             // register that is written
    PyObject *object;        // the operand; for ARRAY the type
    PyObject *second, *third;
    int64_t number;          // index, count, hash of a key, or slot
    int32_t flags_mask, flags;
    const Extent *dims, *strides;
    const Relation *relation;
    Group *group;
    unsigned *version;       // SPECIALS: of the class when the guard last held
};

// What an op reads and writes: registers as r, slots as -1 - slot.
struct Footprint {
    std::vector<int> reads, writes;
};

// The parsed form of a program.
struct Block {
    std::vector<Op> ops;
    std::vector<Footprint> footprints;           // by origin
    std::vector<std::unique_ptr<Extent[]>> extents;
    std::vector<std::unique_ptr<Relation>> relations;
    std::vector<std::unique_ptr<Group>> groups;
    std::vector<std::unique_ptr<unsigned>> versions;
    int32_t n_args = 0, n_registers = 0, n_slots = 0;
};

// Fills `block` from `ops`, a tuple of tuples; sets ValueError or TypeError and returns false when
// an op is malformed or reads what no earlier op has written.
bool parse(PyObject *ops, Block &block);

// `ops` with what a program must not keep alive replaced by weak references.
PyObject *weaken(PyObject *ops);

// The state of one evaluation. Registers from n_args on are owned.
struct Machine {
    PyObject **registers;
    int64_t *slots;
    PyObject *function;  // null when the program is checked without one
};

constexpr size_t MAX_STACK = 16;  // of a postfix expression

PyObject *load(const Op &op, const Machine &machine);  // a new reference, or null
bool holds(const Op &op, const Machine &machine);
void fold_bounds(Block &block);
inline bool holds_bound(const Op &op, const Machine &machine) {
    int64_t value;
    if (!find_bound(machine.registers[op.a], op.flags, value)) return false;
    if (op.code == Code::EQUALS_BOUND) return value == op.number;
    machine.slots[op.number] = value;
    return true;
}

bool holds_array(const Op &op, const Machine &machine);
bool holds_array_like(const Op &op, const Machine &machine);
bool holds_unusual_relation(const Relation &relation, const int64_t *slots);
void find_difference(Relation &relation);
bool read_sizes(PyObject *array, const char *attribute, int ndim, npy_intp *sizes);
bool disjoint(PyObject *left, PyObject *right);
bool have_no_alias(Group &group, const Machine &machine);
bool has_special_names(PyTypeObject *type, PyObject *names, unsigned &version);

// False where a sum leaves 64 bits.
inline bool evaluate(const Sum &sum, const int64_t *slots, int64_t &value) {
    value = sum.constant;
    for (int i = 0; i < sum.n_terms; ++i) {
        int64_t product;
        if (__builtin_mul_overflow(sum.terms[i].factor, slots[sum.terms[i].slot], &product) ||
            __builtin_add_overflow(value, product, &value)) {
            return false;
        }
    }
    return true;
}

inline bool accepts(uint8_t accepted, int64_t left, int64_t right) {
    return accepted >> ((left > right) - (left < right) + 1) & 1;
}

inline bool holds_relation(const Relation &relation, const int64_t *slots) {
    int64_t difference;
    return relation.is_linear && evaluate(relation.difference, slots, difference)
               ? accepts(relation.accepted, difference, 0)
               : holds_unusual_relation(relation, slots);
}

}  // namespace guards
