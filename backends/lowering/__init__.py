"""From a graph to a program of fused kernels: `lower.lower`."""
