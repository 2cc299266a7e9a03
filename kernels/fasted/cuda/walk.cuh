/* walk: enumerates the tiles of a worker (a block, or a cluster of blocks): every `workers`-th tile, known ahead; or
 * the next tile of a queue in global memory, as FASTED was published. */
#pragma once

#include "kernels/fasted/cuda/shape.cuh"
#include "kernels/parts/tile_order.cuh"

namespace eb {

/* The tiles of one of `workers` blocks (or clusters), in order: every workers-th number that is inside the matrix. */
template <class shape> struct tile_walk {
    uint64_t number, end;
    const uint2 *list;
    uint32_t workers;
    tile_steps<shape::squares, shape::symmetric> steps;
    tile at;

    __device__ tile_walk(const typename shape::arguments &args, uint32_t worker, uint32_t workers_)
        : number(args.first_tile + worker), end(args.end_tile), list(shape::symmetric ? args.list : nullptr),
          workers(workers_), steps(list ? 0 : number, args.tile_rows, args.tile_columns)
    {
        settle();
    }
    __device__ bool done() const { return number >= end; }
    __device__ void next()
    {
        advance();
        settle();
    }

    __device__ void leave() const {}

  private:
    __device__ void advance()
    {
        number += workers;
        if (!list)
            steps.next(workers);
    }
    __device__ void settle()
    {
        for (; number < end; advance()) {
            if (list) {
                const uint2 listed = list[number];
                at = {listed.x, listed.y, true};
            } else {
                at = steps.at();
            }
            if (at.inside)
                return;
        }
    }
};

/* The walk of a feeder that is given each tile. */
struct no_walk {
    template <class arguments> __device__ no_walk(const arguments &, uint32_t, uint32_t) {}
};

/* Takes tiles from the queue. All threads of a block call done() and next() together. Before next() returns, all of
 * them have passed a barrier, so none still reads shared memory from before. */
template <class shape> class queued_walk {
  public:
    __device__ queued_walk(const typename shape::arguments &args, uint32_t *number) : args_(args), number_(number)
    {
        next();
    }
    __device__ bool done() const { return taken_ >= args_.end_tile - args_.first_tile; }
    __device__ void next()
    {
        do {
            if (threadIdx.x == 0)
                *number_ = atomicAdd(args_.queue, 1u);
            __syncthreads();
            taken_ = *number_;
            at = tile_at<shape::squares, shape::symmetric>(args_.first_tile + taken_, args_.tile_rows,
                                                           args_.tile_columns, args_.list);
            __syncthreads();
        } while (!done() && !at.inside);
    }
    /* Resets the queue once the last block is done. */
    __device__ void leave()
    {
        if (threadIdx.x == 0 && atomicInc(args_.queue + 1, gridDim.x - 1) == gridDim.x - 1)
            args_.queue[0] = 0;
    }

    tile at;

  private:
    const typename shape::arguments &args_;
    uint32_t *number_; /* in shared memory */
    uint32_t taken_ = 0;
};

/* Makes the walk that the shape of a block uses. */
template <class shape> __device__ __forceinline__ auto walk_of(const typename shape::arguments &args)
{
    if constexpr (shape::striding) {
        return tile_walk<shape>(args, blockIdx.x, gridDim.x);
    } else {
        __shared__ uint32_t number;
        return queued_walk<shape>(args, &number);
    }
}

} // namespace eb
