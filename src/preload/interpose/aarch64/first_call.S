// The first call of a procedure, on its way through a trampoline: gapless_preload_resolve fills all slots, and the call
// goes on with its registers as they were. Nothing is left on the stack: a wrapper or the library sees the caller's
// frame.
#include "preload/interpose/trampolines.inc"

        .hidden gapless_preload_resolve

// In x17: the slot. In x30: where the caller goes on. All argument registers must survive: x0 to x7, x8 (where a result
// in memory goes) and q0 to q7.
        .text
        .globl  gapless_preload_first_call
        .p2align 4
        .type   gapless_preload_first_call, @function
gapless_preload_first_call:
        .cfi_startproc
        mov     x16, x30                // unsigned, for gapless_preload_resolve looks it up
        paciasp
        .cfi_negate_ra_state
        stp     x29, x30, [sp, -224]!
        .cfi_def_cfa_offset 224
        .cfi_offset x29, -224
        .cfi_offset x30, -216
        mov     x29, sp
        stp     x0, x1, [sp, 16]
        stp     x2, x3, [sp, 32]
        stp     x4, x5, [sp, 48]
        stp     x6, x7, [sp, 64]
        str     x8, [sp, 80]
        stp     q0, q1, [sp, 96]
        stp     q2, q3, [sp, 128]
        stp     q4, q5, [sp, 160]
        stp     q6, q7, [sp, 192]
        mov     x0, x17
        mov     x1, x16
        bl      gapless_preload_resolve
        mov     x16, x0
        ldp     x0, x1, [sp, 16]
        ldp     x2, x3, [sp, 32]
        ldp     x4, x5, [sp, 48]
        ldp     x6, x7, [sp, 64]
        ldr     x8, [sp, 80]
        ldp     q0, q1, [sp, 96]
        ldp     q2, q3, [sp, 128]
        ldp     q4, q5, [sp, 160]
        ldp     q6, q7, [sp, 192]
        ldp     x29, x30, [sp], 224
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        autiasp
        .cfi_negate_ra_state
        br      x16
        .cfi_endproc
        .size   gapless_preload_first_call, . - gapless_preload_first_call
