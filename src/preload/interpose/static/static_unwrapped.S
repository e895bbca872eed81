// __real_PMPI_X where the linker was not asked to --wrap PMPI_X (otherwise nothing refers to these, and the object
// stays out of the program). Nobody jumps there: without wrapping, front_static.cpp takes PMPI_X itself.
#include "preload/interpose/since.inc"
#include "preload/interpose/trampolines.inc"

        .text
#define GAPLESS_OTHER(name)
#define GAPLESS_EACH(name)             \
        .globl  __real_PMPI_##name    ;\
        .hidden __real_PMPI_##name    ;\
__real_PMPI_##name: ;
#include "mpi/abi/procedures.def"
        TRAP
