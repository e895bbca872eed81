// MPI_X and PMPI_X of every wrapped procedure, for an object between the program and a shared MPI library.
#include "preload/trampolines.inc"

        .hidden gapless_preload_slots
        .globl  gapless_preload_slots

#if defined(GAPLESS_LARGE_COUNTS)
#define GAPLESS_COUNTED(name, arguments) GAPLESS_EACH(MPI_##name) GAPLESS_EACH(PMPI_##name) \
                                         GAPLESS_EACH(MPI_##name##_c) GAPLESS_EACH(PMPI_##name##_c)
#else
#define GAPLESS_COUNTED(name, arguments) GAPLESS_EACH(MPI_##name) GAPLESS_EACH(PMPI_##name)
#endif
#define GAPLESS_PLAIN(name, arguments) GAPLESS_EACH(MPI_##name) GAPLESS_EACH(PMPI_##name)
#define GAPLESS_SERVICE(name, arguments) GAPLESS_PLAIN(name, arguments)

        .text
#define GAPLESS_EACH(symbol) TRAMPOLINE(.globl, symbol)
#include "mpi/procedures.def"
#undef GAPLESS_EACH

#define GAPLESS_EACH(symbol) STUB(symbol)
#include "mpi/procedures.def"
#undef GAPLESS_EACH

// The slots: of MPI_X and of PMPI_X of each procedure, in the order of the table.
        .data
        .p2align 6
        .type   gapless_preload_slots, @object
gapless_preload_slots:
#define GAPLESS_EACH(symbol) SLOT(symbol)
#include "mpi/procedures.def"
#undef GAPLESS_EACH
        .size   gapless_preload_slots, . - gapless_preload_slots
