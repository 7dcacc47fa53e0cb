"""Code generation for the CPU through LLVM: `backend.compile_graph`."""
