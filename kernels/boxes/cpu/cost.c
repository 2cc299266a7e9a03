/* cost: estimates the seconds of a question for boxes on the CPU. The rates are those of one thread of an AVX-512
 * machine (tests/bench/cpu.md). The estimate only has to show where boxes stop being worthwhile. */
#include <math.h>

#include "kernels/boxes/cpu/boxes.h"
#include "kernels/walk/isa.h"

#define POINT_S 6e-8        /* ordering a point */
#define COORDINATE_S 1.5e-8 /* each coordinate of the point */
#define CANDIDATE_S 2e-10   /* computing a distance */
#define DIMENSION_S 1e-10   /* each dimension of the distance */
#define BOX_S 1e-9          /* testing a box against a query, or against 1/32 of a leaf */

enum { SAMPLED_LEAVES = 64 };

static double slowness(void)
{
    const eb_isa isa = eb_cpu_isa();
    return isa == EB_ISA_AVX512 ? 1 : isa == EB_ISA_AVX2 ? 1.1 : 8;
}

static double searching(double n, double d, double boxes, double candidates)
{
    return slowness() * n * (boxes * BOX_S * (1 + d / 8) + candidates * (CANDIDATE_S + DIMENSION_S * d));
}

/* A query is compared with the points of leaves within ε, those in a ball of radius ε plus about half a leaf's width.
 * In D dimensions a ball whose radius is the sum of the radii of two balls with a and b points holds (a^(1/D) +
 * b^(1/D))^D points. */
double eb_boxes_cost(const eb_estimate *estimate, const eb_context *context)
{
    const double n = (double)estimate->problem->left->n, d = (double)estimate->problem->left->d;
    const double within = 2 * eb_estimate_pairs(estimate, estimate->question->eps) / n + 1;
    const double dimension = fmax(eb_estimate_dimension(estimate), 1);
    const double met = pow(pow(within, 1 / dimension) + pow(EB_LEAF / 4.0, 1 / dimension), dimension);
    const double candidates = fmin(n, met);
    return (n * (POINT_S + COORDINATE_S * d) + searching(n, d, candidates / EB_LEAF, candidates)) / context->threads;
}

eb_code eb_boxes_look(void *state, const eb_question *question, double *seconds, eb_status *status)
{
    const eb_boxes *boxes = state;
    const eb_share all = eb_share_rows(0, boxes->finder.problem->left->n);
    const size_t leaves = boxes->leaves.order.leaves, sampled = leaves < SAMPLED_LEAVES ? leaves : SAMPLED_LEAVES;
    eb_boxes_search search;
    eb_code failed = EB_OK;
    EB_TRY(eb_boxes_begin(boxes, question->eps, &all, &search, status));
    search.sampled = true;
    for (size_t k = 0; k < sampled && !failed; k++) {
        eb_leaf_marks found;
        failed = eb_boxes_find_leaf(&search, 0, (uint32_t)(k * leaves / sampled), &found, status);
    }
    const eb_effort effort = search.threads[0].effort;
    search.threads[0].effort = (eb_effort){0};
    eb_boxes_end(&search);
    const double n = (double)boxes->finder.problem->left->n, each = 1 / (double)sampled;
    *seconds = searching(n, (double)boxes->leaves.d, (double)effort.leaf_pairs * each,
                         (double)effort.leaves * EB_LEAF * each) /
               boxes->finder.context->threads;
    return failed;
}
