"""The named types, as docs/notation.md lists them; `two_int` is the pair type `2int`."""

from __future__ import annotations

from gapless.datatype import Datatype

byte = Datatype("byte")
char = Datatype("char")
packed = Datatype("packed")
bool = Datatype("bool")
wchar = Datatype("wchar")
int8 = Datatype("int8")
int16 = Datatype("int16")
int32 = Datatype("int32")
int64 = Datatype("int64")
uint8 = Datatype("uint8")
uint16 = Datatype("uint16")
uint32 = Datatype("uint32")
uint64 = Datatype("uint64")
float = Datatype("float")
double = Datatype("double")
long_double = Datatype("long_double")
float_complex = Datatype("float_complex")
double_complex = Datatype("double_complex")
long_double_complex = Datatype("long_double_complex")
aint = Datatype("aint")
two_int = Datatype("2int")
short_int = Datatype("short_int")
long_int = Datatype("long_int")
float_int = Datatype("float_int")
double_int = Datatype("double_int")
long_double_int = Datatype("long_double_int")
