"""The engine's C interface (include/gapless/gapless.h), as far as Python needs it."""

from __future__ import annotations

import ctypes
import json
from typing import Any

from gapless.errors import GaplessError
from gapless.paths import engine_library, is_installed

FIRST_CAPACITY = 1 << 16


class TypeTextError(Exception):
    """A text that is no type; its own text says why and shows the place, on several lines."""


def _library() -> ctypes.CDLL:
    path = engine_library()
    try:
        library = ctypes.CDLL(str(path))
        _ = library.gapless_type_explain, library.gapless_type_parse
    except (OSError, AttributeError) as error:
        raise GaplessError(f"{path} cannot be used ({error})", "build it again with 'make build'") from None
    library.gapless_last_error.restype = ctypes.c_char_p
    library.gapless_type_explain.argtypes = [
        ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t),
    ]  # fmt: skip
    return library


def explain_type(text: str, count: int = 1) -> dict[str, Any]:
    """Return what the engine makes of a message; docs/notation.md lists the fields.

    Parameters
    ----------
    text : str
        The type, in the notation of docs/notation.md.
    count : int
        How many of it, one extent apart.
    """
    if is_installed():  # by pip: the extension has the engine, and there is no library beside it
        from gapless.datatype import Datatype

        try:
            return Datatype(text).explain(count)
        except (ValueError, OverflowError) as error:
            raise TypeTextError(str(error)) from None
    library = _library()

    def check(status: int) -> None:
        if status != 0:
            raise TypeTextError(library.gapless_last_error().decode("utf-8", "replace"))

    if "\0" in text:
        raise TypeTextError("a type holds no NUL characters")
    handle, needed, capacity = ctypes.c_void_p(), ctypes.c_size_t(), FIRST_CAPACITY
    check(library.gapless_type_parse(text.encode("utf-8", "surrogateescape"), ctypes.byref(handle)))
    try:
        while True:
            buffer = ctypes.create_string_buffer(capacity)
            check(library.gapless_type_explain(handle, count, buffer, capacity, ctypes.byref(needed)))
            if needed.value <= capacity:
                return json.loads(buffer.value)
            capacity = needed.value
    finally:
        library.gapless_type_free(ctypes.byref(handle))
