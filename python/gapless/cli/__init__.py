"""The `gapless` command: what the shell sees of it, one file a command; it calls the other rooms, none calls it."""
