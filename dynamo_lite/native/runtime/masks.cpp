// Boolean masks: counting, and copying what they select, in blocks that threads share.
#include "runtime/runtime.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

constexpr int64_t BLOCK = MASK_BLOCK, GROUP = 16;
constexpr int MAX_DIMS = 64;

// One bit for each of 16 elements that is true.
inline unsigned bits_of(const uint8_t *mask) {
#if defined(__x86_64__)
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(mask));
    return 0xFFFF & ~_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
#else
    unsigned bits = 0;
    for (int i = 0; i < GROUP; ++i) bits |= unsigned(mask[i] != 0) << i;
    return bits;
#endif
}

inline unsigned bits_of(const uint8_t *mask, int64_t n) {
    if (n >= GROUP) return bits_of(mask);
    unsigned bits = 0;
    for (int64_t i = 0; i < n; ++i) bits |= unsigned(mask[i] != 0) << i;
    return bits;
}

int64_t count_in(const uint8_t *mask, int64_t n) {
    int64_t total = 0, i = 0;
#if defined(__x86_64__)
    const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi8(1);
    __m128i sums = zero;
    for (; i + GROUP <= n; i += GROUP) {
        __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(mask + i));
        __m128i set = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, zero), one);
        sums = _mm_add_epi64(sums, _mm_sad_epu8(set, zero));
    }
    total = _mm_cvtsi128_si64(sums) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums));
#endif
    for (; i < n; ++i) total += mask[i] != 0;
    return total;
}

int64_t blocks_in(int64_t n) { return (n + BLOCK - 1) / BLOCK; }

struct Counting {
    const uint8_t *mask;
    int64_t n, *counts;
};

void count_blocks(void *env, int64_t begin, int64_t end) {
    auto *job = static_cast<Counting *>(env);
    for (int64_t block = begin; block < end; ++block) {
        int64_t first = block * BLOCK;
        job->counts[block] = count_in(job->mask + first, std::min(BLOCK, job->n - first));
    }
}

// What a fill does for each block: `select` copies from `source`, positions go to `out`.
struct Filling {
    const uint8_t *mask;
    int64_t n;
    const int64_t *starts;
    const char *source;
    int64_t stride;
    char *out;
    int32_t ndim;
    const int64_t *shape;
};

template <typename Element>
void select_block(const Filling &job, int64_t first, int64_t n, int64_t place) {
    const uint8_t *mask = job.mask + first;
    const char *source = job.source + first * job.stride;
    auto *out = reinterpret_cast<Element *>(job.out) + place;
    for (int64_t i = 0; i < n; i += GROUP, source += GROUP * job.stride) {
        unsigned bits = bits_of(mask + i, n - i);
        if (bits == 0xFFFF && job.stride == sizeof(Element)) {
            std::memcpy(out, source, GROUP * sizeof(Element));
            out += GROUP;
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            std::memcpy(out++, source + __builtin_ctz(bits) * job.stride, sizeof(Element));
        }
    }
}

#if defined(__x86_64__)
// Packed elements of 8 bytes: a whole vector is stored where there is room for it in the block.
__attribute__((target("avx512f,popcnt"))) void select_wide(const Filling &job, int64_t first,
                                                           int64_t n, int64_t place, int64_t end) {
    const uint8_t *mask = job.mask + first;
    const double *source = reinterpret_cast<const double *>(job.source) + first;
    double *out = reinterpret_cast<double *>(job.out);
    int64_t i = 0;
    for (; i + GROUP <= n && place + GROUP <= end; i += GROUP) {
        unsigned bits = bits_of(mask + i);
        __mmask8 low = bits & 0xFF, high = bits >> 8;
        __m512d head = _mm512_maskz_compress_pd(low, _mm512_loadu_pd(source + i));
        __m512d tail = _mm512_maskz_compress_pd(high, _mm512_loadu_pd(source + i + 8));
        _mm512_storeu_pd(out + place, head);
        place += __builtin_popcount(low);
        _mm512_storeu_pd(out + place, tail);
        place += __builtin_popcount(high);
    }
    select_block<uint64_t>(job, first + i, n - i, place);
}

// Places along one axis, from `at` on while there is room for whole vectors; gives where it stopped.
__attribute__((target("avx512f,popcnt"))) int64_t places_wide(const uint8_t *mask, int64_t first,
                                                              int64_t n, int64_t *&at, int64_t *end) {
    const __m512i eight = _mm512_set1_epi64(8);
    __m512i places = _mm512_add_epi64(_mm512_set1_epi64(first),
                                      _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    int64_t i = 0;
    for (; i + GROUP <= n && at + GROUP <= end; i += GROUP) {
        unsigned bits = bits_of(mask + first + i);
        __mmask8 low = bits & 0xFF, high = bits >> 8;
        _mm512_storeu_si512(at, _mm512_maskz_compress_epi64(low, places));
        at += __builtin_popcount(low);
        places = _mm512_add_epi64(places, eight);
        _mm512_storeu_si512(at, _mm512_maskz_compress_epi64(high, places));
        at += __builtin_popcount(high);
        places = _mm512_add_epi64(places, eight);
    }
    return i;
}

bool has_wide() {
    static const bool found = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
    return found;
}
#endif

template <typename Element>
void select_blocks(void *env, int64_t begin, int64_t end) {
    const auto &job = *static_cast<Filling *>(env);
    for (int64_t block = begin; block < end; ++block) {
        int64_t first = block * BLOCK, n = std::min(BLOCK, job.n - first);
#if defined(__x86_64__)
        if (sizeof(Element) == 8 && job.stride == 8 && has_wide()) {
            select_wide(job, first, n, job.starts[block], job.starts[block + 1]);
            continue;
        }
#endif
        select_block<Element>(job, first, n, job.starts[block]);
    }
}

struct Wide {
    uint64_t low, high;
};

// Elements that go where a mask is true.
struct Depositing {
    const uint8_t *mask;
    int64_t n;
    const int64_t *starts;
    const char *source;
    int64_t step;
    char *out;
    int64_t stride;
};

template <typename Element>
void deposit_blocks(void *env, int64_t begin, int64_t end) {
    const auto &job = *static_cast<Depositing *>(env);
    for (int64_t block = begin; block < end; ++block) {
        int64_t first = block * BLOCK, n = std::min(BLOCK, job.n - first);
        const char *source = job.source + job.starts[block] * job.step;
        for (int64_t i = 0; i < n; i += GROUP) {
            char *out = job.out + (first + i) * job.stride;
            for (unsigned bits = bits_of(job.mask + first + i, n - i); bits; bits &= bits - 1) {
                std::memcpy(out + __builtin_ctz(bits) * job.stride, source, sizeof(Element));
                source += job.step;
            }
        }
    }
}

void place_blocks(void *env, int64_t begin, int64_t end) {
    const auto &job = *static_cast<Filling *>(env);
    auto *out = reinterpret_cast<int64_t *>(job.out);
    for (int64_t block = begin; block < end; ++block) {
        int64_t first = block * BLOCK, n = std::min(BLOCK, job.n - first), i = 0;
        int64_t *at = out + job.starts[block];
#if defined(__x86_64__)
        if (has_wide()) i = places_wide(job.mask, first, n, at, out + job.starts[block + 1]);
#endif
        for (; i < n; i += GROUP) {
            for (unsigned bits = bits_of(job.mask + first + i, n - i); bits; bits &= bits - 1) {
                *at++ = first + i + __builtin_ctz(bits);
            }
        }
    }
}

void position_blocks(void *env, int64_t begin, int64_t end) {
    const auto &job = *static_cast<Filling *>(env);
    int64_t inner = job.shape[job.ndim - 1], place[MAX_DIMS];
    for (int64_t block = begin; block < end; ++block) {
        int64_t first = block * BLOCK, n = std::min(BLOCK, job.n - first);
        int64_t row = first / inner * inner, rest = first / inner;
        for (int axis = job.ndim - 2; axis >= 0; --axis) {
            place[axis] = rest % job.shape[axis];
            rest /= job.shape[axis];
        }
        int64_t *out = reinterpret_cast<int64_t *>(job.out) + job.starts[block] * job.ndim;
        for (int64_t i = 0; i < n; i += GROUP) {
            for (unsigned bits = bits_of(job.mask + first + i, n - i); bits; bits &= bits - 1) {
                int64_t flat = first + i + __builtin_ctz(bits);
                while (flat >= row + inner) {
                    row += inner;
                    for (int axis = job.ndim - 2; axis >= 0 && ++place[axis] == job.shape[axis]; --axis)
                        place[axis] = 0;
                }
                for (int axis = 0; axis < job.ndim - 1; ++axis) *out++ = place[axis];
                *out++ = flat - row;
            }
        }
    }
}

ParallelBody selecting(int64_t itemsize) {
    switch (itemsize) {
        case 1: return select_blocks<uint8_t>;
        case 2: return select_blocks<uint16_t>;
        case 4: return select_blocks<uint32_t>;
        case 8: return select_blocks<uint64_t>;
        case 16: return select_blocks<Wide>;
    }
    return nullptr;
}

ParallelBody depositing(int64_t itemsize) {
    switch (itemsize) {
        case 1: return deposit_blocks<uint8_t>;
        case 2: return deposit_blocks<uint16_t>;
        case 4: return deposit_blocks<uint32_t>;
        case 8: return deposit_blocks<uint64_t>;
        case 16: return deposit_blocks<Wide>;
    }
    return nullptr;
}

}  // namespace

// How many of n booleans are true; `starts` gets that number before each block, and at the end.
int64_t count_true(Frame *frame, const void *mask, int64_t n, int64_t *starts) {
    Counting job{static_cast<const uint8_t *>(mask), n, starts};
    int64_t blocks = blocks_in(n), total = 0;
    parallel(frame, count_blocks, &job, blocks, n / 8);
    for (int64_t block = 0; block < blocks; ++block) {
        int64_t count = starts[block];
        starts[block] = total;
        total += count;
    }
    starts[blocks] = total;
    return total;
}

// The elements of `source` at the places where the mask is true, for which `out` has room.
int32_t select_true(Frame *frame, const void *mask, int64_t n, const int64_t *starts,
                    const void *source, int64_t stride, int64_t itemsize, void *out) {
    ParallelBody body = selecting(itemsize);
    if (body == nullptr) return FAILED;
    Filling job{static_cast<const uint8_t *>(mask), n, starts, static_cast<const char *>(source),
                stride, static_cast<char *>(out), 1, nullptr};
    parallel(frame, body, &job, blocks_in(n), n);
    return OK;
}

// Elements of `source`, one after the other, to the places of `out` where the mask is true.
int32_t deposit_true(Frame *frame, const void *mask, int64_t n, const int64_t *starts,
                     const void *source, int64_t step, int64_t itemsize, void *out, int64_t stride) {
    ParallelBody body = depositing(itemsize);
    if (body == nullptr) return FAILED;
    Depositing job{static_cast<const uint8_t *>(mask), n, starts, static_cast<const char *>(source),
                   step, static_cast<char *>(out), stride};
    parallel(frame, body, &job, blocks_in(n), n);
    return OK;
}

// The positions at which the mask is true, `ndim` numbers for each.
int32_t positions_true(Frame *frame, const void *mask, int64_t n, const int64_t *starts,
                       int32_t ndim, const int64_t *shape, void *out) {
    if (ndim < 1 || ndim > MAX_DIMS) return FAILED;
    if (n == 0) return OK;
    Filling job{static_cast<const uint8_t *>(mask), n, starts, nullptr, 0,
                static_cast<char *>(out), ndim, shape};
    parallel(frame, ndim == 1 ? place_blocks : position_blocks, &job, blocks_in(n), n);
    return OK;
}
