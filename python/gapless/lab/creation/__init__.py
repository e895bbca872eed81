"""What it costs to make a type, and from how many uses on it pays: `gapless measure creation`."""
