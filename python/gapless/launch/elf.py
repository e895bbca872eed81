"""What can be told about a program or a library file without running it."""

from __future__ import annotations

import mmap
import os
import stat
import struct
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 4, 5, 6, 14, 15, 29
DT_GNU_HASH = 0x6FFFFEF5
SHN_UNDEF = 0


@dataclass(frozen=True)
class Elf:
    """A 64-bit little-endian ELF file: what the dynamic loader reads of it.

    `symbols` are the names that it defines; they are read only if asked for (`read_elf(path, symbols=True)`).
    """

    machine: int
    interpreter: bool
    needed: tuple[str, ...] = ()
    soname: str = ""
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()
    symbols: frozenset[str] = field(default=frozenset(), repr=False)


class _Image:
    """The bytes of a file, addressed as the loader would map them."""

    def __init__(self, data: mmap.mmap):
        self.data = data
        offset = struct.unpack_from("<Q", data, 32)[0]
        size, count = struct.unpack_from("<HH", data, 54)
        # p_type, p_flags, p_offset, p_vaddr, p_paddr, p_filesz
        self.headers = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]

    def offset(self, address: int) -> int:
        for kind, _, offset, start, _, size in self.headers:
            if kind == PT_LOAD and start <= address < start + size:
                return offset + address - start
        raise ValueError(f"address {address:#x} is not in the file")

    def text(self, offset: int) -> str:
        end = self.data.find(b"\0", offset)
        if end < 0:
            raise ValueError("a text without an end")
        return self.data[offset:end].decode("utf-8", "replace")

    def dynamic(self) -> list[tuple[int, int]]:
        entries = []
        for kind, _, offset, _, _, size in self.headers:
            if kind == PT_DYNAMIC:
                for i in range(offset, offset + size - 15, 16):
                    tag, value = struct.unpack_from("<qQ", self.data, i)
                    if tag == 0:
                        break
                    entries.append((tag, value))
        return entries

    def symbol_count(self, tags: dict[int, int]) -> int:
        """Count the dynamic symbols: no table says how many there are, but each of the two hashes knows the last."""
        if DT_HASH in tags:
            return int(struct.unpack_from("<I", self.data, self.offset(tags[DT_HASH]) + 4)[0])
        if DT_GNU_HASH not in tags:
            return 0
        start = self.offset(tags[DT_GNU_HASH])
        buckets, first, bloom, _ = struct.unpack_from("<IIII", self.data, start)
        start += 16 + 8 * bloom
        last = max(struct.unpack_from(f"<{buckets}I", self.data, start), default=0)
        if last < first:
            return int(first)
        # A chain ends where the lowest bit is set.
        while not struct.unpack_from("<I", self.data, start + 4 * (buckets + last - first))[0] & 1:
            last += 1
        return int(last) + 1

    def defined(self, tags: dict[int, int]) -> frozenset[str]:
        if DT_SYMTAB not in tags or DT_STRTAB not in tags:
            return frozenset()
        table, strings = self.offset(tags[DT_SYMTAB]), self.offset(tags[DT_STRTAB])
        rows = struct.iter_unpack("<IBBHQQ", self.data[table : table + 24 * self.symbol_count(tags)])
        return frozenset(self.text(strings + name) for name, _, _, section, _, _ in rows if section != SHN_UNDEF)


def _parse(data: mmap.mmap, symbols: bool) -> Elf:
    image = _Image(data)
    dynamic = image.dynamic()
    tags = dict(dynamic)
    strings = image.offset(tags[DT_STRTAB]) if DT_STRTAB in tags else 0

    def texts(tag: int) -> tuple[str, ...]:
        return tuple(image.text(strings + value) for found, value in dynamic if found == tag)

    def folders(tag: int) -> tuple[str, ...]:
        return tuple(folder for text in texts(tag) for folder in text.split(":") if folder)

    return Elf(
        machine=struct.unpack_from("<H", data, 18)[0],
        interpreter=any(header[0] == PT_INTERP for header in image.headers),
        needed=texts(DT_NEEDED),
        soname="".join(texts(DT_SONAME)),
        rpath=folders(DT_RPATH),
        runpath=folders(DT_RUNPATH),
        symbols=image.defined(tags) if symbols else frozenset(),
    )


@lru_cache(maxsize=256)
def read_elf(path: Path, symbols: bool = False) -> Elf | None:
    """Read a program or a library; None if it is no 64-bit little-endian ELF file, or a broken one.

    Parameters
    ----------
    path : Path
        The file.
    symbols : bool
        Whether to read the names that it defines too (milliseconds for an MPI library).
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[:6] != b"\x7fELF\x02\x01":
                return None
            return _parse(data, symbols)
    except (OSError, ValueError, OverflowError, struct.error):
        return None


def is_static(program: Path) -> bool:
    """Say whether a program is an ELF file without an interpreter: nothing can be preloaded into it.

    Parameters
    ----------
    program : Path
        The program's file; anything that is not ELF (a script) counts as not static.
    """
    elf = read_elf(program)
    return elf is not None and not elf.interpreter


def runs_privileged(program: Path) -> bool:
    """Say whether a program is setuid, setgid, or carries file capabilities: the loader then ignores LD_PRELOAD."""
    try:
        if program.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
            return True
        return "security.capability" in os.listxattr(program)
    except OSError:
        return False
