// Guard programs, from tuples to instructions.
#include <algorithm>
#include <numeric>

#include "base/constants.h"
#include "guards/ops.h"
#include "guards/watchers.h"

namespace guards {
namespace {

// The operands of an op, one letter each: d a register written, r a register read, s a slot bound,
// i an integer, n a str, o an object, k a key, e an EQUALS constant, t a type, u a tuple, z a frozenset of
// names of a class, m a dict,
// c a closure cell, w a weakly held object, v a validity cell, f a callable; A, R and G stand for
// the operands of ARRAY, RELATION and NO_ALIAS.
struct Row {
    const char *name;
    Code code;
    const char *operands;
    enum { LOAD, PURE, CALLS } kind;
};

constexpr Row ROWS[] = {
    {"ATTR", Code::ATTR, "drn", Row::LOAD},
    {"ITEM", Code::ITEM, "dro", Row::LOAD},
    {"TUPLE_ITEM", Code::TUPLE_ITEM, "dri", Row::LOAD},
    {"LIST_ITEM", Code::LIST_ITEM, "dri", Row::LOAD},
    {"DICT_ITEM", Code::DICT_ITEM, "drk", Row::LOAD},
    {"CELL", Code::CELL, "dc", Row::LOAD},
    {"GLOBAL", Code::GLOBAL, "dmmn", Row::LOAD},
    {"CONST", Code::CONST, "do", Row::LOAD},
    {"CLOSURE", Code::CLOSURE, "di", Row::LOAD},
    {"DEFAULT", Code::DEFAULT, "di", Row::LOAD},
    {"KWDEFAULT", Code::KWDEFAULT, "dn", Row::LOAD},
    {"TYPE_OF", Code::TYPE_OF, "dr", Row::LOAD},
    {"INSTANCE_DICT", Code::INSTANCE_DICT, "dr", Row::LOAD},
    {"OWN_DICT", Code::OWN_DICT, "dr", Row::LOAD},
    {"APPLY", Code::APPLY, "drf", Row::LOAD},
    {"APPLY2", Code::APPLY2, "drrf", Row::LOAD},
    {"IS", Code::IS, "ro", Row::PURE},
    {"WEAK_IS", Code::WEAK_IS, "rw", Row::PURE},
    {"TYPE", Code::TYPE, "rt", Row::PURE},
    {"EQUALS", Code::EQUALS, "re", Row::PURE},
    {"LENGTH", Code::LENGTH, "ri", Row::CALLS},
    {"KEYS", Code::KEYS, "ru", Row::CALLS},
    {"NO_KEY", Code::NO_KEY, "rk", Row::CALLS},
    {"NO_OWN", Code::NO_OWN, "rn", Row::PURE},
    {"NO_ATTR", Code::NO_ATTR, "rn", Row::CALLS},
    {"ARRAY", Code::ARRAY, "rA", Row::PURE},
    {"INT", Code::INT, "rs", Row::PURE},
    {"RELATION", Code::RELATION, "R", Row::PURE},
    {"DISJOINT", Code::DISJOINT, "rr", Row::PURE},
    {"NOT_ALIASED", Code::NOT_ALIASED, "rr", Row::PURE},
    {"NO_ALIAS", Code::NO_ALIAS, "G", Row::PURE},
    {"SPECIALS", Code::SPECIALS, "tz", Row::PURE},
    {"SAME", Code::SAME, "rr", Row::PURE},
    {"FLAG", Code::FLAG, "v", Row::PURE},
    {"CALL", Code::CALL, "rf", Row::CALLS},
};

constexpr const char *COMPARISONS[] = {"==", "!=", "<", "<=", ">", ">="};
constexpr uint8_t ACCEPTED[] = {2, 5, 1, 3, 4, 6};  // by comparison
constexpr const char *EXTENTS[] = {"static", "any", "bind", "equal"};
constexpr const char *OPERATORS[] = {"+", "-", "*", "//", "%", "min", "max"};

constexpr int MAX_INDEX = 1 << 20;  // of registers and slots

// The position of a str in a table, or -1.
template <size_t N>
int find(const char *const (&table)[N], PyObject *name) {
    if (!PyUnicode_Check(name)) return -1;
    for (size_t i = 0; i < N; ++i) {
        if (PyUnicode_CompareWithASCIIString(name, table[i]) == 0) return static_cast<int>(i);
    }
    return -1;
}

bool test(const std::vector<bool> &bits, int32_t i) {
    return static_cast<size_t>(i) < bits.size() && bits[i];
}

// Sets a bit; false when it was set already.
bool set(std::vector<bool> &bits, int32_t i) {
    if (test(bits, i)) return false;
    if (static_cast<size_t>(i) >= bits.size()) bits.resize(i + 1);
    return bits[i] = true;
}

class Parser {
public:
    explicit Parser(Block &block) : block(block), written(block.n_args, true) {}

    bool parse_op(PyObject *tuple, int32_t origin);
    void finish();

private:
    bool fail(const char *what, PyObject *exception = PyExc_ValueError);
    bool parse_operands(const Row &row);
    bool parse_operand(char kind);
    bool has_type(bool is_right, const char *what, PyObject *operand);
    bool integer(PyObject *operand, int64_t &value);
    bool index(PyObject *operand, int32_t &value);
    bool reads_register(PyObject *operand);
    bool writes_register(PyObject *operand);
    bool binds_slot(PyObject *operand, int64_t &slot);
    bool reads_slot(PyObject *operand, int64_t &slot);
    bool key(PyObject *operand);
    bool names(PyObject *operand);
    void keep(PyObject *operand);
    bool parse_array();
    bool parse_extents(PyObject *tuple, const Extent *&extents);
    bool parse_extent(PyObject *tuple, Extent &extent);
    bool parse_relation();
    bool parse_group();
    bool parse_members(PyObject *members, std::vector<int32_t> &registers);
    bool parse_postfix(PyObject *tuple, std::vector<Token> &tokens);
    bool parse_token(PyObject *operand, Token &token);
    PyObject *next() { return PyTuple_GET_ITEM(tuple, position++); }

    Block &block;
    Op op{};
    Footprint footprint;
    PyObject *tuple = nullptr;
    Py_ssize_t position = 0;
    bool has_first_register = false;
    std::vector<bool> written, bound;  // registers and slots, by the ops so far
};

bool Parser::fail(const char *what, PyObject *exception) {
    if (!PyErr_Occurred()) {
        PyErr_Format(exception, "guard op %d, %R: %s", static_cast<int>(op.origin), tuple, what);
    }
    return false;
}

bool Parser::has_type(bool is_right, const char *what, PyObject *operand) {
    if (!is_right) return fail(what, PyExc_TypeError);
    keep(operand);
    return true;
}

void Parser::keep(PyObject *operand) {
    PyObject **place = !op.object ? &op.object : !op.second ? &op.second : &op.third;
    *place = operand;
}

bool Parser::integer(PyObject *operand, int64_t &value) {
    if (!PyLong_Check(operand)) return fail("needs an int", PyExc_TypeError);
    value = PyLong_AsLongLong(operand);
    return !(value == -1 && PyErr_Occurred());
}

bool Parser::index(PyObject *operand, int32_t &value) {
    int64_t wide;
    if (!integer(operand, wide)) return false;
    if (wide < 0 || wide >= MAX_INDEX) return fail("register or slot out of range");
    value = static_cast<int32_t>(wide);
    return true;
}

bool Parser::reads_register(PyObject *operand) {
    int32_t &place = has_first_register ? op.b : op.a;
    has_first_register = true;
    if (!index(operand, place)) return false;
    if (!test(written, place)) return fail("reads a register that no earlier op writes");
    footprint.reads.push_back(place);
    return true;
}

bool Parser::writes_register(PyObject *operand) {
    if (!index(operand, op.dst)) return false;
    if (!set(written, op.dst)) return fail("this register already holds a value");
    footprint.writes.push_back(op.dst);
    return true;
}

bool Parser::binds_slot(PyObject *operand, int64_t &slot) {
    int32_t place;
    if (!index(operand, place)) return false;
    if (!set(bound, place)) return fail("this slot is already bound");
    footprint.writes.push_back(-1 - place);
    slot = place;
    return true;
}

bool Parser::reads_slot(PyObject *operand, int64_t &slot) {
    int32_t place;
    if (!index(operand, place)) return false;
    if (!test(bound, place)) return fail("reads a slot that no earlier op binds");
    footprint.reads.push_back(-1 - place);
    slot = place;
    return true;
}

bool Parser::key(PyObject *operand) {
    op.number = PyObject_Hash(operand);
    keep(operand);
    return op.number != -1;
}

bool Parser::names(PyObject *operand) {
    block.versions.push_back(std::make_unique<unsigned>(0));
    op.version = block.versions.back().get();
    return has_type(PyFrozenSet_CheckExact(operand), "needs a frozenset", operand);
}

bool Parser::parse_extent(PyObject *pair, Extent &extent) {
    bool is_pair = PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) > 0;
    int kind = is_pair ? find(EXTENTS, PyTuple_GET_ITEM(pair, 0)) : -1;
    if (kind < 0 || PyTuple_GET_SIZE(pair) != (kind == Extent::ANY ? 1 : 2)) {
        return fail("a size is ('static', n), ('any',), ('bind', slot) or ('equal', slot)");
    }
    extent = {static_cast<Extent::Kind>(kind), 0};
    if (kind == Extent::ANY) return true;
    PyObject *operand = PyTuple_GET_ITEM(pair, 1);
    if (kind == Extent::STATIC) return integer(operand, extent.value);
    return kind == Extent::BIND ? binds_slot(operand, extent.value)
                                : reads_slot(operand, extent.value);
}

bool Parser::parse_extents(PyObject *sizes, const Extent *&extents) {
    if (!PyTuple_Check(sizes) || PyTuple_GET_SIZE(sizes) != op.ndim) {
        return fail("needs one size and one stride per dimension");
    }
    block.extents.push_back(std::make_unique<Extent[]>(op.ndim));
    extents = block.extents.back().get();
    for (int i = 0; i < op.ndim; ++i) {
        if (!parse_extent(PyTuple_GET_ITEM(sizes, i), block.extents.back()[i])) return false;
    }
    return true;
}

// ("ARRAY", r, type, dtype, ndim, flags_mask, flags, dims, strides)
bool Parser::parse_array() {
    if (PyTuple_GET_SIZE(tuple) != 9) return fail("needs 8 operands");
    PyObject *type = next(), *dtype = next();
    int64_t ndim, mask, flags;
    if (!has_type(PyType_Check(type), "needs a type", type)) return false;
    if (!has_type(PyArray_DescrCheck(dtype), "needs a NumPy dtype", dtype)) return false;
    if (!integer(next(), ndim) || !integer(next(), mask) || !integer(next(), flags)) return false;
    if (ndim < 0 || ndim > NPY_MAXDIMS) return fail("has too many dimensions");
    bool is_numpy = PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(type), &PyArray_Type);
    op.code = is_numpy ? Code::ARRAY : Code::ARRAY_LIKE;
    op.is_pure = is_numpy;
    op.ndim = static_cast<uint8_t>(ndim);
    op.flags_mask = static_cast<int32_t>(mask);
    op.flags = static_cast<int32_t>(flags);
    PyObject *dims = next(), *strides = next();
    return parse_extents(dims, op.dims) &&
           (Py_IsNone(strides) || parse_extents(strides, op.strides));
}

bool Parser::parse_token(PyObject *operand, Token &token) {
    if (PyLong_Check(operand)) {
        token.kind = Token::NUMBER;
        return integer(operand, token.value);
    }
    if (PyTuple_Check(operand) && PyTuple_GET_SIZE(operand) == 2) {
        token.kind = Token::SLOT;
        return reads_slot(PyTuple_GET_ITEM(operand, 1), token.value);
    }
    int operation = find(OPERATORS, operand);
    if (operation < 0) return fail("has an unknown token");
    token.kind = static_cast<Token::Kind>(Token::ADD + operation);
    return true;
}

bool Parser::parse_postfix(PyObject *postfix, std::vector<Token> &tokens) {
    if (!PyTuple_Check(postfix)) return fail("needs postfix tuples", PyExc_TypeError);
    size_t depth = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(postfix); ++i) {
        Token token{};
        if (!parse_token(PyTuple_GET_ITEM(postfix, i), token)) return false;
        bool is_value = token.kind <= Token::SLOT;
        if (!is_value && depth < 2) return fail("an operator lacks operands");
        depth = is_value ? depth + 1 : depth - 1;
        if (depth > MAX_STACK) return fail("an expression is nested too deeply");
        tokens.push_back(token);
    }
    return depth == 1 || fail("an expression must leave one value");
}

// ("RELATION", op, left, right)
bool Parser::parse_relation() {
    if (PyTuple_GET_SIZE(tuple) != 4) return fail("needs 3 operands");
    int comparison = find(COMPARISONS, next());
    if (comparison < 0) return fail("has an unknown comparison");
    auto relation = std::make_unique<Relation>();
    relation->accepted = ACCEPTED[comparison];
    if (!parse_postfix(next(), relation->left)) return false;
    if (!parse_postfix(next(), relation->right)) return false;
    find_difference(*relation);
    op.relation = relation.get();
    block.relations.push_back(std::move(relation));
    return true;
}

// ("NO_ALIAS", of_arrays, changed, others): registers
bool Parser::parse_group() {
    if (PyTuple_GET_SIZE(tuple) != 4) return fail("needs 3 operands");
    auto group = std::make_unique<Group>();
    group->of_arrays = Py_IsTrue(next());
    if (!parse_members(next(), group->registers)) return false;
    group->n_changed = static_cast<int32_t>(group->registers.size());
    if (!parse_members(next(), group->registers)) return false;
    group->places.resize(group->registers.size());
    group->order.resize(group->registers.size());
    std::iota(group->order.begin(), group->order.end(), 0);
    op.group = group.get();
    block.groups.push_back(std::move(group));
    return true;
}

bool Parser::parse_members(PyObject *members, std::vector<int32_t> &registers) {
    if (!PyTuple_Check(members)) return fail("needs tuples of registers", PyExc_TypeError);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(members); ++i) {
        has_first_register = false;
        if (!reads_register(PyTuple_GET_ITEM(members, i))) return false;
        registers.push_back(op.a);
    }
    return true;
}

bool Parser::parse_operand(char kind) {
    if (kind == 'A') return parse_array();
    if (kind == 'R') return parse_relation();
    if (kind == 'G') return parse_group();
    PyObject *x = next();
    switch (kind) {
    case 'd': return writes_register(x);
    case 'r': return reads_register(x);
    case 's': return binds_slot(x, op.number);
    case 'i': return integer(x, op.number);
    case 'k': return key(x);
    case 'n': return has_type(PyUnicode_CheckExact(x), "needs a str", x) && PyObject_Hash(x) != -1;
    case 't': return has_type(PyType_Check(x), "needs a type", x);
    case 'u': return has_type(PyTuple_Check(x), "needs a tuple", x);
    case 'z': return names(x);
    case 'm': return has_type(PyDict_Check(x), "needs a dict", x);
    case 'c': return has_type(PyCell_Check(x), "needs a closure cell", x);
    case 'v': return has_type(Py_IS_TYPE(x, watch_cell_type), "needs a validity cell", x);
    case 'f': return has_type(PyCallable_Check(x), "needs a callable", x);
    case 'e': return has_type(is_constant(x), "cannot compare this; use IS or CALL", x);
    default: keep(x); return true;
    }
}

bool Parser::parse_operands(const Row &row) {
    bool is_fixed = !std::strpbrk(row.operands, "ARG");
    Py_ssize_t n = static_cast<Py_ssize_t>(std::strlen(row.operands));
    if (is_fixed && PyTuple_GET_SIZE(tuple) != n + 1) return fail("wrong number of operands");
    for (const char *kind = row.operands; *kind; ++kind) {
        if (!parse_operand(*kind)) return false;
    }
    return true;
}

// An int that fits is compared without a call.
void specialise_equals(Op &op) {
    if (op.code != Code::EQUALS || !PyLong_CheckExact(op.object)) return;
    int overflow;
    op.number = PyLong_AsLongLongAndOverflow(op.object, &overflow);
    if (!overflow) op.code = Code::EQUALS_INT;
}

bool Parser::parse_op(PyObject *given, int32_t origin) {
    tuple = given;
    op = Op{};
    op.origin = origin;
    op.dst = -1;
    position = 1;
    has_first_register = false;
    footprint = {};
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) == 0) {
        return fail("an op is a tuple (name, register, *operands)", PyExc_TypeError);
    }
    PyObject *name = PyTuple_GET_ITEM(tuple, 0);
    auto row = std::find_if(std::begin(ROWS), std::end(ROWS), [&](const Row &candidate) {
        return PyUnicode_Check(name) &&
               PyUnicode_CompareWithASCIIString(name, candidate.name) == 0;
    });
    if (row == std::end(ROWS)) return fail("unknown op");
    op.code = row->code;
    op.is_load = row->kind == Row::LOAD;
    op.is_pure = row->kind == Row::PURE;
    if (!parse_operands(*row)) return false;
    specialise_equals(op);
    block.ops.push_back(op);
    block.footprints.push_back(std::move(footprint));
    return true;
}

void Parser::finish() {
    block.n_registers = static_cast<int32_t>(written.size());
    block.n_slots = static_cast<int32_t>(bound.size());
}

}  // namespace

bool parse(PyObject *ops, Block &block) {
    Parser parser(block);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(ops); ++i) {
        if (!parser.parse_op(PyTuple_GET_ITEM(ops, i), static_cast<int32_t>(i))) return false;
    }
    parser.finish();
    fold_bounds(block);
    return true;
}

// ("WEAK_IS", r, object) with a weak reference in place of the object, or ("IS", r, object) when
// the object cannot have one.
static PyObject *weaken_op(PyObject *op) {
    bool is_weak = PyTuple_Check(op) && PyTuple_GET_SIZE(op) == 3 &&
                   PyUnicode_Check(PyTuple_GET_ITEM(op, 0)) &&
                   PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(op, 0), "WEAK_IS") == 0;
    PyObject *object = is_weak ? PyTuple_GET_ITEM(op, 2) : nullptr;
    if (!is_weak) return Py_NewRef(op);
    if (!PyType_SUPPORTS_WEAKREFS(Py_TYPE(object))) {
        return Py_BuildValue("(sOO)", "IS", PyTuple_GET_ITEM(op, 1), object);
    }
    Ref reference(PyWeakref_NewRef(object, nullptr));
    if (!reference) return nullptr;
    return PyTuple_Pack(3, PyTuple_GET_ITEM(op, 0), PyTuple_GET_ITEM(op, 1), reference.get());
}

PyObject *weaken(PyObject *ops) {
    Ref result(PyTuple_New(PyTuple_GET_SIZE(ops)));
    if (!result) return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(ops); ++i) {
        PyObject *op = weaken_op(PyTuple_GET_ITEM(ops, i));
        if (!op) return nullptr;
        PyTuple_SET_ITEM(result.get(), i, op);
    }
    return result.release();
}

}  // namespace guards
