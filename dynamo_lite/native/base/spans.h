// Where the time of compiled calls goes, while somebody asks for it. A span is open while a call does
// one kind of thing; what is spent in spans inside it is theirs alone, so that all of them add up.
// Everything here happens under the global interpreter lock.
#pragma once
#include "base/core.h"

#include <cstddef>

// Calls are to cost nothing where nobody asks: what counts them is kept out of their way.
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline, cold))

// What the time of a span is spent on.
enum class Spent { CALL, GUARDS, COMPILING, PYTHON, ENTRY, ALLOCATION };
constexpr int KINDS = 6;

// Whether anybody asks.
extern bool are_spans_counted;

// `owner`: the compiled function or entry that the time is counted for; that of the span around it
// where there is none.
class Span {
public:
    explicit Span(Spent on, PyObject *owner = nullptr) {
        if (__builtin_expect(are_spans_counted, false)) open(on, owner);
    }
    ~Span() {
        if (__builtin_expect(depth != 0, false)) close();
    }
    Span(const Span &) = delete;

private:
    void open(Spent on, PyObject *owner);
    void close();
    size_t depth = 0;  // of spans in this thread, this one included; 0 where it is not counted
};

// From here on the entry that runs in this thread is at this step of its table.
void begin_step(int64_t number, int64_t nbytes, int64_t operations);

// So many nanoseconds of the step this thread is at were spent on waiting for other threads.
void count_waiting(int64_t waited);
