/* made_rows: delivers a table's rows that are made on the device, range by range, to the places that a sink returns.
 * Each chunk is downloaded while the next is made.
 *
 * A row_source (row_maker.cuh, boxes/rows.cuh) makes the rows. It has rows(); width(), which columns are below;
 * count(), which finds offsets() and longest(); prepare(most, …), which makes room for ranges of `most` entries in each
 * of two buffers; bytes_an_entry(…), their size; make(first, end, buffer), which enqueues a range; columns(buffer) and
 * distances(buffer), its results; check(), called after all ranges, which is EB_INTERNAL if a row breaks what readers
 * of a table rely on.
 */
#pragma once

#include "kernels/rows/delivery.cuh"

extern "C" {
#include "core/base/clock.h"
#include "core/join/row_chunks.h"
}

namespace eb {

constexpr uint64_t most_entries = uint64_t{1} << 25; /* of a chunk: 0.4 GB to download, some 7 ms */

/* The rows of each chunk. A range of empty rows that would be a chunk of its own is left out. */
struct chunk_plan {
    std::vector<size_t> first, end;
    std::vector<uint64_t> begin{0}; /* chunk k has entries begin[k] … begin[k + 1] − 1 */
};

inline chunk_plan plan_chunks(const uint64_t *offsets, size_t rows, uint64_t most)
{
    chunk_plan chunks;
    for (size_t first = 0, end; first < rows; first = end) {
        end = eb_chunk_end(offsets, rows, first, eb_chunk_room(chunks.first.size(), most));
        if (offsets[end] == offsets[first])
            continue;
        chunks.first.push_back(first);
        chunks.end.push_back(end);
        chunks.begin.push_back(offsets[end]);
    }
    return chunks;
}

/* The forms in which rows travel. */
struct row_forms {
    eb_packed columns{EB_NOT_PACKED, 0}, distances{EB_NOT_PACKED, 0};
};

/* Packs tables that take the link longer than a millisecond, if there are threads enough to unpack them as fast. Fresh
 * memory takes longer to clear than the link takes anyhow. Under a limit, chunks take all memory. With three GPUs or
 * more it was not measured. */
template <class row_source>
row_forms forms_of(const row_source &maker, const eb_row_places &places, const eb_context *context)
{
    constexpr uint64_t least_entries = uint64_t{1} << 22;
    constexpr unsigned least_threads = 8;
    const bool measured = !context->team || context->team_members <= 2;
    row_forms forms;
    if (maker.offsets()[maker.rows()] < least_entries || context->threads < least_threads || places.fresh ||
        context->memory_limit > 0 || !measured)
        return forms;
    forms.columns = eb_packed_columns(maker.width());
    if (places.distance_bytes == sizeof(double))
        forms.distances.packing = EB_PACKED_F64;
    return forms;
}

/* Prepares chunks as large as device memory allows; another program may have taken it. */
template <class row_source>
eb_code prepare_chunks(row_source &maker, const eb_row_places &places, uint64_t memory, uint64_t *most,
                       eb_status *status)
{
    const uint64_t all = maker.offsets()[maker.rows()], longest = maker.longest();
    const uint64_t fits = memory / maker.bytes_an_entry(places.distance_bytes);
    uint64_t room = all < most_entries ? all : most_entries;
    room = memory > 0 && fits < room ? fits : room;
    for (;;) {
        *most = room > longest ? room : longest;
        const eb_code failed = maker.prepare(*most, places.distance_bytes, places.unit, status);
        if (failed != EB_NO_MEMORY || *most == longest)
            return failed;
        room = *most / 2;
    }
}

template <class row_source>
eb_code deliver_chunks(row_source &maker, const eb_row_places &places, uint64_t memory, cudaStream_t stream,
                       const eb_context *context, eb_status *status)
{
    uint64_t most = 0;
    const row_forms forms = forms_of(maker, places, context);
    EB_TRY(prepare_chunks(maker, places, memory, &most, status));
    const chunk_plan chunks = plan_chunks(maker.offsets(), maker.rows(), most);
    delivered_rows rows;
    rows.begin = chunks.begin;
    rows.fresh = places.fresh;
    rows.stream = stream;
    rows.arrays.push_back({{maker.columns(0), maker.columns(1)},
                           reinterpret_cast<unsigned char *>(places.columns),
                           sizeof *places.columns,
                           forms.columns});
    if (places.distance_bytes > 0)
        rows.arrays.push_back({{maker.distances(0), maker.distances(1)},
                               static_cast<unsigned char *>(places.distances),
                               places.distance_bytes,
                               forms.distances});
    rows.make = [&](size_t chunk, eb_status *why) {
        return maker.make(chunks.first[chunk], chunks.end[chunk], chunk % 2, why);
    };
    EB_TRY(deliver(rows, context, status));
    return maker.check(status);
}

/* memory: bytes of device memory for ranges, unless one row needs more; 0: all that is free. Adds the time before the
 * first chunk to table_s, the rest to download_s. */
template <class row_source>
eb_code deliver_made_rows(row_source &maker, size_t first_row, uint64_t memory, const eb_sink *sink,
                          cudaStream_t stream, const eb_context *context, eb_status *status)
{
    const double start = eb_now_s();
    eb_row_places places;
    EB_TRY(maker.count(status));
    EB_TRY(sink->place(sink->context, first_row, maker.rows(), maker.offsets(), &places, status));
    const double placed = eb_now_s();
    eb_figures_add(context->figures, &eb_figure_table, placed - start);
    const eb_code failed = deliver_chunks(maker, places, memory, stream, context, status);
    const eb_code ended = sink->placed(sink->context, failed ? nullptr : status);
    eb_figures_add(context->figures, &eb_figure_download, eb_now_s() - placed);
    return failed ? failed : ended;
}

} // namespace eb
