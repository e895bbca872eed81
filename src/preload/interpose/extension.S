// The functions of libgapless_mpi, for a program that is not linked with it and looks them up (gapless_mpi.h):
// trampolines like those of MPI's procedures, but with slots that extension.cpp fills at the first call of one of them.
#define gapless_preload_first_call gapless_extension_first_call
#define gapless_preload_resolve gapless_extension_resolve
#if defined(__x86_64__)
#include "preload/interpose/x86_64/first_call.S"
#else
#include "preload/interpose/aarch64/first_call.S"
#endif

        .hidden gapless_extension_slots
        .globl  gapless_extension_slots

        .text
#define GAPLESS_CODE(name) TRAMPOLINE(.globl, name)
#define GAPLESS_TEXT(name) TRAMPOLINE(.globl, name)
#include "preload/interpose/extension.def"
#undef GAPLESS_CODE
#undef GAPLESS_TEXT

#define GAPLESS_CODE(name) STUB(name)
#define GAPLESS_TEXT(name) STUB(name)
#include "preload/interpose/extension.def"
#undef GAPLESS_CODE
#undef GAPLESS_TEXT

// The slots, in the order of the table.
        .data
        .p2align 6
        .type   gapless_extension_slots, @object
gapless_extension_slots:
#define GAPLESS_CODE(name) SLOT(name)
#define GAPLESS_TEXT(name) SLOT(name)
#include "preload/interpose/extension.def"
#undef GAPLESS_CODE
#undef GAPLESS_TEXT
        .size   gapless_extension_slots, . - gapless_extension_slots
