// The undo log of a call: what parts of inputs held before the call wrote into them, to be
// restored if it bails out after all.
#include "runtime/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr int MOST_AXES = 64;              // of an array in NumPy
constexpr int64_t SHARED_BYTES = 1 << 20;  // from here on threads share the copying

struct Axis {
    int64_t extent, stride;
};

// Stretches of `run` bytes at the points of a box, outermost axis first.
struct Part {
    char *data;
    int64_t run;
    int ndim = 0;
    Axis axes[MOST_AXES];

    int64_t stretches() const {
        int64_t n = 1;
        for (int i = 0; i < ndim; ++i) n *= axes[i].extent;
        return n;
    }
};

bool steps_over(const Axis &a, const Axis &b) { return a.stride > b.stride; }

// A part with positive strides, the largest first, and as few axes as possible; false when there
// is nothing in it.
bool plan(Part *part, int32_t ndim, const int64_t *shape, const int64_t *strides) {
    for (int32_t i = 0; i < ndim; ++i) {
        if (shape[i] <= 0) return false;
        if (shape[i] == 1) continue;
        if (strides[i] < 0) part->data += (shape[i] - 1) * strides[i];
        part->axes[part->ndim++] = {shape[i], std::abs(strides[i])};
    }
    std::sort(part->axes, part->axes + part->ndim, steps_over);
    while (part->ndim > 0 && part->axes[part->ndim - 1].stride == part->run) {
        part->run *= part->axes[--part->ndim].extent;
    }
    return true;
}

template <bool SAVING>
void move_stretch(char *place, char *&kept, int64_t n) {
    char *to = SAVING ? kept : place, *from = SAVING ? place : kept;
    switch (n) {  // the sizes of elements, which are not worth a call
        case 1: *to = *from; break;
        case 2: std::memcpy(to, from, 2); break;
        case 4: std::memcpy(to, from, 4); break;
        case 8: std::memcpy(to, from, 8); break;
        case 16: std::memcpy(to, from, 16); break;
        default: std::memcpy(to, from, n);
    }
    kept += n;
}

template <bool SAVING>
void move_part(const Axis *axis, const Axis *end, int64_t run, char *place, char *&kept) {
    if (axis == end) return move_stretch<SAVING>(place, kept, run);
    bool innermost = axis + 1 == end;
    for (int64_t i = 0; i < axis->extent; ++i, place += axis->stride) {
        if (innermost) {
            move_stretch<SAVING>(place, kept, run);
        } else {
            move_part<SAVING>(axis + 1, end, run, place, kept);
        }
    }
}

}  // namespace

// Behind the record lies what it keeps: axes or positions, then contents.
struct UndoRecord {
    UndoRecord *before;
    char *data;
    int64_t run, n_positions;  // how many bytes each, and how many; -1 where axes say where
    int ndim;

    Axis *axes() { return reinterpret_cast<Axis *>(this + 1); }
    int64_t *positions() { return reinterpret_cast<int64_t *>(this + 1); }
    char *contents() {
        if (n_positions >= 0) return reinterpret_cast<char *>(positions() + n_positions);
        return reinterpret_cast<char *>(axes() + ndim);
    }
    template <bool SAVING>
    void move() {
        char *kept = contents();
        if (n_positions < 0) return move_part<SAVING>(axes(), axes() + ndim, run, data, kept);
        for (int64_t i = 0; i < n_positions; ++i) {
            move_stretch<SAVING>(data + positions()[i], kept, run);
        }
    }
};

namespace {

// `places`: the bytes of the axes or positions.
UndoRecord *new_record(Frame *frame, const UndoRecord &like, int64_t places, int64_t nbytes) {
    void *memory = scratch(frame, static_cast<int64_t>(sizeof(UndoRecord)) + places + nbytes);
    return memory == nullptr ? nullptr : new (memory) UndoRecord(like);
}

}  // namespace

int32_t log_undo(Frame *frame, void *data, int32_t ndim, const int64_t *shape, const int64_t *strides,
             int64_t itemsize) {
    Part part;
    part.data = static_cast<char *>(data);
    part.run = itemsize;
    if (!plan(&part, ndim, shape, strides)) return OK;
    int64_t nbytes = part.stretches() * part.run;
    UndoRecord like = {call_of(frame)->undo, part.data, part.run, -1, part.ndim};
    UndoRecord *record = new_record(frame, like, part.ndim * sizeof(Axis), nbytes);
    if (record == nullptr) return FAILED;
    std::copy_n(part.axes, part.ndim, record->axes());
    if (part.ndim == 0 && nbytes >= SHARED_BYTES) {
        copy(frame, record->contents(), part.data, 1, nbytes, 0, 0);
    } else {
        record->move<true>();
    }
    call_of(frame)->undo = record;
    return OK;
}

// Elements at these distances in bytes from `data`; one may be named twice.
int32_t log_undo_at(Frame *frame, void *data, const int64_t *positions, int64_t n, int64_t itemsize) {
    if (n <= 0) return OK;
    UndoRecord like = {call_of(frame)->undo, static_cast<char *>(data), itemsize, n, 0};
    UndoRecord *record = new_record(frame, like, n * sizeof(int64_t), n * itemsize);
    if (record == nullptr) return FAILED;
    std::copy_n(positions, n, record->positions());
    record->move<true>();
    call_of(frame)->undo = record;
    return OK;
}

void undo(Call *call) {
    for (; call->undo != nullptr; call->undo = call->undo->before) call->undo->move<false>();
}
