#include "kernels/certified/pair.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/certified/bound.h"
#include "kernels/certified/frame.h"

typedef struct placed {
    double *x;           /* [d] the stored point */
    eb_operand *operand; /* [d, in whole blocks] */
    eb_certified_point point;
} placed;

static void place(placed *p, size_t d, const eb_certified_frame *frame)
{
    eb_certified_sums sums = {0};
    for (size_t k = 0; k < d; k++) {
        const double y = ldexp(p->x[k] - frame->centre[k], frame->exponent);
        float near = eb_half_to_float(eb_half_from_double(eb_certified_inside(y)));
        if (!eb_certified_keeps((double)near))
            near = 0;
        p->operand[k] = eb_operand_of(EB_F16_NUMBER, near);
        eb_certified_add(&sums, y, (double)near);
    }
    p->point = eb_certified_point_of(sums, (unsigned)d);
}

static void decide(const placed *p, size_t d, size_t length, double eps, const eb_adder *adder, double scale,
                   eb_certificate *out)
{
    const eb_certified_bound bound = eb_certified_bound_of(eps, scale, (unsigned)d, adder->block);
    eb_certified_level level[2];
    for (size_t e = 0; e < 2; e++)
        level[e] = eb_certified_level_of(p[e].point, bound);
    const float q = (level[0].s + level[1].s) - 2 * eb_adder_dot(adder, 0, p[0].operand, p[1].operand, length);
    const bool sure = eb_certified_surely(q, eb_certified_width(p[0].point, level[0].s, bound),
                                          eb_certified_width(p[1].point, level[1].s, bound), bound.surely);
    const float threshold = eb_certified_threshold(bound);
    out->least = (double)q / (scale * scale);
    out->threshold = (double)threshold / (scale * scale);
    out->moved = (p[0].point.moved + p[1].point.moved) / scale;
    out->verdict = q > threshold ? EB_RULED_OUT : sure ? EB_SURE : EB_LEFT_OPEN;
}

eb_code eb_certificate_of(const eb_dataset *ds, size_t i, size_t j, double eps, const eb_adder *adder,
                          eb_certificate *out, eb_status *status)
{
    const size_t d = ds->d, length = (d + adder->block - 1) / adder->block * adder->block, point[2] = {i, j};
    eb_certified_frame frame = {.centre = NULL};
    double *x = malloc(2 * d * sizeof *x);
    eb_operand *operand = calloc(2 * length, sizeof *operand);
    placed p[2] = {{.x = x, .operand = operand}, {.x = x + d, .operand = operand + length}};
    eb_code failed = x && operand ? eb_certified_frame_make(ds, true, true, &frame, status)
                                  : eb_fail_memory(status, "a pair's coordinates", 2 * length * sizeof *operand);
    for (size_t e = 0; e < 2 && !failed; e++) {
        eb_to_f64(ds->dtype, eb_row(ds, point[e]), d, p[e].x);
        place(&p[e], d, &frame);
    }
    if (!failed)
        decide(p, d, length, eps, adder, ldexp(1, frame.exponent), out);
    eb_certified_frame_free(&frame);
    free(x);
    free(operand);
    return failed;
}
