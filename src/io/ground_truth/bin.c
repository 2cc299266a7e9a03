/* bin: reads neighbours from .ibin and .bin files (big-ann-benchmarks): uint32 queries, uint32 k, the ids, then the
 * distances or nothing. */
#include "io/bytes.h"
#include "io/ground_truth/ground_truth.h"

eb_code eb_read_neighbours(const eb_bytes *bytes, eb_neighbour_bytes *out, eb_status *status)
{
    enum { HEADER = 8, ID = 4, DISTANCE = 4 };
    if (bytes->size < HEADER)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected 8 bytes of header (queries, k), found %zu",
                       bytes->name, bytes->size);
    const uint32_t queries = eb_le32(bytes->data), k = eb_le32(bytes->data + 4);
    EB_TRY(eb_dataset_check_shape(bytes->name, queries, k, EB_I32, status));
    const size_t ids = (size_t)queries * k, found = bytes->size - HEADER;
    if (found != ids * ID && found != ids * (ID + DISTANCE)) /* no overflow: there are at most 2^47 */
        return eb_fail(
            status, EB_BAD_FORMAT,
            "%s: offset 8: expected %zu bytes of %u × %u ids as the header says, or twice as many with their "
            "distances, found %zu",
            bytes->name, ids * ID, queries, k, found);
    *out = (eb_neighbour_bytes){.queries = queries, .k = k, .ids = bytes->data + HEADER};
    if (found > ids * ID)
        out->distances = out->ids + ids * ID;
    return EB_OK;
}
