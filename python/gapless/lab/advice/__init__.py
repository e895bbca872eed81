"""Which way to send a datatype is the fastest on a library, and the lines to write: `gapless advise`."""
