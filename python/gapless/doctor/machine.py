"""What this machine offers the layer: instruction sets, shared memory, and reading another process's memory."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from gapless.engine import explain_type
from gapless.errors import GaplessError
from gapless.launch.processor import cpu_model

SHARED_MEMORY = Path("/dev/shm")
# What a container gets if nobody asks for more; a handful of ranks uses that up before the first message.
SMALL_SHARED_BYTES = 64 << 20
INSTRUCTION_SETS = {
    "avx2": {"avx2", "bmi2"},
    "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
    "neon": {"asimd"},
    "sve": {"sve"},
}


@dataclass(frozen=True)
class Check:
    """Whether a facility works (None: it could not be tried), why not, and what can be done about it."""

    works: bool | None
    reason: str = ""
    todo: str = ""


def cpu_flags() -> set[str]:
    """Return the features of the first processor, in the kernel's words."""
    with contextlib.suppress(OSError):
        for row in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = row.partition(":")
            if name.strip() in ("flags", "Features"):
                return set(value.split())
    return set()


def used_instruction_set() -> str | None:
    """Return the instruction set whose kernels are in force here, as the engine says: GAPLESS_ISA counts.

    None: there is no engine to ask, because GAPLESS_LIBDIR has only the layer.
    """
    try:
        return str(explain_type("byte")["isa"])
    except GaplessError:
        return None


def instruction_sets() -> dict[str, object]:
    """Return which of the instruction sets that matter to pack kernels the processor has, and which one is used."""
    flags = cpu_flags()
    has = [name for name, needed in INSTRUCTION_SETS.items() if needed <= flags]
    return {
        "cpu": cpu_model(),
        "machine": platform.machine(),
        "has": ["baseline", *has],
        "used": used_instruction_set(),
    }


def shared_memory(folder: Path = SHARED_MEMORY) -> tuple[Check, int, int]:
    """Try shared memory, and return how it went, its size, and what is free, in bytes.

    Parameters
    ----------
    folder : Path
        Where POSIX shared memory lies.
    """
    remedy = f"mount a tmpfs on {folder}; in a container, 'docker run --shm-size=1g' or '--ipc=host'"
    try:
        state = os.statvfs(folder)
        size, free = state.f_blocks * state.f_frsize, state.f_bavail * state.f_frsize
        with tempfile.TemporaryFile(prefix="gapless-doctor-", dir=folder) as file:
            file.truncate(mmap.PAGESIZE)
            # Reserved, because a page for which there is no room would end us with SIGBUS when it is touched.
            os.posix_fallocate(file.fileno(), 0, mmap.PAGESIZE)
            with mmap.mmap(file.fileno(), mmap.PAGESIZE) as page:
                page[0:7] = b"gapless"
            file.seek(0)
            if file.read(7) != b"gapless":
                return Check(False, f"{folder} does not keep what is written", remedy), size, free
    except OSError as error:
        return Check(False, f"{folder}: {error.strerror}", remedy), 0, 0
    if free <= SMALL_SHARED_BYTES:
        small = f"only {free >> 20} MiB are free in {folder}"
        return Check(True, small, f"{small}, which a few ranks use up: {remedy}"), size, free
    return Check(True), size, free


OWNER = """
import ctypes, os, sys
data = ctypes.create_string_buffer(b"gapless")
print(os.getpid(), ctypes.addressof(data), flush=True)
sys.stdin.read()
"""
READER = """
import ctypes, os, sys
class Range(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]
libc = ctypes.CDLL(None, use_errno=True)
read = libc.process_vm_readv
read.restype = ctypes.c_ssize_t
ranges = ctypes.POINTER(Range), ctypes.c_ulong
read.argtypes = [ctypes.c_int, *ranges, *ranges, ctypes.c_ulong]
data = ctypes.create_string_buffer(7)
there, here = Range(int(sys.argv[2]), 7), Range(ctypes.addressof(data), 7)
got = read(int(sys.argv[1]), ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
print("right" if data.raw == b"gapless" else os.strerror(ctypes.get_errno()) if got < 0 else "wrong data")
"""


def cross_memory_attach() -> Check:
    """Let one child read another's memory with process_vm_readv, as two ranks of one node would."""
    if not hasattr(ctypes.CDLL(None), "process_vm_readv"):
        return Check(False, "this system has no process_vm_readv", "nothing: the layer goes through shared memory")
    python = [sys.executable, "-I", "-c"]
    try:
        with subprocess.Popen(
            [*python, OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as owner:
            try:
                assert owner.stdout is not None
                where = owner.stdout.readline().split()
                answer = subprocess.run(
                    [*python, READER, *where], capture_output=True, text=True, timeout=20, check=False
                )
            finally:
                owner.kill()
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(None, f"could not be tried ({error})", "")
    said = answer.stdout.strip()
    if said == "right":
        return Check(True)
    return Check(False, f"process_vm_readv: {said or 'it crashed'}", attach_remedy())


def ptrace_scope() -> int | None:
    """Return Yama's ptrace scope: 0 lets processes of one user read each other. None: there is no Yama."""
    try:
        return int(Path("/proc/sys/kernel/yama/ptrace_scope").read_text())
    except (OSError, ValueError):
        return None


def seccomp_mode() -> int | None:
    """Return the seccomp mode of this process: 2 means that a filter decides which system calls work."""
    with contextlib.suppress(OSError, ValueError):
        for row in Path("/proc/self/status").read_text().splitlines():
            if row.startswith("Seccomp:"):
                return int(row.split()[1])
    return None


def attach_remedy() -> str:
    """Return what to do where process_vm_readv is refused."""
    if ptrace_scope():
        return "'sysctl kernel.yama.ptrace_scope=0' as root (and 'docker run --cap-add=SYS_PTRACE' in a container)"
    if seccomp_mode():
        return "a seccomp filter is on: start the container with 'docker run --cap-add=SYS_PTRACE'"
    return "let the ranks run as one user in one container, with the capability SYS_PTRACE"
