"""From graph to schedule: what gets memory, which kernels are one, in which order they run."""
