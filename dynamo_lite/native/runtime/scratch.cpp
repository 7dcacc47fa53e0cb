// Scratch memory: gone when the call ends. Small blocks come from an arena that the thread keeps.
// Large ones, those of a nested call, which finds the arena taken, and the memory of large results
// are kept for later calls: memory that the system has just handed out costs a page fault every 4 KB.
#include "base/core.h"
#include "base/spans.h"
#include "runtime/runtime.h"

#include <cstdlib>
#include <ctime>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace {

constexpr int64_t ALIGNMENT = 64;
constexpr int64_t ARENA_BYTES = 256 << 10;
constexpr int64_t HUGE_PAGE_BYTES = 4 << 20;  // from here on ask for huge pages, as NumPy does
constexpr int64_t KEPT_BYTES = 64 << 20;      // idle blocks may take this much together
constexpr int64_t KEPT_SECONDS = 10;          // and are given back when unused for so long
constexpr int64_t KEPT_BLOCKS = 256;          // which are looked through one by one
constexpr int64_t WASTE = 2;                  // a block serves scratch down to a half of its size

struct Arena {
    char *memory = nullptr;
    int64_t used = 0;
    bool taken = false;
    ~Arena() {
        std::free(memory);
        memory = nullptr;
        taken = true;  // a call made while the thread ends uses the C allocator
    }
};

thread_local Arena arena;

void *aligned_block(int64_t nbytes) {
    void *memory = nullptr;
    if (posix_memalign(&memory, ALIGNMENT, static_cast<size_t>(nbytes)) != 0) return nullptr;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (nbytes >= HUGE_PAGE_BYTES) {
        uintptr_t page = 4096, start = (reinterpret_cast<uintptr_t>(memory) + page - 1) & ~(page - 1);
        uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + nbytes) & ~(page - 1);
        madvise(reinterpret_cast<void *>(start), end - start, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

bool take_arena(Call *call) {
    if (call->owns_arena) return true;
    if (arena.taken) return false;
    if (arena.memory == nullptr) {
        arena.memory = static_cast<char *>(aligned_block(ARENA_BYTES));
        if (arena.memory == nullptr) return false;
    }
    arena.used = 0;
    return arena.taken = call->owns_arena = true;
}

// The idle blocks, the latest first. Only threads that hold the GIL come here.
struct IdleBlocks {
    ScratchBlock *first = nullptr;
    int64_t nbytes = 0;

    ScratchBlock *unlink(ScratchBlock **place) {
        ScratchBlock *block = *place;
        *place = block->next;
        nbytes -= block->nbytes;
        return block;
    }

    // The smallest block of `wanted` to `most` bytes; null when there is none.
    ScratchBlock *take(int64_t wanted, int64_t most) {
        ScratchBlock **best = nullptr;
        for (ScratchBlock **place = &first; *place != nullptr; place = &(*place)->next) {
            int64_t size = (*place)->nbytes;
            bool fits = size >= wanted && size <= most;
            if (fits && (best == nullptr || size < (*best)->nbytes)) best = place;
        }
        return best != nullptr ? unlink(best) : nullptr;
    }

    void put(ScratchBlock *block, int64_t now) {
        block->idle_since = now;
        block->next = first;
        first = block;
        nbytes += block->nbytes;
    }

    // Frees the blocks behind the first `limit` bytes, and those that were idle before `since`.
    void trim(int64_t limit, int64_t since) {
        int64_t kept = 0, count = 0;
        for (ScratchBlock **place = &first; *place != nullptr;) {
            kept += (*place)->nbytes;
            if (kept <= limit && count < KEPT_BLOCKS && (*place)->idle_since >= since) {
                place = &(*place)->next;
                ++count;
            } else {
                kept -= (*place)->nbytes;
                std::free(unlink(place));
            }
        }
    }
} idle;

int64_t coarse_seconds() {
    timespec time = {};
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#else
    clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    return time.tv_sec;
}

// Sizes come in four steps from each power of two to the next, so that a result that grows a little
// from call to call finds the memory of earlier ones. What a block has to spare is never touched.
int64_t rounded(int64_t nbytes) {
    if (nbytes < 4 || nbytes > KEPT_BYTES) return nbytes;
    int64_t step = int64_t{1} << (61 - __builtin_clzll(nbytes));
    return (nbytes + step - 1) / step * step;
}

// A block whose memory has between `nbytes` and `most` bytes, which is after the header.
ScratchBlock *block_of(int64_t nbytes, int64_t most) {
    if (nbytes > INT64_MAX - ALIGNMENT) return nullptr;
    if (ScratchBlock *block = idle.take(nbytes + ALIGNMENT, most + ALIGNMENT)) return block;
    int64_t size = rounded(nbytes) + ALIGNMENT;
    auto *block = static_cast<ScratchBlock *>(aligned_block(size));
    if (block != nullptr) block->nbytes = size;
    return block;
}

char *memory_of(ScratchBlock *block) { return reinterpret_cast<char *>(block) + ALIGNMENT; }

void *chained_block(Call *call, int64_t nbytes) {
    Span span(Spent::ALLOCATION);
    int64_t most = nbytes <= INT64_MAX / WASTE - ALIGNMENT ? WASTE * nbytes : nbytes;
    ScratchBlock *block = block_of(nbytes, most);
    if (block == nullptr) return nullptr;
    block->next = call->blocks;
    call->blocks = block;
    return memory_of(block);
}

PyObject *free_scratch(PyObject *, PyObject *) {
    int64_t nbytes = idle.nbytes;
    idle.trim(0, 0);
    return PyLong_FromLongLong(nbytes);
}

PyMethodDef scratch_functions[] = {
    {"free_scratch", free_scratch, METH_NOARGS,
     "Give back the scratch memory that is kept for later calls; how many bytes that was."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void *scratch(Frame *frame, int64_t nbytes) {
    if (nbytes < 0) return nullptr;
    Call *call = call_of(frame);
    if (nbytes <= ARENA_BYTES && take_arena(call)) {
        int64_t size = (nbytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
        if (size <= ARENA_BYTES - arena.used) {
            void *memory = arena.memory + arena.used;
            arena.used += size;
            return memory;
        }
    }
    return chained_block(call, nbytes);
}

void release_blocks(Call *call) {
    int64_t now = coarse_seconds();
    while (ScratchBlock *block = call->blocks) {
        call->blocks = block->next;
        idle.put(block, now);
    }
    idle.trim(KEPT_BYTES, now - KEPT_SECONDS);
}

void *result_memory(int64_t nbytes) {
    ScratchBlock *block = block_of(nbytes, rounded(nbytes));
    return block != nullptr ? memory_of(block) : nullptr;
}

int64_t room_of(void *memory) {
    return reinterpret_cast<ScratchBlock *>(static_cast<char *>(memory) - ALIGNMENT)->nbytes - ALIGNMENT;
}

void release_result(void *memory) {
    int64_t now = coarse_seconds();
    idle.put(reinterpret_cast<ScratchBlock *>(static_cast<char *>(memory) - ALIGNMENT), now);
    idle.trim(KEPT_BYTES, now - KEPT_SECONDS);
}

void release_arena() { arena.taken = false; }

int add_scratch(PyObject *module) { return PyModule_AddFunctions(module, scratch_functions); }
