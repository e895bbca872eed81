// What trampolines_test.c calls and trampolines_library.c is called with: procedures of MPI's names, but with arguments
// in every register that can hold one, and on the stack.
#pragma once

typedef double Vector __attribute__((vector_size(16)));

#define ARGUMENTS                                                                                                     \
  long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, Vector v0, Vector v1, Vector v2, Vector v3, \
      Vector v4, Vector v5, Vector v6, Vector v7, long s0, long s1, Vector s2, long s3

// Where the result is a register's: its address is an argument, on AArch64 in a register of its own.
typedef struct {
  long words[8];
  Vector vectors[8];
  long on_stack[3];
  Vector vector_on_stack;
} Seen;

typedef Seen Procedure(ARGUMENTS);
