// Guards on what is left of iterators over ranges, as checks that load nothing: in a loop that is
// left now and then they run each time that it is entered again.
#include <algorithm>

#include "guards/ops.h"
#include "interpreter/range_iterators.h"

namespace guards {
namespace {

bool reads(const Footprint &footprint, int cell) {
    return std::count(footprint.reads.begin(), footprint.reads.end(), cell) > 0;
}

Op *writer_of(Block &block, int32_t cell) {
    auto writes = [&](const Op &op) { return op.is_load && op.dst == cell; };
    auto found = std::find_if(block.ops.begin(), block.ops.end(), writes);
    return found == block.ops.end() ? nullptr : &*found;
}

// The only op that reads a register, or null.
Op *reader_of(Block &block, int32_t cell) {
    Op *found = nullptr;
    for (Op &op : block.ops) {
        if (!reads(block.footprints[op.origin], cell)) continue;
        if (found) return nullptr;
        found = &op;
    }
    return found;
}

bool which_bound(Block &block, const Op &load, int64_t &which) {
    if (load.code != Code::APPLY2 || !is_bound(load.object)) return false;
    Op *constant = writer_of(block, load.b);
    if (!constant || constant->code != Code::CONST || !PyLong_CheckExact(constant->object)) return false;
    int overflow;
    which = PyLong_AsLongLongAndOverflow(constant->object, &overflow);
    return !overflow && which >= 0 && which <= 2;
}

// Makes the check that reads `load` one that reads its operand; whether it is such a check.
bool fold(Block &block, const Op &load) {
    int64_t which;
    Op *check = which_bound(block, load, which) ? reader_of(block, load.dst) : nullptr;
    if (!check || (check->code != Code::INT && check->code != Code::EQUALS_INT)) return false;
    check->code = check->code == Code::INT ? Code::BOUND : Code::EQUALS_BOUND;
    check->is_pure = true;
    check->a = load.a;
    check->flags = static_cast<int32_t>(which);
    block.footprints[check->origin].reads = {load.a};
    return true;
}

void drop(Block &block, int32_t origin) {
    auto is_it = [&](const Op &op) { return op.origin == origin; };
    block.ops.erase(std::remove_if(block.ops.begin(), block.ops.end(), is_it), block.ops.end());
    block.footprints[origin] = {};
}

bool is_read(const Block &block, int32_t cell) {
    return std::any_of(block.footprints.begin(), block.footprints.end(),
                       [&](const Footprint &footprint) { return reads(footprint, cell); });
}

}  // namespace

void fold_bounds(Block &block) {
    std::vector<Op> given = block.ops;
    for (const Op &op : given) {
        if (!op.is_load || !fold(block, op)) continue;
        drop(block, op.origin);
        Op *constant = writer_of(block, op.b);
        if (constant && !is_read(block, op.b)) drop(block, constant->origin);
    }
    bool loads = std::any_of(block.ops.begin(), block.ops.end(), [](const Op &op) { return op.is_load; });
    if (!loads) block.n_registers = block.n_args;
}

}  // namespace guards
