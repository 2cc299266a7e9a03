/* log: what `precision` found goes into the session log, row by row as it reports them. */
#include <math.h>

#include "core/experiment/measure.h"
#include "core/model/machine.h"
#include "core/report/find.h"
#include "shell/precision/report.h"

static int64_t integer_at(const eb_table *t, size_t row, const eb_column *key)
{
    const double x = eb_number_at(t, row, key);
    return isnan(x) ? -1 : (int64_t)x;
}

static eb_rung_record record_of(const eb_trying *t, size_t k, const eb_table *table)
{
    const eb_accuracy *a = eb_trying_accuracy(t, k);
    const eb_value word = eb_table_value(table, k, EB_F(prediction));
    const double rate = eb_number_at(table, k, EB_F(rate_model));
    const size_t sampled = a && eb_accuracy_is_sampled(a) ? a->n : 0;
    const bool of_all = a && (!sampled || isnan(t->selectivity)); /* a sample has an S of its own */
    return (eb_rung_record){.title = eb_text_at(table, k, EB_F(rung)),
                            .spec = eb_text_at(table, k, EB_F(spec)),
                            .reference = t->setup[t->rungs].spec,
                            .eps = t->eps,
                            .selectivity = of_all ? eb_selectivity(a->pairs_true, a->n) : t->selectivity,
                            .want = t->want,
                            .coordinate_bytes = eb_number_at(table, k, EB_F(rung_bytes)),
                            .point_bytes = eb_number_at(table, k, EB_F(point_bytes)),
                            .overlap_predicted = eb_number_at(table, k, EB_F(overlap_predicted)),
                            .overlap_low = eb_number_at(table, k, EB_F(overlap_low)),
                            .overlap_high = eb_number_at(table, k, EB_F(overlap_high)),
                            .prediction = word.kind == EB_TEXT ? word.as.text : NULL,
                            .overlap = eb_number_at(table, k, EB_F(overlap)),
                            .overlap_p01 = eb_number_at(table, k, EB_F(overlap_p01)),
                            .overlap_min = eb_number_at(table, k, EB_F(worst_overlap)),
                            .worst_point = integer_at(table, k, EB_F(worst_point)),
                            .pairs_kept = eb_number_at(table, k, EB_F(pairs_kept)),
                            .pairs_right = eb_number_at(table, k, EB_F(pairs_right)),
                            .error_of_eps = eb_number_at(table, k, EB_F(error_of_eps)),
                            .error_p999_of_eps = eb_number_at(table, k, EB_F(error_p999_of_eps)),
                            .error_most_of_eps = eb_number_at(table, k, EB_F(error_most_of_eps)),
                            .error_bias_of_eps = eb_number_at(table, k, EB_F(error_bias_of_eps)),
                            .inputs_share = eb_number_at(table, k, EB_F(inputs_share)),
                            .k = t->rung[k].ranked ? t->rung[k].ranks.k : 0,
                            .knn_recall = eb_number_at(table, k, EB_F(knn_recall)),
                            .kendall_tau = eb_number_at(table, k, EB_F(kendall_tau)),
                            .complete_eps = eb_number_at(table, k, EB_F(complete_eps)),
                            .complete_price = eb_number_at(table, k, EB_F(complete_price)),
                            .rescore = eb_number_at(table, k, EB_F(rescore)),
                            .rate_tflops = rate,
                            .gpu = isnan(rate) ? NULL : t->machine->name,
                            .sampled = sampled};
}

void eb_trying_log(eb_session *session, const eb_trying *t)
{
    eb_status failure;
    eb_code failed = EB_OK;
    eb_report *report = t->begun && eb_session_logs(session) ? eb_report_new("precision") : NULL;
    eb_table *table = report ? eb_rungs_table(report, NULL) : NULL;
    if (table)
        eb_rungs_add(session, t, table);
    for (size_t k = 0; table && k < table->rows && !failed; k++) {
        const eb_rung_record rung = record_of(t, k, table);
        const int64_t run = eb_trying_accuracy(t, k) ? t->measured->run[t->rung[k].run].row : 0;
        failed = eb_store_rung(session->store, session->command_row, session->dataset_row, run, &rung, &failure);
    }
    if (failed)
        eb_session_log_failed(session, &failure);
    eb_report_free(report);
}
