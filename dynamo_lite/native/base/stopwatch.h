// The time that calls take in Python.
#pragma once
#include <cstdint>
#include <ctime>

#include "base/core.h"

// Nanoseconds on a clock that never goes back.
inline int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}
