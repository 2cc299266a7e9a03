/* libFuzzer: eb_inflate fails with a message, or returns at most the allowed number of bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool promise)
{
    if (!promise)
        abort();
}

static volatile unsigned char touched; /* forces the reads */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t limit = 1 << 16;
    const eb_bytes bytes = {.data = data, .size = size, .name = "fuzz"};
    unsigned char *inflated = NULL;
    size_t inflated_size = 0;
    eb_status status = {.code = EB_OK};
    eb_code code = eb_inflate(&bytes, NULL, limit, &inflated, &inflated_size, &status);
    if (code) {
        check(status.code == code && strncmp(status.message, "fuzz: ", 6) == 0 && !inflated);
        return 0;
    }
    check(inflated_size >= 1 && inflated_size <= limit);
    for (size_t k = 0; k < inflated_size; k++)
        touched = inflated[k];
    free(inflated);
    return 0;
}
