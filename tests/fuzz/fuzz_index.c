/* libFuzzer: an index file without its checksum is refused with a message, or is valid and written back unchanged. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/inverted/index_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool promise)
{
    if (!promise)
        abort();
}

/* Invariants that search and engines rely on. */
static void check_file(const eb_inverted_file *f, uint64_t points)
{
    uint64_t held = 0;
    check(f->n >= 1 && f->shape.m >= 1 && f->shape.m * f->piece == f->d && f->blocks[0] == 0);
    for (size_t l = 0; l < f->shape.nlist; l++) {
        check(f->blocks[l + 1] >= f->blocks[l] && (f->blocks[l + 1] - f->blocks[l]) * EB_LIST_BLOCK >= f->count[l]);
        for (size_t k = 0; k < f->count[l]; k++) {
            const uint32_t *row = f->row + f->blocks[l] * EB_LIST_BLOCK + k;
            check(*row < points && (k == 0 || *row > row[-1]));
        }
        held += f->count[l];
    }
    check(held == f->n);
}

/* Bytes after the end of a text may differ; all others are unchanged. */
static void check_written(const eb_index *index, const uint8_t *data, size_t size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    check(memory && eb_index_write(index, index->program, memory) == EB_OK && fclose(memory) == 0);
    check(length == size && memcmp(text + EB_INDEX_HEAD, data + EB_INDEX_HEAD, size - EB_INDEX_HEAD) == 0);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    eb_index index;
    eb_status status = {.code = EB_OK};
    if (eb_index_parse(data, size, "x.ivf", &index, &status)) {
        check(status.code == EB_BAD_FORMAT && status.message[0] && !index.file.codes);
        return 0;
    }
    check_file(&index.file, index.origin.points);
    check_written(&index, data, size);
    eb_inverted_free(&index.file);
    return 0;
}
