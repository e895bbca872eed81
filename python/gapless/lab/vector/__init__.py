"""Blocks of a vector: length, number and reuse: `gapless measure vector`."""
