/* pairs: stores the pairs that launches found on the device, and the pairs that a kernel was not sure of, which FP64
 * then decides; and translates pairs of places into entries of a table. */
#pragma once

#include "kernels/device/gpu.cuh"
#include "kernels/parts/hits.cuh"
#include "kernels/tiled/truth.cuh"

namespace eb {

template <class squared_type> class pair_store {
  public:
    /* Makes room for this many pairs or more and forgets the pairs held. limit_bytes: most memory that the store may
     * ever use, for fewer pairs if necessary; 0: no limit. */
    eb_code prepare(uint64_t capacity, uint64_t limit_bytes, cudaStream_t stream, eb_status *status);
    hit_buffer<squared_type> buffer() const { return {found_.get(), capacity_, pair_.get(), squared_.get()}; }
    uint64_t held() const { return held_; }
    uint64_t capacity() const { return capacity_; }

    /* Initial room for a join of `rows` rows: S = 64 fits without growing. */
    static uint64_t first_room(size_t rows) { return rows * 64 + (uint64_t{1} << 20); }

    /* Reads the device's counter: above the capacity if a launch found more than there was room for. */
    eb_code counted(uint64_t *found, cudaStream_t stream, eb_status *status);

    /* After a launch: keep() keeps all pairs found so far; forget() drops the launch's pairs and keeps earlier ones. */
    void keep(uint64_t found) { held_ = found; }
    eb_code forget(cudaStream_t stream, eb_status *status);

    /* Makes room for `needed` pairs in all, and `ahead` more as far as the limit allows, and keeps the pairs held.
     * EB_NO_MEMORY beyond the limit, and on a full device. */
    eb_code grow(uint64_t needed, uint64_t ahead, cudaStream_t stream, eb_status *status);
    eb_code clear(cudaStream_t stream, eb_status *status);

    /* Appends the pairs that another store holds. */
    eb_code add(const pair_store &other, cudaStream_t stream, eb_status *status);

  private:
    device_array<uint2> pair_;
    device_array<squared_type> squared_;
    device_array<unsigned long long> found_;
    unsigned long long found_host_ = 0; /* not pinned: pinning 8 bytes takes a millisecond */
    uint64_t capacity_ = 0, held_ = 0, limit_bytes_ = 0;

    eb_code make_room(uint64_t capacity, eb_status *status);
};

/* After a launch, settles both lists together. If both had room, *fits is true and both keep their pairs; otherwise
 * both forget the launch's pairs, and a list that was too small has grown. `unsure` may be NULL. */
template <class squared_type>
eb_code settle_pairs(pair_store<squared_type> &hits, pair_store<squared_type> *unsure, bool *fits, cudaStream_t stream,
                     eb_status *status);

/* Pairs decided per step, so that their squared distances need little room. */
constexpr uint64_t decided_at_once = uint64_t{1} << 22;

/* Decides the pairs in `unsure` by FP64 (truth.cuh: s ≤ threshold), adds those within to `hits`, which grows first if
 * necessary, and empties `unsure`. */
template <class squared_type>
eb_code decide_pairs(pair_store<squared_type> &unsure, const stored_points &a, const stored_points &b, double threshold,
                     pair_store<squared_type> &hits, cudaStream_t stream, eb_status *status);

/* ---- pairs of places as entries of a table ---- */

struct pairs_meaning {
    size_t rows_of_all, columns; /* number of left and of right points */
    bool self;                   /* a self-join: self pairs are added */
    bool mirrored;               /* a pair (i, j) also stands for (j, i) */
    uint32_t first_column;       /* kernels' number of the first right point */
    const uint32_t *point;       /* on the device: the point at each place; nullptr: place k holds point k */
    size_t row_begin, row_end;   /* the rows wanted; pairs without an end in them are dropped */
    double scale = 1;            /* squared distances are this times the numbers stored */
};

/* Returns the points of a pair of places. */
__host__ __device__ inline uint2 points_of(const pairs_meaning &m, uint2 places)
{
    if (m.point)
        return make_uint2(m.point[places.x], m.point[places.y]);
    return make_uint2(places.x, places.y - m.first_column);
}

__host__ __device__ inline bool is_wanted(const pairs_meaning &m, uint32_t row)
{
    return row >= m.row_begin && row < m.row_end;
}

/* Number of entries that a pair of points makes. */
__host__ __device__ inline uint32_t wanted_ends(const pairs_meaning &m, uint2 points)
{
    return is_wanted(m, points.x) + (m.mirrored && is_wanted(m, points.y));
}

/* Keeps the pairs with a point from `first` on, and drops the others. */
template <class squared_type>
eb_code drop_below(pair_store<squared_type> &hits, const pairs_meaning &meaning, uint32_t first, cudaStream_t stream,
                   eb_status *status);

} // namespace eb
