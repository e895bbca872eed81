// MPI_X of each procedure in mpi_calls.def, for this library alone: a jump to where library.cpp has led it. So nothing
// here is linked with an MPI library, the loader need not know where it is, and yet the code calls MPI as any program.
#if defined(__x86_64__)
#define JUMP_THROUGH(slot)                  \
        endbr64                            ;\
        jmp     *slot(%rip)
#elif defined(__aarch64__)
#define JUMP_THROUGH(slot)                  \
        bti     c                          ;\
        adrp    x16, slot                  ;\
        ldr     x16, [x16, :lo12:slot]     ;\
        br      x16
#else
#error "there are calls of MPI for x86-64 and AArch64; add those of this machine"
#endif

        .text
#define GAPLESS_CALL(name)                  \
        .globl  MPI_##name                 ;\
        .hidden MPI_##name                 ;\
        .type   MPI_##name, @function      ;\
        .p2align 4                         ;\
MPI_##name:                                ;\
        JUMP_THROUGH(slot_##name)          ;\
        .size   MPI_##name, . - MPI_##name ;
#include "ext/mpi_calls.def"
#undef GAPLESS_CALL

        .hidden gapless_ext_missing
        .data
        .p2align 6
        .globl  gapless_ext_slots
        .hidden gapless_ext_slots
        .type   gapless_ext_slots, @object
gapless_ext_slots:
#define GAPLESS_CALL(name) slot_##name: .quad gapless_ext_missing ;
#include "ext/mpi_calls.def"
#undef GAPLESS_CALL
        .size   gapless_ext_slots, . - gapless_ext_slots

#if defined(__aarch64__)
// This object has `bti c` wherever an indirect jump may land (preload/interpose/aarch64/jumps.inc).
        .pushsection .note.gnu.property, "a", @note
        .p2align 3
        .long   4, 16, 5
        .asciz  "GNU"
        .long   0xc0000000, 4, 3, 0
        .popsection
#endif
        .section .note.GNU-stack, "", @progbits
