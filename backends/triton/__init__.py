"""Code generation for GPUs through Triton."""
