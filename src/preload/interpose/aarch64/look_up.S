// dlsym, before the loader's: x86_64/look_up.S says why, and what must hold.
#include "preload/interpose/trampolines.inc"

        .hidden gapless_preload_answer
        .hidden gapless_preload_find_dlsym
        .hidden gapless_preload_next_dlsym

        .macro  keep_arguments
        paciasp
        .cfi_negate_ra_state
        stp     x29, x30, [sp, -32]!
        .cfi_def_cfa_offset 32
        .cfi_offset x29, -32
        .cfi_offset x30, -24
        mov     x29, sp
        stp     x0, x1, [sp, 16]
        .endm

        .macro  restore_arguments
        ldp     x0, x1, [sp, 16]
        ldp     x29, x30, [sp], 32
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        autiasp
        .cfi_negate_ra_state
        .endm

        .text
        .globl  dlsym
        .type   dlsym, @function
        .p2align 4
dlsym:
        .cfi_startproc
        bti     c
        cbz     x1, 2f
        ldrb    w16, [x1]
        cmp     w16, 'M'
        b.eq    1f
        cmp     w16, 'P'
        b.ne    2f
1:      mov     x2, x30
        keep_arguments
        bl      gapless_preload_answer
        mov     x16, x0
        restore_arguments
        cbz     x16, 2f
        mov     x0, x16
        ret
2:      adrp    x16, gapless_preload_next_dlsym
        ldr     x16, [x16, :lo12:gapless_preload_next_dlsym]
        cbnz    x16, 3f
        keep_arguments
        bl      gapless_preload_find_dlsym
        mov     x16, x0
        restore_arguments
3:      br      x16
        .cfi_endproc
        .size   dlsym, . - dlsym
