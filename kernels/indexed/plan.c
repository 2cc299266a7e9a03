#include "kernels/indexed/plan.h"

#include <math.h>

/* A tile of the model: so many turns of 32 candidates. */
enum { TURNS = 16, NEIGHBOUR_BYTES = 15584 /* of a block, in shared memory: where its candidates are */ };

static eb_worker_run run_of(const eb_kernel_plan *plan, uint64_t number)
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
    out->run = run_of;
    out->in_step = true;
    out->compiled = true;
    out->request_clocks = EB_REQUEST_CLOCKS;
    out->requests = EB_WALK_WARPS * TURNS * lines / ceil((double)out->point_bytes / 128);
    out->candidates = indexed ? (double)n : 0;
    out->tile_clocks = indexed ? EB_WALK_WARPS * TURNS * EB_WALK_TURN_CLOCKS : 0;
    out->selectivity = EB_PLAN_SELECTIVITY;
}

eb_code eb_plan_differences(bool single, unsigned registers, size_t n, size_t d, const eb_machine *machine,
                            eb_kernel_plan *out, eb_status *status)
{
    const size_t bytes = single ? sizeof(float) : sizeof(double), d_padded = (d + 3) / 4 * 4, stride = d_padded * bytes;
    const double loads = (double)stride / 16; /* of 16 bytes: a candidate's by each lane, a query's by all */
    if (machine->compute < 8 || !(eb_machine_cores(machine, bytes) > 0))
        return eb_fail(status, EB_NO_ENGINE, "no rate of CUDA cores in %s is known for %s", single ? "FP32" : "FP64",
                       machine->title);
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
