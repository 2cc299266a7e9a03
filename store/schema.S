/* schema: embeds the migrations and views in the program, each file as a C string. */
        .section .rodata

        .global eb_schema_001
eb_schema_001:
        .incbin "store/migrations/001.sql"
        .byte 0

        .global eb_schema_002
eb_schema_002:
        .incbin "store/migrations/002.sql"
        .byte 0

        .global eb_schema_003
eb_schema_003:
        .incbin "store/migrations/003.sql"
        .byte 0

        .global eb_schema_004
eb_schema_004:
        .incbin "store/migrations/004.sql"
        .byte 0

        .global eb_schema_005
eb_schema_005:
        .incbin "store/migrations/005.sql"
        .byte 0

        .global eb_schema_006
eb_schema_006:
        .incbin "store/migrations/006.sql"
        .byte 0

        .global eb_schema_007
eb_schema_007:
        .incbin "store/migrations/007.sql"
        .byte 0

        .global eb_schema_views
eb_schema_views:
        .incbin "store/views.sql"
        .byte 0

        .section .note.GNU-stack, "", %progbits
