// MPICH's own procedures that complete requests and have no wrapper. Linked into a program that names one (the linker
// is asked to --wrap them), for the sake of the mark: preload/interpose/imports.hpp says why.
        .macro  hand_through name
        .globl  __wrap_\name
        .hidden __wrap_\name
        .type   __wrap_\name, @function
__wrap_\name:
        endbr64
        jmp     __real_\name
        .size   __wrap_\name, . - __wrap_\name
        .endm

        .text
        hand_through MPIX_Request_is_complete
        hand_through PMPIX_Request_is_complete

        .data
        .globl  gapless_static_completes_unwrapped
        .hidden gapless_static_completes_unwrapped
gapless_static_completes_unwrapped:
        .byte   1

        .section .note.GNU-stack, "", @progbits
