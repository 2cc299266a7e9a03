/* The rules as they are in the file beside this one, a C string. */
        .section .rodata
        .global eb_run_rules
eb_run_rules:
        .incbin "src/shell/rules/run.rules"
        .byte 0
        .section .note.GNU-stack, "", %progbits
