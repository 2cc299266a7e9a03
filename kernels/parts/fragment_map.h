/* fragment_map: lists the fragments of each instruction (fragments.h) for commands that show them. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eb_fragment {
    const char *instruction;            /* "m16n8k16.f16" */
    char operand;                       /* 'A', 'B' or 'C' */
    int rows, columns, lanes, elements; /* of the matrix; lanes that hold it; elements per lane */
    int bytes;                          /* per element */
    int (*row)(int lane, int element), (*column)(int lane, int element);
} eb_fragment;

size_t eb_fragment_count(void);
const eb_fragment *eb_fragment_at(size_t index);

#ifdef __cplusplus
}
#endif
