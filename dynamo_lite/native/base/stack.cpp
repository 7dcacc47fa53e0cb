#include "base/stack.h"

#include <pthread.h>

namespace {

constexpr intptr_t UNKNOWN_STACK = 512 << 10;  // what is left, where the system does not say

// Addresses in the stack, which grows downwards: no more than a half, and a quarter, lies below.
struct Marks {
    intptr_t half, quarter;
};

Marks marks_of(intptr_t lowest, intptr_t size) { return {lowest + size / 2, lowest + size / 4}; }

Marks find_marks(intptr_t here) {
#if defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *lowest;
        size_t size;
        int failed = pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
        if (!failed) {
            return marks_of(reinterpret_cast<intptr_t>(lowest), static_cast<intptr_t>(size));
        }
    }
#elif defined(__APPLE__)
    auto highest = reinterpret_cast<intptr_t>(pthread_get_stackaddr_np(pthread_self()));
    auto size = static_cast<intptr_t>(pthread_get_stacksize_np(pthread_self()));
    return marks_of(highest - size, size);
#endif
    return marks_of(here - UNKNOWN_STACK, UNKNOWN_STACK);
}

thread_local Marks marks{};

const Marks &marks_at(intptr_t here) {
    if (!marks.quarter) marks = find_marks(here);
    return marks;
}

}  // namespace

bool is_stack_low() {
    char local;
    auto here = reinterpret_cast<intptr_t>(&local);
    return here < marks_at(here).half;
}

bool is_stack_gone() {
    char local;
    auto here = reinterpret_cast<intptr_t>(&local);
    return here < marks_at(here).quarter;
}
