/* write_rungs: writes the rungs of `precision`. */
#include <math.h>

#include "store/sql.h"

eb_rung_record eb_rung_unknown(void)
{
    return (eb_rung_record){.eps = NAN,
                            .selectivity = NAN,
                            .want = NAN,
                            .coordinate_bytes = NAN,
                            .point_bytes = NAN,
                            .overlap_predicted = NAN,
                            .overlap_low = NAN,
                            .overlap_high = NAN,
                            .overlap = NAN,
                            .overlap_p01 = NAN,
                            .overlap_min = NAN,
                            .worst_point = -1,
                            .pairs_kept = NAN,
                            .pairs_right = NAN,
                            .error_of_eps = NAN,
                            .error_p999_of_eps = NAN,
                            .error_most_of_eps = NAN,
                            .error_bias_of_eps = NAN,
                            .inputs_share = NAN,
                            .knn_recall = NAN,
                            .kendall_tau = NAN,
                            .complete_eps = NAN,
                            .complete_price = NAN,
                            .rescore = NAN,
                            .rate_tflops = NAN};
}

static eb_value count_or_na(size_t count) { return count > 0 ? eb_uint(count) : eb_na(); }

eb_code eb_store_rung(eb_store *store, int64_t command, int64_t dataset, int64_t run, const eb_rung_record *r,
                      eb_status *status)
{
    static const char add[] =
        "INSERT INTO rung (command_id, dataset_id, run_id, recorded, title, spec, reference, eps, selectivity, want, "
        "coordinate_bytes, point_bytes, overlap_predicted, overlap_low, overlap_high, prediction, overlap, "
        "overlap_p01, overlap_min, "
        "worst_point, pairs_kept, pairs_right, error_of_eps, error_p999_of_eps, error_most_of_eps, error_bias_of_eps, "
        "inputs_share, k, knn_recall, kendall_tau, complete_eps, complete_price, rescore, rate_tflops, rate_gpu, "
        "sampled) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    eb_moment(now);
    return eb_add_row(store, add,
                      EB_VALUES(eb_int(command), eb_int(dataset), run > 0 ? eb_int(run) : eb_na(), eb_text(now),
                                eb_text(r->title), eb_text(r->spec), eb_text(r->reference), eb_real(r->eps),
                                eb_real(r->selectivity), eb_real(r->want), eb_real(r->coordinate_bytes),
                                eb_real(r->point_bytes), eb_real(r->overlap_predicted), eb_real(r->overlap_low),
                                eb_real(r->overlap_high), eb_text(r->prediction), eb_real(r->overlap),
                                eb_real(r->overlap_p01), eb_real(r->overlap_min),
                                r->worst_point >= 0 ? eb_int(r->worst_point) : eb_na(), eb_real(r->pairs_kept),
                                eb_real(r->pairs_right), eb_real(r->error_of_eps), eb_real(r->error_p999_of_eps),
                                eb_real(r->error_most_of_eps), eb_real(r->error_bias_of_eps), eb_real(r->inputs_share),
                                count_or_na(r->k), eb_real(r->knn_recall), eb_real(r->kendall_tau),
                                eb_real(r->complete_eps), eb_real(r->complete_price), eb_real(r->rescore),
                                eb_real(r->rate_tflops), eb_text(r->gpu), count_or_na(r->sampled)),
                      NULL, status);
}
