/* records: tests a warp's accumulators in the best preset: 16 rows × 256 columns in the warpgroup kernel (128 with four
 * groups), 64 × 64 pairs in the mma.sync kernel.
 *
 * The hot test is a ≥ h_i + h_j, h rounded down (prepare.cuh). It passes every hit and few other pairs. With
 * row-constant the first test is a ≥ h_i + (the least h of all columns), which needs no column's level and passes every
 * pair that the hot test passes. A lane's 128 accumulators form 16 groups of 8 (64 form 8); a mask has one bit for each
 * group. A group without a candidate in any lane is skipped; the warpgroup kernel keeps the greatest product of every
 * two groups, compares the greatest of all first, and each only if that one reaches the constant. In the others, each
 * lane with a candidate writes its 8 accumulators as a record to a page of its warp. The records wait there for the
 * exact test. A full page is tested by the warp itself, or by one of three spare warps, which do not multiply; while
 * they find no full page they sleep, so that the others have the SM's instructions and its power. Hits are counted, or
 * wait until 32 or more are written together. If most groups hold candidates, counting variants test them in registers,
 * without records. Padding points have the level never().
 *
 * In a group, lane (g = lane/4, t = lane%4) has the columns 8c + 2t + o of rows g + 8r in accumulator e = 4c + 2r + o.
 * Groups are numbered along the rows, `groups_across` of them, then the next 16 rows.
 *
 * A kernel passes the tile to test as a type with these members:
 * - groups_across: 16 or 8 (warpgroup), 4 (mma.sync)
 * - row, column: position of the lane's first accumulator in the panels
 * - row_h(r), row_s(r): level of the row 8r below; s of a row that is not wanted: never(); levels_of_row(r): both
 * - two_h(c), two_s(c): levels of the two columns 8c to the right
 * - has_row(r): true if that row is wanted
 * - least(), most(): least h and greatest s of the columns
 */
#pragma once

#include "kernels/fasted/cuda/epilogue.cuh"
#include "kernels/parts/mma.cuh"
#include "kernels/parts/wgmma.cuh"

namespace eb {

/* Eight accumulators with a candidate among them. row, column: position of the first one in the panels. */
template <class value> struct record {
    value product[8];
    uint32_t row, column;
    uint32_t unused[2]; /* pads to 48 bytes: 8 lanes that write 16 bytes each cover all 32 banks */
};

constexpr int records_a_page = 32;
constexpr uint32_t last_page = 1u << 31;

/* The pages of one multiplying warp. A page alternates between full and empty, with a barrier for each, at which all
 * lanes arrive. */
template <class value, int pages> struct record_book {
    record<value> page[pages][records_a_page];
    uint32_t filled[4]; /* number of records; last_page: none follow */
};

/* First row and column of group k, in blocks of 8. */
template <class tile_type> __device__ constexpr int row_of_group(int k) { return k / tile_type::groups_across * 2; }
template <class tile_type> __device__ constexpr int column_of_group(int k) { return k % tile_type::groups_across * 2; }

template <class tile_type> using value_of = typename tile_type::arithmetic::value;

/* The groups of a lane's accumulators d[blocks][4]: 16, or 8 in a warpgroup of 64 × 128 pairs. */
template <int blocks> constexpr int groups_of = blocks / 2;

/* True if one of group k's eight accumulators passes the hot test. */
template <int blocks, class tile_type>
__device__ __forceinline__ bool group_passes(const value_of<tile_type> (&d)[blocks][4], int k, const tile_type &tile)
{
    const int r = row_of_group<tile_type>(k);
    bool any = false;
#pragma unroll
    for (int c = 0; c < 2; c++) {
        const int columns = column_of_group<tile_type>(k) + c;
        if constexpr (tile_type::arithmetic::stepped)
            any |= tile_type::arithmetic::any_reaches(d[2 * k + c], tile.levels_of_row(r), tile.levels_of_row(r + 1),
                                                      tile.two_h(columns), tile.two_s(columns));
        else
            any |=
                tile_type::arithmetic::any_reaches(d[2 * k + c], tile.row_h(r), tile.row_h(r + 1), tile.two_h(columns));
    }
    return any;
}

template <int blocks, class tile_type>
__device__ __forceinline__ unsigned groups_that_pass(const value_of<tile_type> (&d)[blocks][4], const tile_type &tile)
{
    unsigned groups = 0;
#pragma unroll
    for (int k = 0; k < groups_of<blocks>; k++)
        groups |= group_passes(d, k, tile) ? 1u << k : 0u;
    return groups;
}

/* The constants of rows r and r + 1: no product below its row's can reach the level of any column of the tile. */
template <class tile_type> struct row_constants {
    value_of<tile_type> upper, lower;

    __device__ row_constants(const tile_type &tile, int r)
    {
        const auto least = tile.least();
        if constexpr (tile_type::arithmetic::stepped) {
            upper = tile_type::arithmetic::constant(tile.levels_of_row(r), least, tile.most());
            lower = tile_type::arithmetic::constant(tile.levels_of_row(r + 1), least, tile.most());
        } else {
            upper = tile.row_h(r) + least;
            lower = tile.row_h(r + 1) + least;
        }
    }
};

/* Groups that pass together, if one of them may: two take three quarters of the instructions of one by one. Four would
 * take less than that still, but then the records of groups without a candidate cost more. */
constexpr int together = 2;

/* The greatest products of a lane's two rows in each two groups, as ranks. One instruction finds the greatest of three.
 */
template <class arithmetic, int blocks> struct greatest_products {
    static constexpr int count = groups_of<blocks> / together;
    int upper[count], lower[count];

    __device__ __forceinline__ explicit greatest_products(const typename arithmetic::value (&d)[blocks][4])
    {
#pragma unroll
        for (int k = 0; k < count; k++) {
            upper[k] = greatest(d, 2 * together * k, 0);
            lower[k] = greatest(d, 2 * together * k, 2);
        }
    }
    /* True if one of them reaches its row's constant. */
    __device__ __forceinline__ bool reach(int upper_rank, int lower_rank) const
    {
        return (greatest(upper) >= upper_rank) | (greatest(lower) >= lower_rank);
    }
    __device__ __forceinline__ unsigned groups_that_reach(int upper_rank, int lower_rank) const
    {
        unsigned groups = 0;
#pragma unroll
        for (int k = 0; k < count; k++)
            groups |= (upper[k] >= upper_rank) | (lower[k] >= lower_rank) ? ((1u << together) - 1) << together * k : 0;
        return groups;
    }

  private:
    /* The greatest product of one row in `together` groups, which begin with block `first`. */
    __device__ __forceinline__ static int greatest(const typename arithmetic::value (&d)[blocks][4], int first, int row)
    {
        int rank[4 * together];
#pragma unroll
        for (int at = 0; at < 4 * together; at++)
            rank[at] = arithmetic::rank_of(d[first + at / 2][row + at % 2]);
        return greatest(rank);
    }
    template <int size> __device__ __forceinline__ static int greatest(const int (&rank)[size])
    {
        int most = size % 2 ? rank[0] : max(rank[0], rank[1]);
#pragma unroll
        for (int at = 2 - size % 2; at < size; at += 2)
            most = __vimax3_s32(most, rank[at], rank[at + 1]);
        return most;
    }
};

/* Like groups_that_pass, but tests against one constant per row, so that more groups may pass. Returns the lanes that
 * have such groups; `mine` gets this lane's. */
template <int blocks, class tile_type>
__device__ __forceinline__ unsigned lanes_that_may_pass(const value_of<tile_type> (&d)[blocks][4],
                                                        const tile_type &tile, unsigned &mine)
{
    using arithmetic = typename tile_type::arithmetic;
    /* Not where ptxas would move these reads of chained sums up before the products are done. */
    if constexpr (tile_type::groups_across == groups_of<blocks> && !arithmetic::chained) {
        const greatest_products<arithmetic, blocks> greatest(d);
        const row_constants<tile_type> c(tile, 0); /* all groups have the same two rows */
        const int upper = arithmetic::rank_to_reach(c.upper), lower = arithmetic::rank_to_reach(c.lower);
        const unsigned lanes = __ballot_sync(~0u, greatest.reach(upper, lower));
        if (lanes != 0)
            mine = greatest.groups_that_reach(upper, lower);
        return lanes;
    } else {
        unsigned none = 0; /* the last group at bit 0 */
#pragma unroll
        for (int k = 0; k < groups_of<blocks>; k++) {
            const row_constants<tile_type> c(tile, row_of_group<tile_type>(k));
            none = __funnelshift_l(arithmetic::all_below(d[2 * k], d[2 * k + 1], c.upper, c.lower), none, 1);
        }
        mine = __brev(~none) >> (32 - groups_of<blocks>);
        return __ballot_sync(~0u, mine != 0);
    }
}

/* ---- pages ---- */

/* The writing position of a multiplying warp in its book. */
template <class shape> struct record_writer {
    record_book<typename shape::value, shape::pages> *book;
    uint32_t full, empty; /* barriers of the pages */
    uint32_t page, turns, filled;
};

/* A pair and its verdict. */
template <class squared> struct record_pair {
    uint32_t i, j;
    squared q;
    bool hit;
};

/* Tests accumulator e of record `at` exactly. Beyond the last record it tests the last record again and reports no hit.
 * There are no branches, so that the norms of all pairs tested together load at the same time. */
template <class shape>
__device__ __forceinline__ record_pair<typename shape::squared> test_record(const typename shape::arguments &args,
                                                                            const record<typename shape::value> *page,
                                                                            uint32_t at, uint32_t records, uint32_t e)
{
    const record<typename shape::value> &r = page[min(at, records - 1)];
    const uint32_t row = r.row + (e & 2) * 4, column = r.column + e / 4 * 8 + e % 2;
    /* Settled types: the rows are there even in padding, what settles them need not be. */
    const bool there = !shape::arithmetic::settled || ((row < args.a.count) & (column < args.b.count));
    const typename shape::squared q = squared_of<shape>(args, there ? row : 0, there ? column : 0, r.product[e]);
    const uint32_t i = args.a.first + row, j = args.b.first + column;
    /* Rows beyond a row range's end are real points, not padding. */
    const bool hit =
        (at < records) & there & (q <= args.threshold) & (row < args.a.count) & (shape::symmetric ? i < j : i != j);
    return {i, j, shape::arithmetic::at_least_zero(q), hit};
}

/* A warp tests one page exactly: a lane for each accumulator of four records, and four such groups of records at a
 * time, whose norms load from L2 together. */
template <class shape>
__device__ __forceinline__ void settle_page(const typename shape::arguments &args,
                                            const record<typename shape::value> *page, uint32_t records,
                                            hit_queue<shape> &hits, int lane)
{
    const uint32_t mine = static_cast<uint32_t>(lane / 8), e = static_cast<uint32_t>(lane % 8);
    constexpr uint32_t fours = 4;
#pragma unroll 1
    for (uint32_t base = 0; base < records; base += 4 * fours) {
        record_pair<typename shape::squared> pair[fours];
#pragma unroll
        for (uint32_t k = 0; k < fours; k++)
            pair[k] = test_record<shape>(args, page, base + 4 * k + mine, records, e);
#pragma unroll
        for (uint32_t k = 0; k < fours; k++) {
            if constexpr (shape::writes == output::count)
                hits.counted += pair[k].hit;
            else
                take_hits<shape>(args, hits, pair[k].hit, pair[k].i, pair[k].j, pair[k].q, lane);
        }
    }
}

/* Passes the page to a spare warp and waits for the next page; without spare warps, tests the page here. */
template <class shape>
__device__ __forceinline__ void turn_page(const typename shape::arguments &args, record_writer<shape> &writer,
                                          uint32_t last, hit_queue<shape> &hits, int lane)
{
    if constexpr (shape::spared) {
        if (lane == 0)
            writer.book->filled[writer.page] = writer.filled | last;
        barrier_arrive(writer.full + writer.page * 8);
        writer.turns += writer.page;
        writer.page ^= 1;
        if (!last)
            barrier_wait(writer.empty + writer.page * 8, writer.turns & 1 ^ 1);
    } else {
        __syncwarp();
        settle_page<shape>(args, writer.book->page[0], writer.filled, hits, lane);
        __syncwarp();
    }
    writer.filled = 0;
}

/* Writes a warp's remaining hits, or adds its count. */
template <class shape>
__device__ __forceinline__ void end_hits(const typename shape::arguments &args, hit_queue<shape> &hits, int lane)
{
    if constexpr (shape::writes == output::count)
        add_count(args.out.found, __reduce_add_sync(~0u, hits.counted), lane);
    else if (shape::aggregate && hits.waiting > 0)
        flush<shape>(args, hits, lane);
}

/* The work of a spare warp: tests the pages of every third book, from `first` on, until each book's last page. */
template <class shape>
__device__ __forceinline__ void settle_books(const typename shape::arguments &args,
                                             const record_book<typename shape::value, shape::pages> *books,
                                             uint32_t full, uint32_t empty, int first, hit_queue<shape> &hits, int lane)
{
    constexpr int step = 3;
    uint32_t page = 0, turns = 0; /* one bit per book */
    uint32_t open = 0;
    for (int b = first; b < shape::books; b += step)
        open |= 1u << b;
    while (open != 0) {
        bool idle = true;
        for (int b = first; b < shape::books; b += step) {
            const uint32_t at = page >> b & 1,
                           barrier = static_cast<uint32_t>(b * shape::pages + static_cast<int>(at)) * 8;
            if (!(open >> b & 1) || !barrier_has_passed(full + barrier, turns >> b & 1))
                continue;
            /* Returns at once. compute-sanitizer recognises this wait, but not barrier_has_passed. */
            barrier_wait(full + barrier, turns >> b & 1);
            idle = false;
            const uint32_t filled = books[b].filled[at];
            settle_page<shape>(args, books[b].page[at], filled & ~last_page, hits, lane);
            barrier_arrive(empty + barrier);
            turns ^= at << b; /* after both pages, the barriers' phase flips */
            page ^= 1u << b;
            open &= filled & last_page ? ~(1u << b) : ~0u;
        }
        if (idle)
            __nanosleep(100);
    }
    end_hits<shape>(args, hits, lane);
}

/* ---- a tile ---- */

/* Stores group k as a record, if `here`. */
template <int blocks, class tile_type>
__device__ __forceinline__ void store_record(const value_of<tile_type> (&d)[blocks][4], int k, uint32_t address,
                                             const tile_type &tile, bool here)
{
    tile_type::arithmetic::store(address, d[2 * k], d[2 * k + 1],
                                 tile.row + static_cast<uint32_t>(8 * row_of_group<tile_type>(k)),
                                 tile.column + static_cast<uint32_t>(8 * column_of_group<tile_type>(k)), here);
}

/* Like store_record, for a group number that is known only at run time. The modulus keeps cases that do not occur in
 * the array. */
template <int blocks, class tile_type>
__device__ __forceinline__ void store_any_record(const value_of<tile_type> (&d)[blocks][4], int k, uint32_t address,
                                                 const tile_type &tile)
{
    switch (k) {
    case 0: store_record(d, 0, address, tile, true); break;
    case 1: store_record(d, 1, address, tile, true); break;
    case 2: store_record(d, 2, address, tile, true); break;
    case 3: store_record(d, 3, address, tile, true); break;
    case 4: store_record(d, 4, address, tile, true); break;
    case 5: store_record(d, 5, address, tile, true); break;
    case 6: store_record(d, 6, address, tile, true); break;
    case 7: store_record(d, 7, address, tile, true); break;
    case 8: store_record(d, 8 % groups_of<blocks>, address, tile, true); break;
    case 9: store_record(d, 9 % groups_of<blocks>, address, tile, true); break;
    case 10: store_record(d, 10 % groups_of<blocks>, address, tile, true); break;
    case 11: store_record(d, 11 % groups_of<blocks>, address, tile, true); break;
    case 12: store_record(d, 12 % groups_of<blocks>, address, tile, true); break;
    case 13: store_record(d, 13 % groups_of<blocks>, address, tile, true); break;
    case 14: store_record(d, 14 % groups_of<blocks>, address, tile, true); break;
    case 15: store_record(d, 15 % groups_of<blocks>, address, tile, true); break;
    default: __builtin_unreachable();
    }
}

/* Writes the records of all lanes' groups (`mine`: this lane's) at once, in the order of the lanes. Returns false if
 * they do not fit a page, or a lane has more than 7. */
template <class shape, int blocks, class tile_type>
__device__ __forceinline__ bool record_few(const typename shape::arguments &args,
                                           const typename shape::value (&d)[blocks][4], const tile_type &tile,
                                           unsigned mine, record_writer<shape> &writer, hit_queue<shape> &hits,
                                           int lane)
{
    const uint32_t count = static_cast<uint32_t>(__popc(mine)), lanes_before = (1u << lane) - 1;
    if (__any_sync(~0u, count > 7))
        return false;
    uint32_t before = 0, all = 0;
#pragma unroll
    for (int b = 0; b < 3; b++) {
        const unsigned lanes = __ballot_sync(~0u, count >> b & 1);
        before += static_cast<uint32_t>(__popc(lanes & lanes_before)) << b;
        all += static_cast<uint32_t>(__popc(lanes)) << b;
    }
    if (all > records_a_page)
        return false;
    if (writer.filled + all > records_a_page)
        turn_page<shape>(args, writer, 0, hits, lane);
    uint32_t address = shared_address(&writer.book->page[writer.page][writer.filled + before]);
#pragma unroll
    for (int k = 0; k < groups_of<blocks>; k++) {
        const bool here = mine >> k & 1;
        store_record(d, k, address, tile, here);
        address += here ? static_cast<uint32_t>(sizeof(record<typename shape::value>)) : 0;
    }
    writer.filled += all;
    return true;
}

/* Writes any number of records: in each round every lane that has one left writes one. */
template <class shape, int blocks, class tile_type>
__device__ __forceinline__ void record_many(const typename shape::arguments &args,
                                            const typename shape::value (&d)[blocks][4], const tile_type &tile,
                                            unsigned lanes, unsigned mine, record_writer<shape> &writer,
                                            hit_queue<shape> &hits, int lane)
{
    while (lanes != 0) {
        const uint32_t more = static_cast<uint32_t>(__popc(lanes));
        const int k = __ffs(static_cast<int>(mine)) - 1;
        if (writer.filled + more > records_a_page)
            turn_page<shape>(args, writer, 0, hits, lane);
        const record<typename shape::value> &r =
            writer.book->page[writer.page][writer.filled + __popc(lanes & ((1u << lane) - 1))];
        if (mine != 0)
            store_any_record(d, k, shared_address(&r), tile);
        writer.filled += more;
        mine &= mine - 1;
        lanes = __ballot_sync(~0u, mine != 0);
    }
}

/* Tests groups in registers and counts or writes their hits. */
template <class shape, int blocks, class tile_type>
__device__ __forceinline__ void test_groups(const typename shape::arguments &args,
                                            const typename shape::value (&d)[blocks][4], const tile_type &tile,
                                            unsigned groups, hit_queue<shape> &hits, int lane)
{
#pragma unroll
    for (int k = 0; k < groups_of<blocks>; k++) {
        if (!(groups >> k & 1))
            continue;
#pragma unroll
        for (int c = 0; c < 2; c++) {
            const int r = row_of_group<tile_type>(k), columns = column_of_group<tile_type>(k) + c;
            const typename shape::pair s = tile.two_s(columns);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const uint32_t i = args.a.first + tile.row + static_cast<uint32_t>(8 * (r + e / 2)),
                               j = args.b.first + tile.column + static_cast<uint32_t>(8 * columns + e % 2);
                const typename shape::squared q =
                    shape::arithmetic::distance(tile.row_s(r + e / 2), e % 2 ? s.y : s.x, d[2 * k + c][e]);
                const bool hit = (shape::arithmetic::infinite || tile.has_row(r + e / 2)) && q <= args.threshold &&
                                 (shape::symmetric ? i < j : i != j);
                if constexpr (shape::writes == output::count)
                    hits.counted += hit;
                else if constexpr (shape::aggregate)
                    (void)append<false>(args.out, hit, i, j, shape::arithmetic::at_least_zero(q), lane);
                else if (hit)
                    append_alone(args.out, i, j, shape::arithmetic::at_least_zero(q));
            }
        }
    }
}

/* exact: number of tiles still to be tested column by column, because the row constant ruled too few pairs out. */
template <class shape, int blocks, class tile_type>
__device__ __forceinline__ void take_tile(const typename shape::arguments &args,
                                          const typename shape::value (&d)[blocks][4], const tile_type &tile,
                                          uint32_t &exact, record_writer<shape> &writer, hit_queue<shape> &hits,
                                          int lane)
{
    constexpr int many = 12, dense = 20; /* lanes: the row constant rules too few out; counting at once is faster */
    constexpr uint32_t try_again = 64;   /* tiles later */
    unsigned mine = 0, lanes = 0;        /* this lane's groups with candidates, lanes with such groups */
    if (shape::coarse && exact == 0) {
        lanes = lanes_that_may_pass(d, tile, mine);
        if (shape::early && lanes == 0)
            return;
        exact = __popc(lanes) < many ? 0 : try_again;
    }
    if (!shape::coarse || exact > 0) {
        exact -= shape::coarse;
        mine = groups_that_pass(d, tile);
        lanes = __ballot_sync(~0u, mine != 0);
        if (shape::early && lanes == 0)
            return;
    }
    if constexpr (!shape::arithmetic::settled) {
        if (!shape::queued || (shape::writes == output::count && __popc(lanes) >= dense)) {
            const unsigned groups = shape::early ? __reduce_or_sync(~0u, mine) : (1u << groups_of<blocks>)-1;
            test_groups<shape>(args, d, tile, groups, hits, lane);
            return;
        }
    }
    if (!record_few<shape>(args, d, tile, mine, writer, hits, lane))
        record_many<shape>(args, d, tile, lanes, mine, writer, hits, lane);
}

} // namespace eb
