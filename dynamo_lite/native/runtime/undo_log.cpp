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
// Whether a step along `outer` is the one behind the last along `inner`.
bool goes_on(const Axis &outer, const Axis &inner) { return outer.stride == inner.extent * inner.stride; }

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
    while (part->ndim > 1 && goes_on(part->axes[part->ndim - 2], part->axes[part->ndim - 1])) {
        Axis inner = part->axes[--part->ndim];
        part->axes[part->ndim - 1] = {part->axes[part->ndim - 1].extent * inner.extent, inner.stride};
    }
    return true;
}

template <bool SAVING>
void move_stretch(char *place, char *&kept, int64_t n) {
    std::memcpy(SAVING ? kept : place, SAVING ? place : kept, n);
    kept += n;
}

template <bool SAVING, int64_t RUN, typename Place>
void move_elements(int64_t count, const Place &place_of, char *&kept) {
    for (int64_t i = 0; i < count; ++i) move_stretch<SAVING>(place_of(i), kept, RUN);
}

// `count` stretches; elements are moved by loops of their own, as they are not worth a call each.
template <bool SAVING, typename Place>
void move_stretches(int64_t count, int64_t run, const Place &place_of, char *&kept) {
    switch (run) {
        case 1: return move_elements<SAVING, 1>(count, place_of, kept);
        case 2: return move_elements<SAVING, 2>(count, place_of, kept);
        case 4: return move_elements<SAVING, 4>(count, place_of, kept);
        case 8: return move_elements<SAVING, 8>(count, place_of, kept);
        case 16: return move_elements<SAVING, 16>(count, place_of, kept);
    }
    for (int64_t i = 0; i < count; ++i) move_stretch<SAVING>(place_of(i), kept, run);
}

template <bool SAVING>
void move_part(const Axis *axis, const Axis *end, int64_t run, char *place, char *&kept) {
    if (axis == end) return move_stretch<SAVING>(place, kept, run);
    if (axis + 1 == end) {
        auto place_of = [=](int64_t i) { return place + i * axis->stride; };
        return move_stretches<SAVING>(axis->extent, run, place_of, kept);
    }
    for (int64_t i = 0; i < axis->extent; ++i, place += axis->stride) {
        move_part<SAVING>(axis + 1, end, run, place, kept);
    }
}

// The same places of an array, from a copy of it that lies at some distance.
void restore_part(const Axis *axis, const Axis *end, int64_t run, char *place, int64_t distance) {
    if (axis == end) {
        std::memcpy(place, place + distance, run);
        return;
    }
    for (int64_t i = 0; i < axis->extent; ++i, place += axis->stride) {
        restore_part(axis + 1, end, run, place, distance);
    }
}

}  // namespace

enum class Keeps { PART, ELEMENTS, PLACES, COPY };

// Behind the record lies what it keeps. PART: axes and contents; ELEMENTS: positions and contents;
// PLACES: axes, the contents are in an earlier COPY, which is one of all the array and restores
// nothing by itself.
struct UndoRecord {
    UndoRecord *before;
    char *data;
    int64_t run, n_positions;  // how many bytes each, and how many
    int ndim;
    Keeps keeps;

    Axis *axes() { return reinterpret_cast<Axis *>(this + 1); }
    int64_t *positions() { return reinterpret_cast<int64_t *>(this + 1); }
    char *contents() {
        if (keeps == Keeps::ELEMENTS) return reinterpret_cast<char *>(positions() + n_positions);
        return reinterpret_cast<char *>(axes() + ndim);
    }
    bool holds(const char *place) const {
        return keeps == Keeps::COPY && data <= place && place < data + run;
    }
    template <bool SAVING>
    void move() {
        char *kept = contents();
        if (keeps == Keeps::PART) return move_part<SAVING>(axes(), axes() + ndim, run, data, kept);
        auto place_of = [this](int64_t i) { return data + positions()[i]; };
        move_stretches<SAVING>(n_positions, run, place_of, kept);
    }
    void restore() {
        if (keeps == Keeps::COPY) return;
        if (keeps != Keeps::PLACES) return move<false>();
        UndoRecord *copy = before;
        while (!copy->holds(data)) copy = copy->before;
        restore_part(axes(), axes() + ndim, run, data, copy->contents() - copy->data);
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
             int64_t itemsize, int32_t is_copied) {
    Part part;
    part.data = static_cast<char *>(data);
    part.run = itemsize;
    if (!plan(&part, ndim, shape, strides)) return OK;
    int64_t nbytes = is_copied ? 0 : part.stretches() * part.run;
    UndoRecord like = {call_of(frame)->undo, part.data, part.run, 0, part.ndim,
                       is_copied ? Keeps::PLACES : Keeps::PART};
    UndoRecord *record = new_record(frame, like, part.ndim * sizeof(Axis), nbytes);
    if (record == nullptr) return FAILED;
    std::copy_n(part.axes, part.ndim, record->axes());
    if (part.ndim == 0 && nbytes >= SHARED_BYTES) {
        copy(frame, record->contents(), part.data, 1, nbytes, 0, 0);
    } else if (!is_copied) {
        record->move<true>();
    }
    call_of(frame)->undo = record;
    return OK;
}

int32_t log_copy(Frame *frame, void *data, int64_t nbytes) {
    UndoRecord like = {call_of(frame)->undo, static_cast<char *>(data), nbytes, 0, 0, Keeps::COPY};
    UndoRecord *record = new_record(frame, like, 0, nbytes);
    if (record == nullptr) return FAILED;
    copy(frame, record->contents(), data, 1, nbytes, 0, 0);
    call_of(frame)->undo = record;
    return OK;
}

// Elements at these distances in bytes from `data`; one may be named twice.
int32_t log_undo_at(Frame *frame, void *data, const int64_t *positions, int64_t n, int64_t itemsize) {
    if (n <= 0) return OK;
    UndoRecord like = {call_of(frame)->undo, static_cast<char *>(data), itemsize, n, 0,
                       Keeps::ELEMENTS};
    UndoRecord *record = new_record(frame, like, n * sizeof(int64_t), n * itemsize);
    if (record == nullptr) return FAILED;
    std::copy_n(positions, n, record->positions());
    record->move<true>();
    call_of(frame)->undo = record;
    return OK;
}

void undo(Call *call) {
    for (; call->undo != nullptr; call->undo = call->undo->before) call->undo->restore();
}
