"""The lines of C and Fortran that send a datatype, in each of the ways that a program has."""
