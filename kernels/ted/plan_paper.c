/* ted[paper] and ted-index. */
#include "kernels/ted/plan_paper.h"
#include "core/engine/engine.h"
#include "kernels/indexed/plan.h"
#include "kernels/ted/shape.h"

/* The option's choices. */
enum { USUAL, WIDE, DIFFERENCES };

/* Registers by ptxas of CUDA 13.0. */
static const unsigned registers_80[] = {69, 122, 80}, registers_90[] = {71, 118, 80};

enum { SHARED_BYTES = 16384 };

/* Lines that a warp asks for in a step of EB_TED_PAPER_TILES tiles of 8 candidates. Rows of points and of norms are
 * `stride` and `norms` bytes apart. A tile takes 8 rows in `loads` instructions and norms of two candidates a lane,
 * four at a time; 8 queries take as many rows and 8 norms. */
static double lines_of_step(unsigned loads, unsigned rows, size_t stride, size_t norms)
{
    const double points = loads * eb_lines_of(8, stride), four = eb_lines_of(8, norms) / 2;
    return EB_TED_PAPER_TILES * (points + 2 * (four < 1 ? 1 : four)) + rows / 8.0 * (points + eb_lines_of(8, norms));
}

/* The same of differences: for each query, 8 candidates of a tile and, by all of them, the query. */
static double lines_of_differences(size_t stride)
{
    return EB_TED_PAPER_ROWS * EB_TED_PAPER_TILES * (eb_lines_of(8, stride) + 1);
}

static const char *assumed(bool indexed, bool differences)
{
    if (indexed)
        return "all pairs are candidates and sums run over all dimensions, as if the grid ruled out nothing and no sum "
               "stopped early: both depend on the points; candidates= sets how many a point has";
    return differences ? NULL : "sums run over all dimensions: how many short-circuit leaves out depends on the points";
}

eb_code eb_plan_ted_paper(const eb_options *options, bool indexed, size_t n, size_t d, const eb_machine *machine,
                          eb_kernel_plan *out, eb_status *status)
{
    const size_t shape = eb_option_choice(options, "shape");
    const bool wide = shape == WIDE, differences = shape == DIFFERENCES, hopper = machine->compute >= 9;
    const unsigned rows = wide ? EB_TED_WIDE_ROWS : EB_TED_PAPER_ROWS,
                   step = wide ? EB_TED_WIDE_STEP : EB_TED_PAPER_STEP;
    const unsigned wanted = (unsigned)eb_option_number(options, "queries"), queries = wanted < rows ? wanted : rows;
    const size_t d_padded = (d + step - 1) / step * step, steps = d_padded / step;
    EB_TRY(eb_machine_needs_f64(machine, status));
    *out = (eb_kernel_plan){
        .title = wide          ? "TED-Join's kernel, FP64 m16n8k16"
                 : differences ? "TED-Join's kernel by differences, FP64 m8n8k4"
                               : "TED-Join's kernel, FP64 m8n8k4",
        .number = EB_F64_NUMBER,
        /* m8n8k4 has half the rate of Hopper's m16n8k16; queries that are not there are multiplied, too */
        .of_rate = (hopper && !wide ? 0.5 : 1) * queries / rows,
        .d_padded = d_padded,
        .point_bytes = (d_padded + (differences ? 0 : steps)) * sizeof(double), /* a norm for each step */
        .registers = (hopper ? registers_90 : registers_80)[shape],
        .assumes = assumed(indexed, differences),
    };
    const size_t stride = d_padded * sizeof(double);
    const double lines =
        differences ? lines_of_differences(stride) : lines_of_step(step / 4, rows, stride, steps * sizeof(double));
    eb_plan_walk(queries, (double)steps * lines, indexed, n, d, out);
    out->shared_bytes = SHARED_BYTES;
    out->products = differences ? EB_TED_PAPER_ROWS : 1; /* of 8 × 8 results 8 are used */
    return EB_OK;
}

eb_code eb_ted_index_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_ted_index_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                          eb_status *status)
{
    return eb_plan_ted_paper(options, true, n, d, machine, out, status);
}
