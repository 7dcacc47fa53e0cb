#include "stack.h"

#include <pthread.h>

namespace {

constexpr intptr_t UNKNOWN_STACK = 512 << 10;  // what is left, where the system does not say

// The address that the stack should stay above; stacks grow downwards.
intptr_t find_floor(intptr_t here) {
#if defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *lowest;
        size_t size;
        int failed = pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
        if (!failed) return reinterpret_cast<intptr_t>(lowest) + static_cast<intptr_t>(size / 4);
    }
#elif defined(__APPLE__)
    auto highest = reinterpret_cast<intptr_t>(pthread_get_stackaddr_np(pthread_self()));
    auto size = static_cast<intptr_t>(pthread_get_stacksize_np(pthread_self()));
    return highest - size + size / 4;
#endif
    return here - UNKNOWN_STACK;
}

thread_local intptr_t floor_address = 0;

}  // namespace

bool is_stack_low() {
    char local;
    auto here = reinterpret_cast<intptr_t>(&local);
    if (!floor_address) floor_address = find_floor(here);
    return here < floor_address;
}
