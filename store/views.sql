-- The log's public views, documented in man/epsbench-log.5. Every migration makes them anew, so they fit the tables.

CREATE VIEW v_sessions AS
SELECT session.id AS session,
       session.started,
       session.ended,
       session.state,
       (SELECT count(*) FROM command WHERE session_id = session.id) AS commands,
       (SELECT count(*) FROM command WHERE session_id = session.id AND outcome = 'failed') AS failed,
       (SELECT count(*) FROM run JOIN command ON command.id = run.command_id WHERE session_id = session.id) AS runs,
       build.version,
       build.commit_hash,
       build.flags,
       build.compiler,
       session.host,
       session.pid
FROM session JOIN build ON build.id = session.build_id;

CREATE VIEW v_commands AS
SELECT id AS command, session_id AS session, text, started, duration_s, outcome, error_code, message
FROM command;

-- Medians: the middle one or two of k sorted values have k ≤ 2·place ≤ k + 2. The coefficient of variation of a single
-- value is NULL, since SQLite's division by zero is NULL.
CREATE VIEW v_runs AS
SELECT measured.*,
       2.0 * coalesce(sampled, n) * n * d / kernel_s / 1e12 AS tflops_derived,
       executed_flops / kernel_s / 1e12 AS tflops_executed
FROM (
    SELECT run.id AS run,
           command.session_id AS session,
           run.command_id AS command,
           run.started,
           run.ended,
           run.state,
           run.engine,
           run.spec,
           run.exactness,
           run.exactness = 'truth' AS is_truth,
           device.name AS device,
           device.model AS device_model,
           device.architecture AS device_architecture,
           device.driver AS device_driver,
           dataset.source AS dataset,
           dataset.sha256,
           dataset.n,
           dataset.d,
           dataset.dtype,
           run.eps,
           CAST(run.pairs - coalesce(run.sampled, dataset.n) AS REAL) / coalesce(run.sampled, dataset.n) AS selectivity,
           run.pairs,
           run.mode,
           run.distances,
           run.threads,
           (SELECT group_concat(name || '=' || value, ',')
            FROM (SELECT name, value FROM run_option WHERE run_id = run.id ORDER BY place)) AS options,
           (SELECT value FROM run_option WHERE run_id = run.id AND name = 'tensor') AS tensor,
           (SELECT value FROM run_option WHERE run_id = run.id AND name = 'preset')
               || coalesce((SELECT group_concat(iif(value = 'on', '+', '-') || name, '')
                            FROM (SELECT name, value FROM run_option
                                  WHERE run_id = run.id AND value IN ('on', 'off') ORDER BY place)), '') AS switches,
           run.memory_limit_bytes,
           run.batches,
           run.trials_wanted,
           (SELECT count(*) FROM trial WHERE run_id = run.id) AS trials,
           (SELECT sum(value <> 0) FROM trial_figure WHERE run_id = run.id AND key = 'throttle_reasons')
               AS throttled_trials,
           (SELECT avg(value) FROM (SELECT value, row_number() OVER (ORDER BY value) AS place, count(*) OVER () AS k
                                  FROM trial_figure WHERE run_id = run.id AND key = 'kernel_s')
            WHERE 2 * place BETWEEN k AND k + 2) AS kernel_s,
           (SELECT min(value) FROM trial_figure WHERE run_id = run.id AND key = 'kernel_s') AS kernel_min_s,
           (SELECT sqrt(sum((value - mean) * (value - mean)) / (count(*) - 1)) / mean
            FROM (SELECT value, avg(value) OVER () AS mean
                  FROM trial_figure WHERE run_id = run.id AND key = 'kernel_s')) AS kernel_cov,
           (SELECT avg(value) FROM (SELECT value, row_number() OVER (ORDER BY value) AS place, count(*) OVER () AS k
                                  FROM trial_figure WHERE run_id = run.id AND key = 'total_s')
            WHERE 2 * place BETWEEN k AND k + 2) AS total_s,
           (SELECT min(value) FROM trial_figure WHERE run_id = run.id AND key = 'total_s') AS total_min_s,
           (SELECT sqrt(sum((value - mean) * (value - mean)) / (count(*) - 1)) / mean
            FROM (SELECT value, avg(value) OVER () AS mean
                  FROM trial_figure WHERE run_id = run.id AND key = 'total_s')) AS total_cov,
           (SELECT avg(value) FROM (SELECT value, row_number() OVER (ORDER BY value) AS place, count(*) OVER () AS k
                                  FROM trial_figure WHERE run_id = run.id AND key = 'executed_flops')
            WHERE 2 * place BETWEEN k AND k + 2) AS executed_flops,
           (SELECT max(value) FROM trial_figure WHERE run_id = run.id AND key = 'limit_flops') AS limit_flops,
           run.remark,
           build.version,
           build.commit_hash,
           run.sampled
    FROM run
    JOIN command ON command.id = run.command_id
    JOIN session ON session.id = command.session_id
    JOIN build ON build.id = session.build_id
    JOIN dataset ON dataset.id = run.dataset_id
    JOIN device ON device.id = run.device_id
) AS measured;

CREATE VIEW v_options AS
SELECT run_id AS run, name, value
FROM run_option;

CREATE VIEW v_figures AS
SELECT run_id AS run, trial, key, value, unit
FROM trial_figure;

-- A row for each trial, with the figures that every engine reports as columns. v_figures has all figures.
CREATE VIEW v_trials AS
SELECT measured.*, throttle_reasons <> 0 AS throttled
FROM (
    SELECT t.run_id AS run,
           t.trial,
           t.ended,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'upload_s' AND f.trial = t.trial) AS upload_s,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'convert_s' AND f.trial = t.trial) AS convert_s,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'norms_s' AND f.trial = t.trial) AS norms_s,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'kernel_s' AND f.trial = t.trial) AS kernel_s,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'download_s' AND f.trial = t.trial) AS download_s,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'table_s' AND f.trial = t.trial) AS table_s,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'total_s' AND f.trial = t.trial) AS total_s,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'energy_j' AND f.trial = t.trial) AS energy_j,
           (SELECT value FROM trial_figure AS f
            WHERE f.run_id = t.run_id AND key = 'sm_clock_hz' AND f.trial = t.trial) AS sm_clock_hz,
           CAST((SELECT value FROM trial_figure AS f
                 WHERE f.run_id = t.run_id AND key = 'throttle_reasons' AND f.trial = t.trial) AS INTEGER)
               AS throttle_reasons
    FROM trial AS t
) AS measured;

CREATE VIEW v_counters AS
SELECT run_id AS run, metric, value, unit, source
FROM counter;

CREATE VIEW v_limits AS
SELECT device.name AS device, device.model AS device_model, device.architecture AS device_architecture,
       device.driver AS device_driver, metric, value, unit, measured_at
FROM device_limit
JOIN device ON device.id = device_id;

CREATE VIEW v_accuracy AS
SELECT accuracy.id AS accuracy, command.session_id AS session, command.id AS command, fast_run_id AS fast_run,
       truth_run_id AS truth_run, fast.engine AS fast_engine, truth.engine AS truth_engine, recorded, accuracy.n,
       accuracy.eps, pairs_fast, pairs_true, common, only_fast, only_true, overlap, overlap_min,
       error_mean, error_std, error_max, error_nan, errors_under, errors_over, self_pairs,
       accuracy.sampled
FROM accuracy
LEFT JOIN run AS fast ON fast.id = fast_run_id
LEFT JOIN run AS truth ON truth.id = truth_run_id
LEFT JOIN command ON command.id = coalesce(fast.command_id, truth.command_id);

CREATE VIEW v_histogram AS
SELECT accuracy_id AS accuracy, quantity, bin, low, high, count
FROM histogram_bin;

CREATE VIEW v_boundary AS
SELECT accuracy_id AS accuracy, place, i, j, dist_fast, dist_true, in_fast, in_true
FROM boundary_pair;

CREATE VIEW v_targets AS
SELECT target.id AS target, command.session_id AS session, command_id AS command, dataset.source AS dataset,
       dataset.sha256, engine, wanted, eps, selectivity, pairs, ties, sampled_eps, bracket_low, bracket_high, passes,
       reached_at_zero, coalesce(spec, engine) AS spec
FROM target
JOIN command ON command.id = command_id
JOIN dataset ON dataset.id = dataset_id;

CREATE VIEW v_sweep AS
SELECT sweep_point.id AS point, command.session_id AS session, command_id AS command, dataset.source AS dataset,
       dataset.sha256, engine, pairs IS NOT NULL AS exact, eps, selectivity, selectivity_error, pairs,
       coalesce(spec, engine) AS spec
FROM sweep_point
JOIN command ON command.id = command_id
JOIN dataset ON dataset.id = dataset_id;

CREATE VIEW v_notes AS
SELECT id AS note, session_id AS session, run_id AS run, written, text
FROM note;

CREATE VIEW v_lessons AS
SELECT id AS given, session_id AS session, answered, lesson, step, question, answer, expected, correct, hinted,
       id = max(id) OVER (PARTITION BY lesson, step) AS newest
FROM lesson_answer;

-- A row for each point. queries_per_s is from the median pass, _low and _high are from the slowest and fastest trial.
CREATE VIEW v_recall AS
SELECT measured.*, trials < trials_wanted AS partial, queries / pass_s AS queries_per_s,
       queries / pass_max_s AS queries_per_s_low, queries / pass_min_s AS queries_per_s_high
FROM (
    SELECT p.id AS point,
           r.id AS experiment,
           command.session_id AS session,
           r.command_id AS command,
           r.started,
           dataset.source AS dataset,
           dataset.sha256,
           r.n,
           dataset.d,
           r.queries,
           r.queries_source,
           r.k,
           r.nlist,
           r.m,
           r.rounds,
           r.seed,
           p.lut,
           p.entry_bytes * 256 * r.m AS table_bytes,
           r.accumulate,
           r.scale,
           r.refine,
           p.nprobe,
           device.name AS device,
           device.model AS device_model,
           r.threads,
           r.implementation,
           r.layout,
           p.recall,
           p.recall_low,
           p.recall_high,
           r.trials_wanted,
           (SELECT count(*) FROM recall_trial WHERE point_id = p.id) AS trials,
           (SELECT avg(value) FROM (SELECT pass_s AS value, row_number() OVER (ORDER BY pass_s) AS place,
                                           count(*) OVER () AS k
                                    FROM recall_trial WHERE point_id = p.id)
            WHERE 2 * place BETWEEN k AND k + 2) AS pass_s,
           (SELECT min(pass_s) FROM recall_trial WHERE point_id = p.id) AS pass_min_s,
           (SELECT max(pass_s) FROM recall_trial WHERE point_id = p.id) AS pass_max_s,
           (SELECT sqrt(sum((pass_s - mean) * (pass_s - mean)) / (count(*) - 1)) / mean
            FROM (SELECT pass_s, avg(pass_s) OVER () AS mean FROM recall_trial WHERE point_id = p.id)) AS pass_cov,
           r.build_s,
           r.truth_s,
           p.lookups,
           p.kernel_s,
           p.blocks_per_sm,
           p.shared_bytes,
           p.queries_per_lookup,
           p.lookup_conflicts,
           p.occupancy
    FROM recall_point AS p
    JOIN recall AS r ON r.id = p.recall_id
    JOIN command ON command.id = r.command_id
    JOIN dataset ON dataset.id = r.dataset_id
    JOIN device ON device.id = r.device_id
) AS measured;

CREATE VIEW v_rungs AS
SELECT rung.id AS rung, command.session_id AS session, command_id AS command, run_id AS run, recorded,
       dataset.source AS dataset, dataset.sha256, dataset.n, dataset.d, title, spec, reference, eps, selectivity, want,
       coordinate_bytes, point_bytes, overlap_predicted, overlap_low, overlap_high, prediction, overlap,
       overlap_p01, overlap_min, worst_point, pairs_kept, pairs_right, error_of_eps, error_p999_of_eps,
       error_most_of_eps, error_bias_of_eps, inputs_share, k, knn_recall, kendall_tau, complete_eps, complete_price, rescore,
       rate_tflops, rate_gpu, sampled
FROM rung
JOIN command ON command.id = command_id
JOIN dataset ON dataset.id = dataset_id;

CREATE VIEW v_recall_trials AS
SELECT point_id AS point, trial, ended, passes, pass_s
FROM recall_trial;
