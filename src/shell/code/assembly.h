/* assembly: reads the listing of a kernel, PTX as NVRTC writes it or SASS as nvdisasm or cuobjdump does: its
 * instructions, the source line of each, and the main loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

/* What an instruction does. */
typedef enum eb_instruction_kind {
    EB_ON_TENSOR_CORES,
    EB_FRAGMENT_LOAD,
    EB_COPY_TO_SHARED,
    EB_COPY_WAIT,
    EB_BARRIER,
    EB_SHARED_LOAD,
    EB_SHARED_STORE,
    EB_GLOBAL_LOAD,
    EB_GLOBAL_STORE,
    EB_LOCAL_MEMORY,
    EB_FLOATING,
    EB_BRANCH,
    EB_REST,
    EB_INSTRUCTION_KINDS
} eb_instruction_kind;

/* "HMMA, HGMMA", the names of such instructions; "" for the rest. */
const char *eb_instruction_names(eb_instruction_kind kind, bool sass);

#define EB_NO_FILE SIZE_MAX

typedef struct eb_instruction {
    const char *text; /* without its address, label and end: "@P0 BRA `(.L_x_1)" */
    eb_instruction_kind kind;
    size_t file;       /* index of the source file; EB_NO_FILE: unknown */
    unsigned line;     /* in that file */
    size_t back;       /* of a branch back: the index of its target; else its own */
    const char *goal;  /* of a branch: the label or the address that it names; else NULL */
    size_t address;    /* SASS: in bytes */
    const char *label; /* before it; NULL: none */
} eb_instruction;

typedef struct eb_assembly {
    eb_instruction *instruction; /* heap */
    size_t count;
    char **file; /* the source files' paths, heap */
    size_t files;
    size_t loop_begin, loop_end; /* the main loop, instructions [begin, end): the innermost loop with the most products;
                                  * empty: there is none */
    char *copy;                  /* of the text */
} eb_assembly;

/* Takes the instructions of a text. Lines that are none are skipped, and so are NOPs. EB_BAD_FORMAT if there is no
 * instruction. */
eb_code eb_assembly_read(const char *text, bool sass, eb_assembly *out, eb_status *status);
void eb_assembly_free(eb_assembly *assembly); /* frees the members */

/* Number of instructions of each kind among [begin, end). */
void eb_assembly_count(const eb_assembly *assembly, size_t begin, size_t end, size_t out[EB_INSTRUCTION_KINDS]);

/* The instruction's name without what it works on: "HMMA.16816.F32". Returns buffer. */
const char *eb_instruction_name(const eb_instruction *instruction, char *buffer, size_t size);
