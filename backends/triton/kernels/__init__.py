"""The source of kernels in Triton: from kernels of the loop IR to text."""
