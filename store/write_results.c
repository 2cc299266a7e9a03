/* write_results: writes measurements: runs and their trials, counters, accuracy, targets, sweeps, recall. */
#include <math.h>

#include <stdio.h>

#include "store/sql.h"

/* ---- runs ---- */

static eb_value id_or_na(int64_t id) { return id > 0 ? eb_int(id) : eb_na(); }

/* The number of rows if they are a sample of all. */
static eb_value sampled_or_na(size_t n, size_t of) { return n < of ? eb_uint(n) : eb_na(); }

static const char *mode_name(eb_run_mode mode) { return mode == EB_RUN_COUNT ? "count" : "table"; }

static eb_value distances_of(const eb_run *run)
{
    return run->mode == EB_RUN_TABLE ? eb_text(eb_distances_name(run->distances)) : eb_na();
}

static eb_code add_options(eb_store *store, int64_t run_id, const eb_setup *setup, eb_status *status)
{
    static const char add[] = "INSERT INTO run_option (run_id, name, place, value) VALUES (?, ?, ?, ?)";
    const char *name;
    char value[64];
    for (size_t k = 0; eb_options_item(&setup->options, 1u << setup->device.kind, k, &name, value, sizeof value); k++)
        EB_TRY(
            eb_sql_run(store, add, EB_VALUES(eb_int(run_id), eb_text(name), eb_uint(k), eb_text(value)), NULL, status));
    return EB_OK;
}

static eb_code add_run(eb_store *store, int64_t command, int64_t dataset, const eb_run *run, int64_t *run_id,
                       eb_status *status)
{
    static const char add[] =
        "INSERT INTO run (command_id, dataset_id, device_id, engine, spec, exactness, eps, mode, distances, threads, "
        "memory_limit_bytes, trials_wanted, sampled, started, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "'running')";
    char now[EB_MOMENT_BYTES];
    int64_t device;
    const eb_setup *setup = &run->setup;
    uint64_t limit = setup->resources.memory_limit;
    EB_TRY(eb_find_device(store, &setup->device, &device, status));
    eb_moment(now);
    EB_TRY(eb_sql_run(store, add,
                      EB_VALUES(eb_int(command), eb_int(dataset), eb_int(device), eb_text(setup->engine->name),
                                eb_text(setup->spec), eb_text(eb_exactness_name(eb_setup_exactness(setup))),
                                eb_real(run->eps), eb_text(mode_name(run->mode)), distances_of(run),
                                eb_uint(setup->resources.threads), limit ? eb_uint(limit) : eb_na(),
                                eb_uint(run->trials_wanted), sampled_or_na(run->n, run->others), eb_text(now)),
                      run_id, status));
    return add_options(store, *run_id, setup, status);
}

eb_code eb_store_run_begin(eb_store *store, int64_t command, int64_t dataset, const eb_run *run, int64_t *run_id,
                           eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    eb_code failed = eb_sql_end(store, add_run(store, command, dataset, run, run_id, status), status);
    if (!failed && store->pending.waits)
        store->pending.runs++;
    return failed;
}

eb_code eb_store_run_end(eb_store *store, int64_t run_id, const eb_run *run, eb_status *status)
{
    static const char text[] =
        "UPDATE run SET ended = ?, state = ?, mode = ?, distances = ?, pairs = ?, batches = ?, remark = ? WHERE id = ?";
    char now[EB_MOMENT_BYTES], remark[sizeof run->warning + sizeof run->note + 16];
    bool measured = run->trials_done > 0, warned = run->warning[0] != '\0';
    (void)snprintf(remark, sizeof remark, "%s%s%s%s", warned ? "warning: " : "", run->warning,
                   warned && run->note[0] ? "; " : "", run->note);
    eb_moment(now);
    return eb_change_row(store, text,
                         EB_VALUES(eb_text(now), eb_text(eb_run_state_name(run->state)), eb_text(mode_name(run->mode)),
                                   distances_of(run), measured ? eb_uint(run->pairs) : eb_na(),
                                   measured && run->mode == EB_RUN_TABLE ? eb_uint(run->batches) : eb_na(),
                                   eb_known_text(remark), eb_int(run_id)),
                         "run", run_id, status);
}

/* ---- trials and counters ---- */

/* Logs a trial's figures; unknown ones (NAN) get no row. */
static eb_code add_figures(eb_store *store, int64_t run_id, unsigned trial, const eb_figures *figures,
                           eb_status *status)
{
    static const char add[] = "INSERT INTO trial_figure (run_id, key, trial, value, unit) VALUES (?, ?, ?, ?, ?)";
    for (size_t k = 0; k < figures->count; k++) {
        const eb_figure *figure = &figures->figure[k];
        if (isfinite(figure->value))
            EB_TRY(eb_sql_run(store, add,
                              EB_VALUES(eb_int(run_id), eb_text(figure->key), eb_uint(trial), eb_real(figure->value),
                                        eb_text(eb_unit_symbol(figure->unit))),
                              NULL, status));
    }
    return EB_OK;
}

static eb_code add_trial(eb_store *store, int64_t run_id, const eb_run *run, unsigned trial, eb_status *status)
{
    static const char add[] = "INSERT INTO trial (run_id, trial, ended) VALUES (?, ?, ?)";
    static const char keep_pairs[] = "UPDATE run SET pairs = ? WHERE id = ? AND pairs IS NULL";
    char now[EB_MOMENT_BYTES];
    eb_moment(now);
    EB_TRY(eb_sql_run(store, add, EB_VALUES(eb_int(run_id), eb_uint(trial), eb_text(now)), NULL, status));
    EB_TRY(add_figures(store, run_id, trial, &run->trials[trial], status));
    /* Stored with the first trial, so that a run that is killed later has its pairs. */
    return eb_sql_run(store, keep_pairs, EB_VALUES(eb_uint(run->pairs), eb_int(run_id)), NULL, status);
}

eb_code eb_store_trial(eb_store *store, int64_t run_id, const eb_run *run, unsigned trial, eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store, add_trial(store, run_id, run, trial, status), status);
}

eb_code eb_store_counter(eb_store *store, int64_t run_id, const char *metric, double value, const char *unit,
                         const char *source, eb_status *status)
{
    static const char add[] = "INSERT OR REPLACE INTO counter (run_id, metric, value, unit, source) "
                              "VALUES (?, ?, ?, ?, ?)";
    return eb_add_row(store, add,
                      EB_VALUES(eb_int(run_id), eb_text(metric), eb_real(value), eb_text(unit), eb_text(source)), NULL,
                      status);
}

/* ---- accuracy ---- */

static eb_code add_bin(eb_store *store, int64_t accuracy, const char *quantity, size_t bin, double low, double high,
                       uint64_t count, eb_status *status)
{
    static const char add[] =
        "INSERT INTO histogram_bin (accuracy_id, quantity, bin, low, high, count) VALUES (?, ?, ?, ?, ?, ?)";
    return eb_sql_run(store, add,
                      EB_VALUES(eb_int(accuracy), eb_text(quantity), eb_uint(bin), eb_real(low), eb_real(high),
                                eb_uint(count)),
                      NULL, status);
}

static eb_code add_bins(eb_store *store, int64_t id, const eb_accuracy *accuracy, eb_status *status)
{
    const eb_histogram *errors = &accuracy->errors;
    double width = (errors->high - errors->low) / (double)(errors->bins ? errors->bins : 1);
    for (size_t k = 0; k < errors->bins; k++)
        EB_TRY(add_bin(store, id, "error", k, errors->low + (double)k * width,
                       k + 1 == errors->bins ? errors->high : errors->low + (double)(k + 1) * width, errors->count[k],
                       status));
    for (size_t k = 0; k < EB_OVERLAP_BINS; k++)
        EB_TRY(add_bin(store, id, "overlap", k, (double)k / EB_OVERLAP_BINS, (double)(k + 1) / EB_OVERLAP_BINS,
                       accuracy->overlap_bins[k], status));
    return EB_OK;
}

static eb_code add_boundary(eb_store *store, int64_t id, const eb_accuracy *accuracy, eb_status *status)
{
    static const char add[] = "INSERT INTO boundary_pair (accuracy_id, place, i, j, dist_fast, dist_true, in_fast, "
                              "in_true) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    for (size_t k = 0; k < accuracy->boundary_count; k++) {
        const eb_boundary_pair *pair = &accuracy->boundary[k];
        EB_TRY(
            eb_sql_run(store, add,
                       EB_VALUES(eb_int(id), eb_uint(k), eb_uint(pair->i), eb_uint(pair->j), eb_real(pair->dist_fast),
                                 eb_real(pair->dist_true), eb_bool(pair->in_fast), eb_bool(pair->in_true)),
                       NULL, status));
    }
    return EB_OK;
}

static eb_code add_accuracy(eb_store *store, int64_t fast_run, int64_t truth_run, const eb_accuracy *a,
                            eb_status *status)
{
    static const char add[] =
        "INSERT INTO accuracy (fast_run_id, truth_run_id, recorded, n, eps, pairs_fast, pairs_true, common, only_fast, "
        "only_true, overlap, overlap_min, error_mean, error_std, error_max, error_nan, errors_under, errors_over, "
        "self_pairs, sampled) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    int64_t id;
    eb_moment(now);
    EB_TRY(eb_sql_run(store, add,
                      EB_VALUES(id_or_na(fast_run), id_or_na(truth_run), eb_text(now), eb_uint(a->n), eb_real(a->eps),
                                eb_uint(a->pairs_fast), eb_uint(a->pairs_true), eb_uint(a->common),
                                eb_uint(a->only_fast), eb_uint(a->only_true), eb_real(a->overlap),
                                eb_real(a->overlap_min), eb_real(a->error_mean), eb_real(a->error_std),
                                eb_real(a->error_max), eb_uint(a->error_nan), eb_uint(a->errors.under),
                                eb_uint(a->errors.over), eb_bool(a->self_pairs), sampled_or_na(a->n, a->of)),
                      &id, status));
    EB_TRY(add_bins(store, id, a, status));
    return add_boundary(store, id, a, status);
}

eb_code eb_store_accuracy(eb_store *store, int64_t fast_run, int64_t truth_run, const eb_accuracy *accuracy,
                          eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store, add_accuracy(store, fast_run, truth_run, accuracy, status), status);
}

/* ---- ε and selectivity ---- */

/* The engine's name: the part of a spec before its bracket. */
#define ENGINE_OF(spec) "substr(" spec ", 1, instr(" spec " || '[', '[') - 1)"

eb_code eb_store_target(eb_store *store, int64_t command, int64_t dataset, const char *spec, const eb_target *target,
                        eb_status *status)
{
    static const char add[] =
        "INSERT INTO target (command_id, dataset_id, spec, wanted, eps, selectivity, pairs, ties, sampled_eps, "
        "bracket_low, bracket_high, passes, reached_at_zero, engine) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, " ENGINE_OF("?3") ")";
    return eb_add_row(store, add,
                      EB_VALUES(eb_int(command), eb_int(dataset), eb_text(spec), eb_real(target->wanted),
                                eb_real(target->eps), eb_real(target->selectivity), eb_uint(target->pairs),
                                eb_uint(target->ties), eb_real(target->sampled_eps), eb_real(target->bracket_low),
                                eb_real(target->bracket_high), eb_uint(target->passes),
                                eb_bool(target->reached_at_zero)),
                      NULL, status);
}

eb_code eb_store_sweep(eb_store *store, int64_t command, int64_t dataset, const char *spec, size_t points,
                       const double *eps, const double *selectivity, const double *error, const uint64_t *pairs,
                       eb_status *status)
{
    static const char add[] = "INSERT INTO sweep_point (command_id, dataset_id, spec, eps, selectivity, "
                              "selectivity_error, pairs, engine) "
                              "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, " ENGINE_OF("?3") ")";
    eb_code failed = EB_OK;
    EB_TRY(eb_sql_begin(store, status));
    for (size_t k = 0; k < points && !failed; k++)
        failed = eb_sql_run(store, add,
                            EB_VALUES(eb_int(command), eb_int(dataset), eb_text(spec), eb_real(eps[k]),
                                      eb_real(selectivity[k]), error ? eb_real(error[k]) : eb_na(),
                                      pairs ? eb_uint(pairs[k]) : eb_na()),
                            NULL, status);
    return eb_sql_end(store, failed, status);
}

/* ---- recall ---- */

static eb_code add_experiment(eb_store *store, int64_t command, int64_t dataset, const eb_recall_experiment *e,
                              int64_t *id, eb_status *status)
{
    static const char add[] =
        "INSERT INTO recall (command_id, dataset_id, device_id, started, implementation, layout, threads, queries, "
        "queries_source, k, n, nlist, m, rounds, seed, accumulate, scale, refine, points_wanted, trials_wanted, "
        "build_s, truth_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    int64_t device;
    EB_TRY(eb_find_device(store, e->device, &device, status));
    eb_moment(now);
    return eb_sql_run(store, add,
                      EB_VALUES(eb_int(command), eb_int(dataset), eb_int(device), eb_text(now),
                                eb_text(e->implementation), eb_known_text(e->layout), eb_uint(e->threads),
                                eb_uint(e->queries), eb_text(e->queries_source), eb_uint(e->k), eb_uint(e->request->n),
                                eb_uint(e->request->shape.nlist), eb_uint(e->request->shape.m),
                                eb_uint(e->request->rounds), eb_uint(e->request->seed),
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
                      EB_VALUES(eb_int(experiment), eb_text(eb_table_format_name(p->lut)),
                                eb_uint(eb_table_entry_bytes(p->lut)), eb_uint(p->nprobe), eb_real(p->recall.mean),
                                eb_real(p->recall.low), eb_real(p->recall.high), of_gpu(p, p->work.lookups),
                                on_gpu(p) ? eb_real(p->work.kernel_s) : eb_na(), of_gpu(p, p->work.blocks),
                                of_gpu(p, p->work.shared_bytes), of_gpu(p, p->work.side_by_side),
                                eb_real(p->wavefronts - 1), eb_real(p->occupancy)),
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
