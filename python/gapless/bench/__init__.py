"""The benchmarks: what each launches, what must come of it, and its tables."""
