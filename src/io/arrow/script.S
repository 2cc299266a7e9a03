/* arrow.py as text, for python3 -c. */
    .section .rodata
    .global eb_arrow_script
eb_arrow_script:
    .incbin "src/io/arrow/arrow.py"
    .byte 0
    .section .note.GNU-stack, "", %progbits
