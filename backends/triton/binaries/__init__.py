"""Kernels as machine code: from disk or compiled, in processes beside this one, and launched."""
