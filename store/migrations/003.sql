-- Version 3: an engine says what can be chosen of it and what it reports; the log keeps both as they come.

-- place: options of a run in the order in which their engine lists them.
CREATE TABLE run_option (
    run_id INTEGER NOT NULL REFERENCES run (id),
    name   TEXT NOT NULL,
    place  INTEGER NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial_figure (
    run_id INTEGER NOT NULL REFERENCES run (id),
    key    TEXT NOT NULL,
    trial  INTEGER NOT NULL CHECK (trial >= 0),
    value  REAL NOT NULL,
    unit   TEXT NOT NULL,
    PRIMARY KEY (run_id, key, trial)
) STRICT, WITHOUT ROWID;

-- Until now every engine's runs on a GPU carried FASTED's switches, written preset+switch-switch; they meant something to
-- fasted alone.
INSERT INTO run_option SELECT id, 'tensor', 13, tensor FROM run WHERE tensor IS NOT NULL;
INSERT INTO run_option
SELECT id, 'preset', 0, CASE WHEN switches LIKE 'paper%' THEN 'paper' ELSE 'best' END
FROM run WHERE switches IS NOT NULL AND engine = 'fasted';
WITH flag (name, place) AS (VALUES ('tile-order', 1), ('block-tile', 2), ('async-copy', 3), ('pipeline', 4),
                                   ('residency', 5), ('warp-tile', 6), ('swizzle', 7), ('alignment', 8),
                                   ('symmetric', 9), ('early-test', 10), ('aggregate', 11), ('warpgroup', 12))
INSERT INTO run_option
SELECT run.id, flag.name, place, CASE WHEN instr(switches, '+' || flag.name) THEN 'on' ELSE 'off' END
FROM run, flag
WHERE engine = 'fasted' AND (instr(switches, '+' || flag.name) OR instr(switches, '-' || flag.name));

INSERT INTO trial_figure SELECT run_id, 'upload_s', trial, upload_s, 's' FROM trial WHERE upload_s IS NOT NULL;
INSERT INTO trial_figure SELECT run_id, 'convert_s', trial, convert_s, 's' FROM trial WHERE convert_s IS NOT NULL;
INSERT INTO trial_figure SELECT run_id, 'norms_s', trial, norms_s, 's' FROM trial WHERE norms_s IS NOT NULL;
INSERT INTO trial_figure SELECT run_id, 'kernel_s', trial, kernel_s, 's' FROM trial WHERE kernel_s IS NOT NULL;
INSERT INTO trial_figure SELECT run_id, 'download_s', trial, download_s, 's' FROM trial WHERE download_s IS NOT NULL;
INSERT INTO trial_figure SELECT run_id, 'table_s', trial, table_s, 's' FROM trial WHERE table_s IS NOT NULL;
INSERT INTO trial_figure SELECT run_id, 'total_s', trial, total_s, 's' FROM trial WHERE total_s IS NOT NULL;
INSERT INTO trial_figure SELECT run_id, 'energy_j', trial, energy_j, 'J' FROM trial WHERE energy_j IS NOT NULL;
INSERT INTO trial_figure SELECT run_id, 'sm_clock_hz', trial, sm_clock_hz, 'Hz' FROM trial WHERE sm_clock_hz IS NOT NULL;
INSERT INTO trial_figure
SELECT run_id, 'throttle_reasons', trial, throttle_reasons, '' FROM trial WHERE throttle_reasons IS NOT NULL;
INSERT INTO trial_figure
SELECT run.id, 'executed_flops', trial.trial, executed_flops, ''
FROM run JOIN trial ON trial.run_id = run.id WHERE executed_flops IS NOT NULL;

ALTER TABLE trial DROP COLUMN upload_s;
ALTER TABLE trial DROP COLUMN convert_s;
ALTER TABLE trial DROP COLUMN norms_s;
ALTER TABLE trial DROP COLUMN kernel_s;
ALTER TABLE trial DROP COLUMN download_s;
ALTER TABLE trial DROP COLUMN table_s;
ALTER TABLE trial DROP COLUMN total_s;
ALTER TABLE trial DROP COLUMN energy_j;
ALTER TABLE trial DROP COLUMN sm_clock_hz;
ALTER TABLE trial DROP COLUMN throttle_reasons;

-- spec: the engine with its options as it can be typed, without those that are so by default.
ALTER TABLE run ADD COLUMN spec TEXT;
UPDATE run
SET spec = engine || coalesce('[' || (SELECT group_concat(item, ',')
                                      FROM (SELECT CASE WHEN name = 'preset' THEN value
                                                        WHEN name = 'tensor' THEN 'tensor=' || value
                                                        ELSE iif(value = 'on', '+', '-') || name END AS item
                                            FROM run_option
                                            WHERE run_id = run.id AND value NOT IN ('best', 'sm_90')
                                            ORDER BY place)) || ']', '');
ALTER TABLE run ADD COLUMN exactness TEXT CHECK (exactness IN ('truth', 'certified', 'approximate'));
UPDATE run SET exactness = CASE WHEN is_truth THEN 'truth' ELSE 'approximate' END;
ALTER TABLE run DROP COLUMN is_truth;
ALTER TABLE run DROP COLUMN tensor;
ALTER TABLE run DROP COLUMN switches;
ALTER TABLE run DROP COLUMN executed_flops;
