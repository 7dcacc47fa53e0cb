"""The loop IR: kernels, expressions over axes, and what a program of them means."""
