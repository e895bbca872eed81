"""`gapless bench programs`: programs that nobody here wrote, without and under the layer, one file for each package."""
