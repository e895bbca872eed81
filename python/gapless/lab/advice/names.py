"""What MPI and each language call the named types of the notation: MPI's handle, and the type of an element."""

from __future__ import annotations

Names = dict[str, tuple[str, str]]

# No element of its own: messages of these are moved as bytes.
PAIRS = {
    "2int": "MPI_2INT", "short_int": "MPI_SHORT_INT", "long_int": "MPI_LONG_INT", "float_int": "MPI_FLOAT_INT",
    "double_int": "MPI_DOUBLE_INT", "long_double_int": "MPI_LONG_DOUBLE_INT",
}  # fmt: skip
BYTES = "byte"

IN_C: Names = {
    "byte": ("MPI_BYTE", "char"),
    "char": ("MPI_CHAR", "char"),
    "packed": ("MPI_PACKED", "char"),
    "bool": ("MPI_C_BOOL", "_Bool"),
    "wchar": ("MPI_WCHAR", "wchar_t"),
    "int8": ("MPI_INT8_T", "int8_t"),
    "int16": ("MPI_INT16_T", "int16_t"),
    "int32": ("MPI_INT", "int"),
    "int64": ("MPI_INT64_T", "int64_t"),
    "uint8": ("MPI_UINT8_T", "uint8_t"),
    "uint16": ("MPI_UINT16_T", "uint16_t"),
    "uint32": ("MPI_UINT32_T", "uint32_t"),
    "uint64": ("MPI_UINT64_T", "uint64_t"),
    "float": ("MPI_FLOAT", "float"),
    "double": ("MPI_DOUBLE", "double"),
    "long_double": ("MPI_LONG_DOUBLE", "long double"),
    "float_complex": ("MPI_C_FLOAT_COMPLEX", "float _Complex"),
    "double_complex": ("MPI_C_DOUBLE_COMPLEX", "double _Complex"),
    "long_double_complex": ("MPI_C_LONG_DOUBLE_COMPLEX", "long double _Complex"),
    "aint": ("MPI_AINT", "MPI_Aint"),
}

# C's handles stand for what Fortran has no type of its own for.
IN_FORTRAN: Names = {
    "byte": ("MPI_BYTE", "integer(c_int8_t)"),
    "char": ("MPI_CHARACTER", "character"),
    "packed": ("MPI_PACKED", "character"),
    "bool": ("MPI_C_BOOL", "logical(c_bool)"),
    "wchar": ("MPI_WCHAR", "integer(c_int32_t)"),
    "int8": ("MPI_INT8_T", "integer(c_int8_t)"),
    "int16": ("MPI_INT16_T", "integer(c_int16_t)"),
    "int32": ("MPI_INTEGER", "integer"),
    "int64": ("MPI_INT64_T", "integer(c_int64_t)"),
    "uint8": ("MPI_UINT8_T", "integer(c_int8_t)"),
    "uint16": ("MPI_UINT16_T", "integer(c_int16_t)"),
    "uint32": ("MPI_UINT32_T", "integer(c_int32_t)"),
    "uint64": ("MPI_UINT64_T", "integer(c_int64_t)"),
    "float": ("MPI_REAL", "real"),
    "double": ("MPI_DOUBLE_PRECISION", "double precision"),
    "long_double": ("MPI_LONG_DOUBLE", "real(c_long_double)"),
    "float_complex": ("MPI_COMPLEX", "complex"),
    "double_complex": ("MPI_DOUBLE_COMPLEX", "complex(c_double_complex)"),
    "long_double_complex": ("MPI_C_LONG_DOUBLE_COMPLEX", "complex(c_long_double_complex)"),
    "aint": ("MPI_AINT", "integer(MPI_ADDRESS_KIND)"),
}
