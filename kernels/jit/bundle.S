/* Sources for NVRTC (scripts/bundle): name, 0, text, 0 for each file, then an empty name. */
        .section .rodata
        .global eb_jit_bundle
eb_jit_bundle:
        .incbin EB_BUNDLE
        .byte 0
        .section .note.GNU-stack, "", %progbits
