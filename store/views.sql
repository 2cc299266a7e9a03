-- The public interface, documented in man/epsbench-log.5. Made anew by every migration, so it always fits the tables.

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

-- Medians: of k values in order the middle one, or the two in the middle, are those with k ≤ 2·place ≤ k + 2.
-- A coefficient of variation of one value divides by zero, which is NULL.
CREATE VIEW v_runs AS
SELECT measured.*,
       2.0 * n * n * d / kernel_s / 1e12 AS tflops_derived,
       executed_flops / kernel_s / 1e12 AS tflops_executed
FROM (
    SELECT run.id AS run,
           command.session_id AS session,
           run.command_id AS command,
           run.started,
           run.ended,
           run.state,
           run.engine,
           run.is_truth,
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
           CAST(run.pairs - dataset.n AS REAL) / dataset.n AS selectivity,
           run.pairs,
           run.mode,
           run.threads,
           run.tensor,
           run.switches,
           run.memory_limit_bytes,
           run.batches,
           run.trials_wanted,
           (SELECT count(*) FROM trial WHERE run_id = run.id) AS trials,
           (SELECT sum(throttle_reasons <> 0) FROM trial WHERE run_id = run.id) AS throttled_trials,
           (SELECT avg(x) FROM (SELECT kernel_s AS x, row_number() OVER (ORDER BY kernel_s) AS place,
                                       count(*) OVER () AS k
                                FROM trial WHERE run_id = run.id AND kernel_s IS NOT NULL)
            WHERE 2 * place BETWEEN k AND k + 2) AS kernel_s,
           (SELECT min(kernel_s) FROM trial WHERE run_id = run.id) AS kernel_min_s,
           (SELECT sqrt(sum((x - mean) * (x - mean)) / (count(*) - 1)) / mean
            FROM (SELECT kernel_s AS x, avg(kernel_s) OVER () AS mean
                  FROM trial WHERE run_id = run.id AND kernel_s IS NOT NULL)) AS kernel_cov,
           (SELECT avg(x) FROM (SELECT total_s AS x, row_number() OVER (ORDER BY total_s) AS place,
                                       count(*) OVER () AS k
                                FROM trial WHERE run_id = run.id AND total_s IS NOT NULL)
            WHERE 2 * place BETWEEN k AND k + 2) AS total_s,
           (SELECT min(total_s) FROM trial WHERE run_id = run.id) AS total_min_s,
           (SELECT sqrt(sum((x - mean) * (x - mean)) / (count(*) - 1)) / mean
            FROM (SELECT total_s AS x, avg(total_s) OVER () AS mean
                  FROM trial WHERE run_id = run.id AND total_s IS NOT NULL)) AS total_cov,
           run.executed_flops,
           run.remark,
           build.version,
           build.commit_hash
    FROM run
    JOIN command ON command.id = run.command_id
    JOIN session ON session.id = command.session_id
    JOIN build ON build.id = session.build_id
    JOIN dataset ON dataset.id = run.dataset_id
    JOIN device ON device.id = run.device_id
) AS measured;

CREATE VIEW v_trials AS
SELECT run_id AS run, trial, ended, upload_s, convert_s, norms_s, kernel_s, download_s, table_s, total_s, energy_j,
       sm_clock_hz, throttle_reasons, throttle_reasons <> 0 AS throttled
FROM trial;

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
       error_mean, error_std, error_max, error_nan, errors_under, errors_over
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
       reached_at_zero
FROM target
JOIN command ON command.id = command_id
JOIN dataset ON dataset.id = dataset_id;

CREATE VIEW v_sweep AS
SELECT sweep_point.id AS point, command.session_id AS session, command_id AS command, dataset.source AS dataset,
       dataset.sha256, engine, pairs IS NOT NULL AS exact, eps, selectivity, selectivity_error, pairs
FROM sweep_point
JOIN command ON command.id = command_id
JOIN dataset ON dataset.id = dataset_id;

CREATE VIEW v_notes AS
SELECT id AS note, session_id AS session, run_id AS run, written, text
FROM note;
