"""Figures of dynamo_lite: ratios, medians of interleaved runs in one process. `python -m benchmarks`."""
