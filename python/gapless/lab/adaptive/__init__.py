"""The layer's ways between two processes of a node, and its choice among them: `gapless measure adaptive`."""
