// MPICH's own procedures that complete requests and have no wrapper. Linked into a program that names one (the linker
// is asked to --wrap them), for the sake of the mark: preload/interpose/imports.hpp says why.
#include "preload/interpose/trampolines.inc"

#define HAND_THROUGH(name)                 \
        .globl  __wrap_##name             ;\
        .hidden __wrap_##name             ;\
        .type   __wrap_##name, @function  ;\
__wrap_##name:                            ;\
        JUMP_TO(__real_##name)            ;\
        .size   __wrap_##name, . - __wrap_##name

        .text
        HAND_THROUGH(MPIX_Request_is_complete)
        HAND_THROUGH(PMPIX_Request_is_complete)

        .data
        .globl  gapless_static_completes_unwrapped
        .hidden gapless_static_completes_unwrapped
gapless_static_completes_unwrapped:
        .byte   1
