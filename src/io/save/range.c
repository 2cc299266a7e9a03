/* range: writes .range, the range ground truth of big-ann-benchmarks: u32 n, u32 total, n × u32 counts, total × u32
 * ids, total × f32 distances. Readers of the format take total as an int32, so it cannot have more than 2³¹ − 1
 * entries. */
#include "io/save/format.h"

enum { COUNTS, IDS, DISTANCES };

#define MOST_ENTRIES 2147483647u

static eb_code open_parts(eb_saver *saver, eb_status *status)
{
    for (unsigned part = COUNTS; part <= DISTANCES; part++)
        EB_TRY(eb_save_open_part(saver, part, status));
    return EB_OK;
}

static eb_code write_distances(eb_saver *saver, const eb_neighbours *batch, uint64_t first, uint64_t end,
                               eb_status *status)
{
    float narrow[1024];
    for (uint64_t k = first; k < end;) {
        size_t filled = 0;
        while (filled < 1024 && k < end)
            narrow[filled++] = (float)eb_neighbours_distance(batch, k++);
        EB_TRY(eb_save_write(saver, saver->part[DISTANCES], narrow, filled * sizeof *narrow, status));
    }
    return EB_OK;
}

static eb_code write_rows(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status)
{
    uint64_t first = batch->offsets[begin], entries = batch->offsets[end] - first;
    uint64_t total = saver->entries + entries;
    if (total > MOST_ENTRIES)
        return eb_fail(
            status, EB_TOO_LARGE,
            "%s: the range format holds at most %u pairs, and by row %zu there are %llu; .npz and .h5 hold more",
            saver->path, MOST_ENTRIES, batch->first_row + end, (unsigned long long)total);
    for (size_t r = begin; r < end; r++) {
        uint32_t count = (uint32_t)(batch->offsets[r + 1] - batch->offsets[r]);
        EB_TRY(eb_save_write(saver, saver->part[COUNTS], &count, sizeof count, status));
    }
    EB_TRY(eb_save_write(saver, saver->part[IDS], batch->columns + first, (size_t)entries * sizeof *batch->columns,
                         status));
    return write_distances(saver, batch, first, first + entries, status);
}

static eb_code join_parts(eb_saver *saver, eb_status *status)
{
    uint32_t header[2] = {(uint32_t)saver->n, (uint32_t)saver->entries};
    EB_TRY(eb_save_write(saver, saver->file, header, sizeof header, status));
    for (unsigned part = COUNTS; part <= DISTANCES; part++)
        EB_TRY(eb_save_append_part(saver, part, status));
    return EB_OK;
}

const eb_save_format eb_save_range = {.needs_distances = true,
                                      .begin = open_parts,
                                      .rows = write_rows,
                                      .end = join_parts};
