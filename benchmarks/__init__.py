"""Figures of dynamo_lite: ratios, medians of interleaved runs. `python -m benchmarks`."""
