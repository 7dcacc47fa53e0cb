// Scratch memory: gone when the call ends. Small blocks come from an arena that the thread keeps;
// a nested call, which finds the arena taken, and large blocks use the C allocator.
#include "runtime.h"

#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace {

constexpr int64_t ALIGNMENT = 64;
constexpr int64_t ARENA_BYTES = 256 << 10;
constexpr int64_t HUGE_PAGE_BYTES = 4 << 20;  // from here on ask for huge pages, as NumPy does

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

void *chained_block(Call *call, int64_t nbytes) {
    if (nbytes > INT64_MAX - ALIGNMENT) return nullptr;
    void *memory = aligned_block(nbytes + ALIGNMENT);
    if (memory == nullptr) return nullptr;
    auto *block = static_cast<ScratchBlock *>(memory);
    block->next = call->blocks;
    call->blocks = block;
    return static_cast<char *>(memory) + ALIGNMENT;
}

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

void release_scratch(Call *call) {
    for (ScratchBlock *block = call->blocks; block != nullptr;) {
        ScratchBlock *next = block->next;
        std::free(block);
        block = next;
    }
    call->blocks = nullptr;
    if (call->owns_arena) arena.taken = call->owns_arena = false;
}
