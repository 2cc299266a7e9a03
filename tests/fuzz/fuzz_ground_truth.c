/* libFuzzer: ground truth of big-ann-benchmarks. Values read lie within the bytes. As neighbours of a few queries,
 * either the check against FP64 finds an error, or every id is a point's and every row ascends. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/ground_truth/ground_truth.h"

enum { N = 16, MOST_QUERIES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool promise)
{
    if (!promise)
        abort();
}

/* Points 0, 1, 2 … on a line; the queries are the first points. */
static eb_dataset line(size_t n)
{
    static uint8_t row[N];
    for (size_t i = 0; i < N; i++)
        row[i] = (uint8_t)(3 * i);
    static char source[] = "fuzz";
    return (eb_dataset){.n = n, .d = 1, .dtype = EB_U8, .rows = row, .stride = 1, .source = source};
}

static void verify(eb_ground_truth *truth)
{
    const eb_dataset points = line(N), queries = line(truth->queries);
    eb_status status;
    const eb_code failed = eb_ground_truth_verify(truth, &points, &queries, 1, NULL, &status);
    if (failed) {
        check(status.code == failed && strncmp(status.message, "fuzz: ", 6) == 0);
        return;
    }
    check((truth->stated == EB_STATED_NOT) == (truth->distance == NULL));
    for (size_t q = 0; q < truth->queries; q++)
        for (size_t k = 1; k <= truth->k; k++) {
            check(truth->id[q * truth->k + k - 1] < N);
            check(k == 1 || eb_ground_truth_reach(truth, &points, &queries, q, k) >=
                                eb_ground_truth_reach(truth, &points, &queries, q, k - 1));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const eb_bytes bytes = {.data = data, .size = size, .name = "fuzz"};
    eb_neighbour_bytes found;
    eb_status status;
    const eb_code failed = eb_read_neighbours(&bytes, &found, &status);
    if (failed) {
        check(status.code == failed && strncmp(status.message, "fuzz: ", 6) == 0);
        return 0;
    }
    const size_t count = found.queries * found.k;
    check(found.queries > 0 && found.k > 0 && found.ids == data + 8);
    check(size - 8 == (found.distances ? 8 : 4) * count);
    eb_ground_truth *truth = found.queries <= MOST_QUERIES
                                 ? eb_ground_truth_new("fuzz", found.queries, found.k, found.distances != NULL)
                                 : NULL;
    for (size_t j = 0; truth && j < count; j++) {
        truth->id[j] = eb_le32(found.ids + 4 * j);
        if (found.distances)
            memcpy(truth->distance + j, found.distances + 4 * j, sizeof *truth->distance);
    }
    if (truth)
        verify(truth);
    eb_ground_truth_free(truth);
    return 0;
}
