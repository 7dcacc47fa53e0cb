"""One LLVM function per kernel: loop nests, reductions, memory."""
