#include "base/spans.h"

#include "base/stopwatch.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

bool are_spans_counted = false;

namespace {

constexpr size_t MOST_SLICES = size_t{1} << 18;  // of a timeline; later ones are only counted
constexpr int64_t SHORTEST = 1000;  // nanoseconds of guards and the like that a timeline shows
constexpr int64_t NO_STEP = -1;

struct Step {
    int64_t count, spent, waited, nbytes, operations;
};

// Of one compiled function or entry.
struct Totals {
    Ref owner;
    int64_t count = 0;
    int64_t spent[KINDS] = {};
    std::vector<Step> steps;
};

struct Slice {
    int64_t begin, spent;
    unsigned long thread;
    Totals *totals;
    Spent on;
    int64_t step;
};

// One span that is open.
struct Open {
    Totals *totals;
    Spent on;
    int64_t begin, inside;            // when it began, and what spans inside it have taken
    int64_t step, step_begin, step_inside;
    uint64_t round;
};

// Never destroyed: the interpreter is gone by then.
auto &all_totals = *new std::unordered_map<PyObject *, std::unique_ptr<Totals>>;
std::vector<Slice> slices;
int64_t n_askers = 0;
uint64_t round_number = 0;  // what was opened in an earlier one has no totals any more
thread_local std::vector<Open> open_spans;
std::vector<unsigned long> running;  // threads, once for each entry that they are in

Totals *totals_of(PyObject *owner) {
    std::unique_ptr<Totals> &found = all_totals[owner];
    if (!found) {
        found = std::make_unique<Totals>();
        found->owner = Ref::borrow(owner);
    }
    return found.get();
}

void add_slice(const Open &open, int64_t begin, int64_t spent, int64_t step) {
    bool is_small = open.on == Spent::GUARDS || open.on == Spent::ALLOCATION || step == NO_STEP;
    if (slices.size() >= MOST_SLICES || (is_small && spent < SHORTEST)) return;
    slices.push_back({begin, spent, PyThread_get_thread_ident(), open.totals, open.on, step});
}

void end_step(Open &open, int64_t now) {
    int64_t spent = now - open.step_begin, own = spent - (open.inside - open.step_inside);
    if (open.step == NO_STEP) {
        open.totals->spent[static_cast<int>(open.on)] += own;
    } else {
        open.totals->steps[open.step].spent += own;
        add_slice(open, open.step_begin, spent, open.step);
    }
}

void leave_entry() {
    auto last = std::find(running.rbegin(), running.rend(), PyThread_get_thread_ident());
    if (last != running.rend()) running.erase(std::next(last).base());
}

void end(Open &open) {
    int64_t now = nanoseconds(), spent = now - open.begin;
    open_spans.pop_back();
    if (open.on == Spent::ENTRY) leave_entry();
    if (!open_spans.empty()) open_spans.back().inside += spent;
    if (open.round != round_number) return;
    end_step(open, now);
    add_slice(open, open.begin, spent, NO_STEP);
}

}  // namespace

void Span::open(Spent on, PyObject *owner) {
    Totals *totals = nullptr;
    bool has_outer = !open_spans.empty() && open_spans.back().round == round_number;
    if (owner != nullptr) {
        totals = totals_of(owner);
        ++totals->count;
    } else if (has_outer) {
        totals = open_spans.back().totals;
    }
    if (totals == nullptr) return;
    int64_t now = nanoseconds();
    open_spans.push_back({totals, on, now, 0, NO_STEP, now, 0, round_number});
    depth = open_spans.size();
    if (on == Spent::ENTRY) running.push_back(PyThread_get_thread_ident());
}

// Those above it are of a stack that somebody has switched away from, and will not be closed.
void Span::close() {
    if (open_spans.size() < depth) return;
    open_spans.resize(depth);
    Open open = open_spans.back();
    end(open);
}

void begin_step(int64_t number, int64_t nbytes, int64_t operations) {
    if (open_spans.empty() || open_spans.back().on != Spent::ENTRY) return;
    Open &open = open_spans.back();
    if (open.round != round_number || number < 0) return;
    std::vector<Step> &steps = open.totals->steps;
    if (steps.size() <= static_cast<size_t>(number)) steps.resize(number + 1);
    int64_t now = nanoseconds();
    end_step(open, now);
    open.step = number;
    open.step_begin = now;
    open.step_inside = open.inside;
    Step &step = steps[number];
    ++step.count;
    step.nbytes += nbytes;
    step.operations += operations;
}

void count_waiting(int64_t waited) {
    if (open_spans.empty() || open_spans.back().round != round_number) return;
    Open &open = open_spans.back();
    if (open.step != NO_STEP) open.totals->steps[open.step].waited += waited;
}

namespace {

PyObject *start_spans(PyObject *, PyObject *) {
    ++n_askers;
    are_spans_counted = true;
    Py_RETURN_NONE;
}

PyObject *stop_spans(PyObject *, PyObject *) {
    if (n_askers == 0 || --n_askers > 0) Py_RETURN_NONE;
    are_spans_counted = false;
    ++round_number;
    slices.clear();
    running.clear();
    auto forgotten = std::exchange(all_totals, {});  // what dies with its owners runs after that
    Py_RETURN_NONE;
}

PyObject *steps_of(const Totals &totals) {
    Ref steps(PyList_New(0));
    for (const Step &step : totals.steps) {
        Ref row(Py_BuildValue("LLLLL", static_cast<long long>(step.count),
                              static_cast<long long>(step.spent),
                              static_cast<long long>(step.waited),
                              static_cast<long long>(step.nbytes),
                              static_cast<long long>(step.operations)));
        if (!steps || !row || PyList_Append(steps.get(), row.get()) < 0) return nullptr;
    }
    return steps.release();
}

PyObject *row_of(const Totals &totals) {
    Ref spent(PyTuple_New(KINDS)), steps(steps_of(totals));
    for (int i = 0; spent && i < KINDS; ++i) {
        PyObject *number = PyLong_FromLongLong(totals.spent[i]);
        if (number == nullptr) return nullptr;
        PyTuple_SET_ITEM(spent.get(), i, number);
    }
    if (!spent || !steps) return nullptr;
    return Py_BuildValue("OLOO", totals.owner.get(), static_cast<long long>(totals.count),
                         spent.get(), steps.get());
}

PyObject *read_totals() {
    Ref rows(PyList_New(0));
    for (const auto &item : all_totals) {
        Ref row(row_of(*item.second));
        if (!rows || !row || PyList_Append(rows.get(), row.get()) < 0) return nullptr;
    }
    return rows.release();
}

PyObject *read_slices(size_t first) {
    Ref rows(PyList_New(0));
    for (size_t i = first; i < slices.size(); ++i) {
        const Slice &slice = slices[i];
        Ref row(Py_BuildValue("LLkOiL", static_cast<long long>(slice.begin),
                              static_cast<long long>(slice.spent), slice.thread,
                              slice.totals->owner.get(), static_cast<int>(slice.on),
                              static_cast<long long>(slice.step)));
        if (!rows || !row || PyList_Append(rows.get(), row.get()) < 0) return nullptr;
    }
    return rows.release();
}

PyObject *read_spans(PyObject *, PyObject *argument) {
    Py_ssize_t first = PyLong_AsSsize_t(argument);
    if (first == -1 && PyErr_Occurred()) return nullptr;
    size_t from = first < 0 ? slices.size() : static_cast<size_t>(first);
    Py_ssize_t there = static_cast<Py_ssize_t>(slices.size());
    Ref totals(read_totals()), timeline(totals ? read_slices(from) : nullptr);
    if (!timeline) return nullptr;
    return Py_BuildValue("OOnO", totals.get(), timeline.get(), there,
                         slices.size() >= MOST_SLICES ? Py_True : Py_False);
}

PyObject *threads_in_entries(PyObject *, PyObject *) {
    Ref threads(PySet_New(nullptr));
    for (unsigned long thread : running) {
        Ref number(PyLong_FromUnsignedLong(thread));
        if (!threads || !number || PySet_Add(threads.get(), number.get()) < 0) return nullptr;
    }
    return threads.release();
}

PyMethodDef span_functions[] = {
    {"start_spans", start_spans, METH_NOARGS,
     "From here on count what compiled calls spend their time on, until as many `stop_spans`."},
    {"stop_spans", stop_spans, METH_NOARGS, nullptr},
    {"read_spans", read_spans, METH_O,
     "read_spans(first, /)\n--\n\n"
     "What was counted: rows `(owner, times, nanoseconds by kind, steps)` with steps `(times,\n"
     "nanoseconds, of which waiting, bytes, operations)`; the slices of the timeline from number `first` on (none\n"
     "where it is -1), `(begin, nanoseconds, thread, owner, kind, step)`; how many there are; and\n"
     "whether there was no room for more."},
    {"threads_in_entries", threads_in_entries, METH_NOARGS,
     "The threads that run code of compiled graphs now, as far as spans are counted."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_spans(PyObject *module) { return PyModule_AddFunctions(module, span_functions); }
