// The floating-point environment of this thread: sticky exception flags, and the control bits
// (rounding, flush-to-zero) that workers copy from the thread they work for.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#define DYNAMO_LITE_MXCSR 1
#else
#include <cfenv>
#endif

// The exceptions that NumPy reports, as bits.
enum FpFlag : unsigned { FP_INVALID = 1, FP_DIVIDE = 4, FP_OVERFLOW = 8, FP_UNDERFLOW = 16 };
constexpr unsigned FP_REPORTED = FP_INVALID | FP_DIVIDE | FP_OVERFLOW | FP_UNDERFLOW;

#ifdef DYNAMO_LITE_MXCSR
// MXCSR keeps the flags in its low bits, in the order that FpFlag copies.
struct FpControl {
    unsigned bits;
};

// A loop of NumPy's that computes with tables says by feraiseexcept that a result is too large, of
// which glibc tells the x87 unit alone.
#if defined(__GNUC__)
inline unsigned x87_overflow() {
    unsigned short status;
    __asm__ volatile("fnstsw %0" : "=a"(status));
    return status & FP_OVERFLOW;
}

inline void clear_x87_flags() { __asm__ volatile("fnclex"); }
#else
inline unsigned x87_overflow() { return 0; }
inline void clear_x87_flags() {}
#endif

inline unsigned fp_flags() { return (_mm_getcsr() & FP_REPORTED) | x87_overflow(); }

inline void clear_fp_flags() {
    unsigned state = _mm_getcsr();
    if (state & FP_REPORTED) _mm_setcsr(state & ~FP_REPORTED);
    if (x87_overflow()) clear_x87_flags();
}

inline void set_fp_flags(unsigned flags) {
    unsigned state = _mm_getcsr();
    if (x87_overflow()) clear_x87_flags();
    if ((state & FP_REPORTED) != flags) _mm_setcsr((state & ~FP_REPORTED) | flags);
}

inline FpControl fp_control() { return {_mm_getcsr() & ~0x3fu}; }

inline void set_fp_control(FpControl control) { _mm_setcsr(control.bits); }
#else
struct FpControl {
    std::fenv_t environment;
};

inline unsigned fp_flags() {
    int raised = std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    return (raised & FE_INVALID ? FP_INVALID : 0u) | (raised & FE_DIVBYZERO ? FP_DIVIDE : 0u) |
           (raised & FE_OVERFLOW ? FP_OVERFLOW : 0u) | (raised & FE_UNDERFLOW ? FP_UNDERFLOW : 0u);
}

inline void clear_fp_flags() {
    if (fp_flags()) std::feclearexcept(FE_ALL_EXCEPT);
}

inline void set_fp_flags(unsigned flags) {
    clear_fp_flags();
    std::feraiseexcept((flags & FP_INVALID ? FE_INVALID : 0) | (flags & FP_DIVIDE ? FE_DIVBYZERO : 0) |
                       (flags & FP_OVERFLOW ? FE_OVERFLOW : 0) |
                       (flags & FP_UNDERFLOW ? FE_UNDERFLOW : 0));
}

inline FpControl fp_control() {
    FpControl control;
    std::fegetenv(&control.environment);
    return control;
}

inline void set_fp_control(FpControl control) {
    std::fesetenv(&control.environment);
    std::feclearexcept(FE_ALL_EXCEPT);
}
#endif

// Compiling raises flags of its own, and may go on inside a ufunc that calls a Python function and
// reports what is raised meanwhile: afterwards the flags are what they were.
class KeptFpFlags {
public:
    KeptFpFlags() : flags(fp_flags()) {}
    ~KeptFpFlags() { set_fp_flags(flags); }
    KeptFpFlags(const KeptFpFlags &) = delete;
    KeptFpFlags &operator=(const KeptFpFlags &) = delete;

private:
    unsigned flags;
};

// Whether a number is 0, or so far from the largest and the smallest that sums and products of it and
// of random numbers raise no flag. Compares bits, since comparisons of NaNs raise one themselves.
inline bool is_moderate(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    uint64_t magnitude = bits << 1, exponent = magnitude >> 53;
    return magnitude == 0 || exponent - (1023 - 900) <= 1800;
}
