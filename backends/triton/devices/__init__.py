"""What plans run on: GPUs through CuPy, for NumPy arrays too, and Triton's interpreter."""
