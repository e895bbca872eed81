"""The README's example of Python as a program, for type checkers: `make lint` runs mypy over it."""

import gapless, numpy  # noqa: E401, I001

matrix = numpy.arange(12.0).reshape(3, 4)
column = gapless.vector(3, 1, 4, "double")
numpy.frombuffer(column.pack(matrix, offset=8)).tolist()
column == gapless.Datatype("hvector(3, 1, 32, double)")  # noqa: B015
