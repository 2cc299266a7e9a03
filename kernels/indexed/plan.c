#include "kernels/indexed/plan.h"

#include <math.h>

/* A tile of the model: so many turns of 32 candidates. */
enum { TURNS = 16, NEIGHBOUR_BYTES = 15584 /* of a block, in shared memory: where its candidates are */ };

eb_worker_run eb_whole_row(const eb_kernel_plan *plan, uint64_t number)
{
    return (eb_worker_run){(uint32_t)number, 0, (uint32_t)((plan->n + plan->columns - 1) / plan->columns)};
}

void eb_plan_walk(unsigned queries, double lines, bool indexed, size_t n, size_t d, eb_kernel_plan *out)
{
    out->n = n;
    out->d = d;
    out->blocks = 1;
    out->products = 1;
    out->rows = EB_WALK_WARPS * queries;
    out->columns = TURNS * EB_WALK_CANDIDATES;
    out->warp_rows = queries;
    out->warp_columns = EB_WALK_CANDIDATES;
    out->keeps_rows = true;
    out->alignment = 1;
    out->threads = EB_WALK_WARPS * EB_WARP;
    out->shared_bytes = NEIGHBOUR_BYTES;
    out->stages = 1;
    out->numbers = (n + out->rows - 1) / out->rows;
    out->run = eb_whole_row;
    out->queued = true;
    out->compiled = true;
    out->request_clocks = EB_REQUEST_CLOCKS;
    out->requests = EB_WALK_WARPS * TURNS * lines / ceil((double)out->point_bytes / 128);
    out->candidates = indexed ? (double)n : 0;
    out->tile_clocks = EB_WALK_WARPS * TURNS * EB_WALK_TURN_CLOCKS;
    out->through_l1 = "points";
    out->assumes_given = "full warps, and sums over all dimensions; how many stop early depends on the points, and "
                         "making the index is not in the time";
    out->selectivity = EB_PLAN_SELECTIVITY;
}

eb_code eb_plan_differences(bool single, unsigned registers, size_t n, size_t d, const eb_machine *machine,
                            eb_kernel_plan *out, eb_status *status)
{
    const size_t bytes = single ? sizeof(float) : sizeof(double), d_padded = (d + 3) / 4 * 4, stride = d_padded * bytes;
    const double loads = (double)stride / 16; /* of 16 bytes: a candidate's by each lane, a query's by all */
    EB_TRY(eb_machine_needs_cores(machine, bytes, status));
    *out = (eb_kernel_plan){
        .title = single ? "differences in FP32 on CUDA cores" : "differences in FP64 on CUDA cores",
        .number = single ? EB_TF32 : EB_F64_NUMBER, /* FP32 takes as many bytes as TF32 */
        .instructions = 3,                          /* a subtraction, a product, a sum */
        .flops = 3,
        .d_padded = d_padded,
        .point_bytes = stride,
        .registers = registers,
        .assumes = "all pairs are candidates and sums run over all dimensions, as if the index ruled out nothing and "
                   "no sum stopped early: both depend on the points; candidates= sets how many a point has",
    };
    eb_plan_walk(EB_WALK_QUERIES, loads * (eb_lines_of(EB_WARP, stride) + EB_WALK_QUERIES), true, n, d, out);
    return EB_OK;
}

void eb_plan_by_threads(unsigned threads, unsigned registers, eb_kernel_plan *plan)
{
    const unsigned queries = EB_WARP / threads, rounds = EB_WALK_CANDIDATES / threads;
    const size_t stride = plan->point_bytes;
    const double lines = (double)stride / 16 * (eb_lines_of(threads, stride) + eb_lines_of(queries, stride));
    eb_plan_walk(queries, rounds * lines, true, plan->n, plan->d, plan);
    plan->registers = registers;
    plan->tile_clocks = 0; /* finding candidates and testing sums is hidden by the lines */
}
