// MPI_X and PMPI_X of the wrapped procedures that came with MPI 3.0 (or before), 4.0 or 4.1 (GAPLESS_LEVEL: 30, 40,
// 41), for a program that is linked with a static MPI library. There is an object for each version, and a program takes
// only those whose procedures it names: so every function of the library that one refers to is there.
//
// MPI_X is weak: a tool in the program may define its own. PMPI_X is the library's and cannot be defined twice; the
// linker's --wrap=PMPI_X leads it here as __wrap_PMPI_X, and __real_PMPI_X to the library (static_unwrapped.S:
// without).
#include "preload/interpose/since.inc"
#include "preload/interpose/trampolines.inc"

        .text
#define GAPLESS_OTHER(name)
#define GAPLESS_EACH(name) TRAMPOLINE(.weak, MPI_##name) \
                           .hidden __wrap_PMPI_##name ; TRAMPOLINE(.globl, __wrap_PMPI_##name)
#include "mpi/abi/procedures.def"
#undef GAPLESS_EACH

#define GAPLESS_EACH(name) STUB(MPI_##name) STUB(__wrap_PMPI_##name)
#include "mpi/abi/procedures.def"
#undef GAPLESS_EACH

        .data
        .p2align 6
#define GAPLESS_EACH(name) SLOT(MPI_##name) SLOT(__wrap_PMPI_##name)
#include "mpi/abi/procedures.def"
#undef GAPLESS_EACH

// What front_static.cpp knows of them: its StaticProcedure, the number being that of preload/procedures.hpp.
        .section gapless_static_table, "aw", @progbits
        .p2align 3
        .set    number, 0
#undef GAPLESS_OTHER
#define GAPLESS_OTHER(name) .set number, number + 1 ;
#define GAPLESS_EACH(name)                                   \
        .quad   number, slot_MPI_##name, slot___wrap_PMPI_##name ;\
        .quad   __real_PMPI_##name, PMPI_##name, __wrap_PMPI_##name ;\
        .set    number, number + 1 ;
#include "mpi/abi/procedures.def"
#undef GAPLESS_EACH

// The layer itself needs those of MPI 3.0, whatever the program names.
        .data
        .hidden gapless_static_mpi30
#if GAPLESS_LEVEL == 30
        .globl  gapless_static_mpi30
gapless_static_mpi30:
#else
        .quad   gapless_static_mpi30
#endif
