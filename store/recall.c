/* recall: writes recall experiments, their points and trials. */
#include "store/write.h"

static eb_code add_experiment(eb_store *store, int64_t command, int64_t dataset, const eb_recall_experiment *e,
                              int64_t *id, eb_status *status)
{
    static const char add[] =
        "INSERT INTO recall (command_id, dataset_id, device_id, started, implementation, layout, threads, queries, "
        "queries_source, k, n, nlist, m, rounds, seed, accumulate, scale, refine, points_wanted, trials_wanted, "
        "build_s, "
        "truth_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    int64_t device;
    EB_TRY(eb_find_device(store, e->device, &device, status));
    eb_moment(now);
    return eb_sql_run(store, add,
                      EB_VALUES(eb_int(command), eb_int(dataset), eb_int(device), eb_text(now),
                                eb_text(e->implementation), eb_known_text(e->layout), eb_uint(e->threads),
                                eb_uint(e->queries), eb_text(e->queries_source), eb_uint(e->k), eb_uint(e->n),
                                eb_uint(e->nlist), eb_uint(e->m), eb_uint(e->rounds), eb_uint(e->seed),
                                eb_text(e->f16_sums ? "f16" : "f32"), eb_real(e->scale),
                                e->refine ? eb_uint(e->refine) : eb_na(), eb_uint(e->points_wanted),
                                eb_uint(e->trials_wanted), eb_real(e->build_s), eb_real(e->truth_s)),
                      id, status);
}

eb_code eb_store_recall(eb_store *store, int64_t command, int64_t dataset, const eb_recall_experiment *experiment,
                        int64_t *id, eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store, add_experiment(store, command, dataset, experiment, id, status), status);
}

static bool on_gpu(const eb_recall_point *p) { return p->work.lookups > 0; }

static eb_value of_gpu(const eb_recall_point *p, uint64_t value) { return on_gpu(p) ? eb_uint(value) : eb_na(); }

eb_code eb_store_recall_point(eb_store *store, int64_t experiment, const eb_recall_point *p, int64_t *id,
                              eb_status *status)
{
    static const char add[] =
        "INSERT INTO recall_point (recall_id, lut, entry_bytes, nprobe, recall, recall_low, "
        "recall_high, lookups, kernel_s, blocks_per_sm, shared_bytes, queries_per_lookup, lookup_conflicts, occupancy) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    return eb_add_row(store, add,
                      EB_VALUES(eb_int(experiment), eb_text(p->lut), eb_uint(p->entry_bytes), eb_uint(p->nprobe),
                                eb_real(p->recall), eb_real(p->low), eb_real(p->high), of_gpu(p, p->work.lookups),
                                on_gpu(p) ? eb_real(p->work.kernel_s) : eb_na(), of_gpu(p, p->work.blocks),
                                of_gpu(p, p->work.shared_bytes), of_gpu(p, p->work.side_by_side),
                                eb_real(p->lookup_conflicts), eb_real(p->occupancy)),
                      id, status);
}

eb_code eb_store_recall_trial(eb_store *store, int64_t point, unsigned trial, unsigned passes, double pass_s,
                              eb_status *status)
{
    static const char add[] =
        "INSERT INTO recall_trial (point_id, trial, ended, passes, pass_s) VALUES (?, ?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    eb_moment(now);
    return eb_add_row(store, add,
                      EB_VALUES(eb_int(point), eb_uint(trial), eb_text(now), eb_uint(passes), eb_real(pass_s)), NULL,
                      status);
}
