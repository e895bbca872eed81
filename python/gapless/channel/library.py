"""libgapless_fabric in this process: where it is, its functions, and its errors as exceptions."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from gapless.errors import GaplessError
from gapless.paths import INSTALLED, build_folder, uses_installed

NAME = "libgapless_fabric.so"
SONAME = f"{NAME}.0"

# GAPLESS_Channel_status
SUCCESS, TIMEOUT, PEER, TRUNCATED, SECRET, FABRIC = 0, 16, 17, 18, 19, 20
_REMEDIES = {
    TRUNCATED: "receive into memory for as many bytes as are sent, or more",
    FABRIC: "see which providers libfabric has here: fi_info -l",
}


class Options(ctypes.Structure):
    """GAPLESS_Channel_options."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("rank", ctypes.c_int),
        ("processes", ctypes.c_int),
        ("meeting", ctypes.c_char_p),
        ("secret", ctypes.c_char_p),
        ("provider", ctypes.c_char_p),
        ("address", ctypes.c_char_p),
        ("domain", ctypes.c_char_p),
        ("way", ctypes.c_char_p),
        ("timeout_s", ctypes.c_double),
    ]


def _places() -> list[Path]:
    """Return where the library is looked for before the loader is asked, the best place first."""
    libdir = os.environ.get("GAPLESS_LIBDIR")
    return [
        *([Path(libdir) / NAME] if libdir else []),
        INSTALLED / NAME if uses_installed() else build_folder() / "src" / NAME,
    ]


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep what signals do: libinfinipath, which libfabric loads, has SIGINT and others end the process."""
    sigaction = ctypes.CDLL(None).sigaction
    # More than a struct sigaction takes.
    now = {number: ctypes.create_string_buffer(1024) for number in signal.valid_signals() if number < 32}
    known = [number for number, action in now.items() if sigaction(number, None, action) == 0]
    try:
        yield
    finally:
        for number in known:
            sigaction(number, now[number], None)


def _load() -> ctypes.CDLL:
    named = os.environ.get("GAPLESS_FABRIC_LIBRARY")
    found = named or next((str(path) for path in _places() if path.is_file()), SONAME)
    try:
        with _signals_kept():
            return ctypes.CDLL(found)
    except OSError as error:
        if named:
            raise GaplessError(
                f"GAPLESS_FABRIC_LIBRARY={named} cannot be loaded ({error})", "correct it, or unset it"
            ) from None
        if found != SONAME:
            raise GaplessError(
                f"{found} cannot be loaded ({error})",
                "install libfabric and libsodium, and build again",
            ) from None
        raise GaplessError(
            f"there is no {NAME} in {_places()[-1].parent}, and the loader finds no {SONAME}",
            "install libfabric and libsodium (Debian: apt install libfabric-dev libsodium-dev), 'make build', or "
            "name the library with GAPLESS_FABRIC_LIBRARY",
        ) from None


@cache
def fabric() -> ctypes.CDLL:
    """Return the library, with the types of its functions, and of those of the libgapless that it is linked with.

    Raises
    ------
    GaplessError
        If it is not there, or its libfabric is not.
    """
    loaded = _load()
    integer, number, handle, text = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p
    place = ctypes.POINTER(ctypes.c_void_p)
    # What is asked of a library's handle is looked for in the libraries that it needs, too.
    functions: dict[str, tuple[Any, list[Any]]] = {
        "GAPLESS_Channel_last_error": (text, []),
        "GAPLESS_Channel_open": (integer, [ctypes.POINTER(Options), place]),
        "GAPLESS_Channel_send": (integer, [handle, handle, number, handle, integer, place]),
        "GAPLESS_Channel_receive": (integer, [handle, handle, number, handle, integer, place]),
        "GAPLESS_Channel_wait": (integer, [handle, place, ctypes.c_double, ctypes.POINTER(number)]),
        "GAPLESS_Channel_forget": (integer, [handle, handle, number]),
        "GAPLESS_Channel_close": (integer, [place]),
        "GAPLESS_Channel_count": (integer, [handle, handle, ctypes.c_size_t]),
        "GAPLESS_Channel_provider": (text, [handle]),
        "gapless_last_error": (text, []),
        "gapless_type_deserialise": (integer, [text, ctypes.c_size_t, place]),
        "gapless_type_free": (integer, [place]),
    }
    try:
        for name, (result, arguments) in functions.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise GaplessError(f"{loaded._name} is another version's ({error})", "build and install both again") from None
    return loaded


def exception(status: int) -> Exception:
    """Return what is to be raised for the status that this thread's last call returned.

    Parameters
    ----------
    status : int
        Not 0.
    """
    text = fabric().GAPLESS_Channel_last_error().decode("utf-8", "replace")
    if status == TIMEOUT:
        return TimeoutError(text)
    if status == PEER:
        return ConnectionError(text)
    if status == SECRET:
        return PermissionError(text)
    return GaplessError(text, _REMEDIES.get(status, "see the arguments of the call, and gapless_channel.h"))


def check(status: int) -> None:
    """Raise what a status other than 0 stands for."""
    if status != SUCCESS:
        raise exception(status)
