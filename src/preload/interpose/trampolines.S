// MPI_X and PMPI_X of the wrapped procedures up to a version of MPI (since.inc), for an object between the program and a
// shared MPI library.
#include "preload/interpose/since.inc"
#include "preload/interpose/trampolines.inc"

        .hidden gapless_preload_slots
        .globl  gapless_preload_slots

#define GAPLESS_OTHER(name)

        .text
#define GAPLESS_EACH(name) TRAMPOLINE(.globl, MPI_##name) TRAMPOLINE(.globl, PMPI_##name)
#include "mpi/abi/procedures.def"
#undef GAPLESS_EACH

#define GAPLESS_EACH(name) STUB(MPI_##name) STUB(PMPI_##name)
#include "mpi/abi/procedures.def"
#undef GAPLESS_EACH

// The slots: of MPI_X and of PMPI_X of each procedure, in the order of the table.
        .data
        .p2align 6
        .type   gapless_preload_slots, @object
gapless_preload_slots:
#define GAPLESS_EACH(name) SLOT(MPI_##name) SLOT(PMPI_##name)
#include "mpi/abi/procedures.def"
#undef GAPLESS_EACH
        .size   gapless_preload_slots, . - gapless_preload_slots

// The trampolines of PMPI_X, in the same order.
        .section .data.rel.ro, "aw", @progbits
        .p2align 3
        .hidden gapless_preload_inner
        .globl  gapless_preload_inner
        .type   gapless_preload_inner, @object
gapless_preload_inner:
#define GAPLESS_EACH(name) .quad own_PMPI_##name ;
#include "mpi/abi/procedures.def"
#undef GAPLESS_EACH
        .size   gapless_preload_inner, . - gapless_preload_inner
