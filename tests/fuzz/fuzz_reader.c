/* libFuzzer: one file reader, READER, for files that end in EXTENSION. It fails with a message that names the file, or
 * returns rows that can be read within the bytes (or in memory of their own). */
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

static void check_refusal(eb_code code, const eb_status *status)
{
    check(status->code == code && memchr(status->message, 0, sizeof status->message) != NULL);
    check(strncmp(status->message, "fuzz: ", 6) == 0 || code == EB_NO_MEMORY);
}

static void check_points(const eb_points *points, const uint8_t *data, size_t size)
{
    size_t row = points->d * eb_dtype_size(points->dtype);
    check(points->n >= 1 && points->n <= EB_MAX_POINTS && points->d >= 1 && points->d <= EB_MAX_DIMENSIONS);
    check(row > 0 && points->stride >= row);
    if (!points->owned) {
        check(points->rows >= data && points->rows <= data + size);
        size_t room = (size_t)(data + size - points->rows);
        check(room >= row && (room - row) / points->stride >= points->n - 1);
    }
    for (size_t i = 0; i < points->n; i++) {
        touched = points->rows[i * points->stride];
        touched = points->rows[i * points->stride + row - 1];
    }
}

/* The same bytes as the beginning of a file that is still being inflated. */
static void check_beginning(const uint8_t *data, size_t size)
{
    const eb_bytes bytes = {.data = data, .size = size, .name = "fuzz", .beginning = true};
    eb_points points = {.n = 0};
    eb_status status = {.code = EB_OK};
    eb_reader *shape = eb_format_named(EXTENSION)->shape;
    eb_code code = shape ? shape(&bytes, &points, &status) : EB_OK;
    if (code)
        check_refusal(code, &status);
    else
        check(!points.owned && points.n <= EB_MAX_POINTS && points.d <= EB_MAX_DIMENSIONS);
}

static void check_reading(const uint8_t *data, size_t size, bool bf16)
{
    const eb_bytes bytes = {.data = data, .size = size, .name = "fuzz", .how = {.bf16 = bf16}};
    eb_points points = {.n = 0};
    eb_status status = {.code = EB_OK};
    eb_code code = READER(&bytes, &points, &status);
    if (code) {
        check_refusal(code, &status);
        return;
    }
    check_points(&points, data, size);
    eb_points_free(&points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_beginning(data, size);
    check_reading(data, size, false);
    if (eb_format_named(EXTENSION)->has & EB_MAY_BE_BF16)
        check_reading(data, size, true);
    return 0;
}
