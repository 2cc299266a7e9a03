#include "kernels/ivfpq/settings.h"

#include <math.h>
#include <stdio.h>

enum { USUAL_NPROBE = 32 };

eb_ivfpq_settings eb_ivfpq_settings_of(const eb_options *o, eb_device_kind on, const eb_dataset *points,
                                       const eb_inverted_request *index)
{
    const eb_inverted_shape usual = eb_usual_shape(points->n, points->d);
    const size_t nlist = (size_t)eb_option_number(o, "nlist"), m = (size_t)eb_option_number(o, "m"),
                 nprobe = (size_t)eb_option_number(o, "nprobe");
    eb_ivfpq_settings out = {
        .request = {.n = points->n,
                    .shape = {nlist ? nlist : usual.nlist, m ? m : usual.m},
                    .rounds = (unsigned)eb_option_number(o, "rounds"),
                    .seed = (uint64_t)eb_option_number(o, "seed")},
        .question = {.k = 1,
                     .nprobe = nprobe,
                     .lut = (eb_table_format)eb_option_choice(o, "lut"),
                     .f16_sums = eb_option_choice(o, "accumulate") == 1,
                     .scale = eb_option_number(o, "scale")},
    };
    if (index)
        out.request = *index;
    out.request.points = points;
    if (on == EB_DEVICE_CUDA) {
        out.question.layout = (eb_table_layout)eb_option_choice(o, "layout");
        out.question.pad = eb_option_on(o, "pad");
    }
    if (nprobe == 0)
        out.question.nprobe = out.request.shape.nlist < USUAL_NPROBE ? out.request.shape.nlist : USUAL_NPROBE;
    return out;
}

eb_code eb_ivfpq_check_options(const eb_options *o, eb_device_kind on, eb_status *status)
{
    const eb_dataset any = {.n = 1, .d = 1};
    eb_inverted_question question = eb_ivfpq_settings_of(o, on, &any, NULL).question;
    question.nprobe = 1; /* the greatest nprobe depends on the points */
    return eb_inverted_check_question(&question, 1, on, status);
}

/* ---- an opened problem ---- */

void eb_ivfpq_describe(eb_ivfpq *e)
{
    const eb_inverted_shape *shape = &e->got.index->file.shape;
    const eb_inverted_work work = e->by->work(e->searching);
    char queries[32] = "a query", together[80] = "";
    if (work.side_by_side > 1)
        (void)snprintf(queries, sizeof queries, "%zu queries", work.side_by_side);
    if (work.blocks > 0)
        (void)snprintf(together, sizeof together, "; %s a table, %u blocks an SM", queries, work.blocks);
    (void)snprintf(e->description, sizeof e->description,
                   "nlist=%zu, m=%zu, nprobe=%zu, tables in %s, summed in %s; index %s%s", shape->nlist, shape->m,
                   e->question.nprobe, eb_table_format_name(e->question.lut),
                   e->question.lut == EB_TABLE_U8 ? "whole numbers"
                   : e->question.f16_sums         ? "f16"
                                                  : "f32",
                   e->got.kept ? "kept" : "built", together);
}

float eb_ivfpq_limit(const eb_ivfpq *e, double limit) { return nextafterf((float)(limit / e->unit), INFINITY); }
