// dlsym, before the loader's: a program that opens the MPI library itself, and asks for its procedures by name, gets the
// trampolines (look_up.cpp). Everything else goes on to the next dlsym by a jump: what RTLD_NEXT and RTLD_DEFAULT mean
// depends on the address to which dlsym returns, so that must stay the caller's. Names of procedures begin with M or P;
// the rest must work in the middle of a malloc, before any constructor has run.
        .hidden gapless_preload_answer
        .hidden gapless_preload_find_dlsym
        .hidden gapless_preload_next_dlsym

        .text
        .globl  dlsym
        .type   dlsym, @function
        .p2align 4
dlsym:
        .cfi_startproc
        endbr64
        testq   %rsi, %rsi
        jz      2f
        movzbl  (%rsi), %eax
        cmpb    $'M', %al
        je      1f
        cmpb    $'P', %al
        jne     2f
1:      pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        movq    16(%rsp), %rdx
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    gapless_preload_answer
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        testq   %rax, %rax
        jz      2f
        ret
2:      movq    gapless_preload_next_dlsym(%rip), %rax
        testq   %rax, %rax
        jnz     3f
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    gapless_preload_find_dlsym
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
3:      jmp     *%rax
        .cfi_endproc
        .size   dlsym, . - dlsym

        .section .note.GNU-stack, "", @progbits
