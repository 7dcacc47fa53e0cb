"""Writing LLVM's text: registers, vectors, masks, numbers."""
