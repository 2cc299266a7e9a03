/* schema: embeds the migrations and views in the program, each file as a C string. */
        .macro text name, file
        .global \name
\name:
        .incbin "\file"
        .byte 0
        .endm

        .section .rodata
        text eb_schema_001, store/migrations/001.sql
        text eb_schema_002, store/migrations/002.sql
        text eb_schema_003, store/migrations/003.sql
        text eb_schema_004, store/migrations/004.sql
        text eb_schema_005, store/migrations/005.sql
        text eb_schema_006, store/migrations/006.sql
        text eb_schema_007, store/migrations/007.sql
        text eb_schema_008, store/migrations/008.sql
        text eb_schema_009, store/migrations/009.sql
        text eb_schema_010, store/migrations/010.sql
        text eb_schema_views, store/views.sql

        .section .note.GNU-stack, "", %progbits
