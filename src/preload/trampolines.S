// MPI_X and PMPI_X of every wrapped procedure: a jump through a slot, whatever the signature.
//
// Each slot leads at first to a stub that says which slot it is and calls gapless_preload_resolve, which fills all
// slots; the call then goes on with its registers as they were. Nothing is left on the stack: a wrapper or the library
// sees the caller's frame.
#if !defined(__x86_64__)
#error "trampolines: only x86-64 so far"
#endif

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

// ---- the public symbols
#define TRAMPOLINE(symbol)                  \
        .globl  symbol                     ;\
        .type   symbol, @function          ;\
        .p2align 4                         ;\
symbol:                                    ;\
        endbr64                            ;\
        jmp     *slot_##symbol(%rip)       ;\
        .size   symbol, . - symbol         ;

        .text
#define GAPLESS_EACH(symbol) TRAMPOLINE(symbol)
#include "mpi/procedures.def"
#undef GAPLESS_EACH

// ---- the first call of each
#define STUB(symbol)                        \
first_##symbol:                            ;\
        endbr64                            ;\
        pushq   $slot_index                ;\
        jmp     first_call                 ;\
        .set    slot_index, slot_index + 1 ;

        .set    slot_index, 0
#define GAPLESS_EACH(symbol) STUB(symbol)
#include "mpi/procedures.def"
#undef GAPLESS_EACH

// On the stack: the slot's index, then the caller's return address. All argument registers must survive.
        .p2align 4
        .type   first_call, @function
first_call:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        pushq   %rbp
        .cfi_def_cfa_offset 24
        .cfi_offset %rbp, -24
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        andq    $-16, %rsp
        subq    $192, %rsp
        movq    %rdi, 0(%rsp)
        movq    %rsi, 8(%rsp)
        movq    %rdx, 16(%rsp)
        movq    %rcx, 24(%rsp)
        movq    %r8, 32(%rsp)
        movq    %r9, 40(%rsp)
        movq    %rax, 48(%rsp)
        movups  %xmm0, 64(%rsp)
        movups  %xmm1, 80(%rsp)
        movups  %xmm2, 96(%rsp)
        movups  %xmm3, 112(%rsp)
        movups  %xmm4, 128(%rsp)
        movups  %xmm5, 144(%rsp)
        movups  %xmm6, 160(%rsp)
        movups  %xmm7, 176(%rsp)
        movq    8(%rbp), %rdi
        movq    16(%rbp), %rsi
        call    gapless_preload_resolve
        movq    %rax, %r11
        movq    0(%rsp), %rdi
        movq    8(%rsp), %rsi
        movq    16(%rsp), %rdx
        movq    24(%rsp), %rcx
        movq    32(%rsp), %r8
        movq    40(%rsp), %r9
        movq    48(%rsp), %rax
        movups  64(%rsp), %xmm0
        movups  80(%rsp), %xmm1
        movups  96(%rsp), %xmm2
        movups  112(%rsp), %xmm3
        movups  128(%rsp), %xmm4
        movups  144(%rsp), %xmm5
        movups  160(%rsp), %xmm6
        movups  176(%rsp), %xmm7
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 16
        addq    $8, %rsp
        .cfi_def_cfa_offset 8
        jmp     *%r11
        .cfi_endproc
        .size   first_call, . - first_call

// ---- the slots: MPI_X and PMPI_X of each procedure in the order of the table
#define SLOT(symbol) slot_##symbol: .quad first_##symbol ;

        .data
        .p2align 6
        .type   gapless_preload_slots, @object
gapless_preload_slots:
#define GAPLESS_EACH(symbol) SLOT(symbol)
#include "mpi/procedures.def"
#undef GAPLESS_EACH
        .size   gapless_preload_slots, . - gapless_preload_slots

        .section .note.GNU-stack, "", @progbits
