"""`gapless doctor`: whether the layer works here, told by running it, and what this machine offers it."""
