"""Every way to send what a vector describes, by size: `gapless measure schemes`."""
