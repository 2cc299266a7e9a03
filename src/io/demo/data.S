/* The demo datasets as they are in this folder: gzip, inflated when loaded. Their terms: README.md. */
        .section .rodata

        .global eb_demo_fashion
        .global eb_demo_fashion_end
        .balign 16
eb_demo_fashion:
        .incbin "src/io/demo/embed_fashion4k_784.u8bin.gz"
eb_demo_fashion_end:

        .global eb_demo_stars
        .global eb_demo_stars_end
        .balign 16
eb_demo_stars:
        .incbin "src/io/demo/embed_tycho100k_3.fbin.gz"
eb_demo_stars_end:

        .section .note.GNU-stack, "", %progbits
