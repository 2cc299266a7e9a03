/* libFuzzer: tables with options. The first line is columns=, the second label=. The third's first byte
 * chooses the treatment of missing values, the scale and the header, its second byte the separator and the decimal
 * sign. The table follows. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool promise)
{
    if (!promise)
        abort();
}

/* The next line as text; NULL if it is empty. */
static char *take_text(const uint8_t **data, size_t *size)
{
    const uint8_t *end = memchr(*data, '\n', *size);
    size_t length = end ? (size_t)(end - *data) : *size;
    char *text = strndup((const char *)*data, length);
    *data += length + (end != NULL);
    *size -= length + (end != NULL);
    check(text != NULL);
    if (*text)
        return text;
    free(text);
    return NULL;
}

static void check_points(eb_points *points, const eb_reading *how)
{
    eb_status status;
    check(points->n >= 1 && points->d >= 1 && points->owned && points->stride == points->d * sizeof(double));
    check((points->labels != NULL) == (how->label != NULL));
    check(!points->labels || points->labels->points == points->n);
    for (size_t i = 0; points->labels && i < points->n; i++)
        check(points->labels->of[i] < points->labels->names);
    for (size_t k = 0; k < points->n * points->d; k++) {
        double x;
        memcpy(&x, points->rows + k * sizeof x, sizeof x);
        check(!isnan(x) || how->missing == EB_MISSING_REFUSED);
        if (!isfinite(x))
            return; /* refused before scaling */
    }
    if (eb_rescale(points, how->scale, "fuzz", NULL, &status))
        check(strncmp(status.message, "fuzz: ", 6) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *columns = take_text(&data, &size), *label = take_text(&data, &size), *choice = take_text(&data, &size);
    unsigned chosen = choice ? (unsigned char)*choice : 0, signs = chosen && choice[1] ? (unsigned char)choice[1] : 0;
    const eb_reading how = {.columns = columns,
                            .label = label,
                            .missing = (eb_missing)(chosen % 3),
                            .scale = (eb_scale)(chosen / 3 % 3),
                            .header = (eb_header)(chosen / 9 % 3),
                            .separator = (eb_separator)(signs % 5),
                            .decimal = (eb_decimal)(signs / 5 % 3)};
    const eb_bytes bytes = {.data = data, .size = size, .name = "fuzz", .how = how};
    eb_points points = {.n = 0};
    eb_status status = {.code = EB_OK};
    eb_code code = eb_read_csv(&bytes, &points, &status);
    if (code)
        check(status.code == code && strncmp(status.message, "fuzz: ", 6) == 0);
    else
        check_points(&points, &how);
    eb_points_free(&points);
    free(columns);
    free(label);
    free(choice);
    return 0;
}
