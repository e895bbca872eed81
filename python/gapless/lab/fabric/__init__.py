"""Layouts between nodes by libfabric, each way and the adaptive choice: `gapless measure fabric`."""
