"""Code generation for the CPU through LLVM."""
