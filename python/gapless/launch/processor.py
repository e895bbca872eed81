"""The processor of this machine, by name: what is measured on it holds for its like."""

from __future__ import annotations

import platform
from pathlib import Path


def cpu_model() -> str:
    """Return the processor's name."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    for row in text.splitlines():
        name, _, value = row.partition(":")
        if name.strip() in ("model name", "Model"):
            return value.strip()
    return platform.processor() or platform.machine()
