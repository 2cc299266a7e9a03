/* The style as it is in the file beside this one, a C string. */
        .section .rodata
        .global eb_document_style
eb_document_style:
        .incbin "src/shell/document/style.css"
        .byte 0
        .section .note.GNU-stack, "", %progbits
