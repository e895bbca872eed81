"""Programs under the layer: how launchers pass it on, which libraries programs load, and what ranks tell of a run."""
