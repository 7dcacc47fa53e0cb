"""Code generation for GPUs through Triton: `backend.compile_graph`."""
