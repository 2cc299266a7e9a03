-- Version 9: the rungs of `precision`; runs and comparisons say how many rows were sampled as queries. NULL: all rows.

ALTER TABLE run ADD COLUMN sampled INTEGER CHECK (sampled > 0);
ALTER TABLE accuracy ADD COLUMN sampled INTEGER CHECK (sampled > 0);

-- A number type at one ε. From overlap to rescore: measured, NULL where it is only predicted. Errors are shares of ε. run_id:
-- the run that measured. overlap_p01: all but 1 % of the points reach it. reference: the spec of the truth. rate_tflops: by the
-- machine model, on the GPU of this name.
CREATE TABLE rung (
    id                INTEGER PRIMARY KEY,
    command_id        INTEGER NOT NULL REFERENCES command (id),
    dataset_id        INTEGER NOT NULL REFERENCES dataset (id),
    run_id            INTEGER REFERENCES run (id),
    recorded          TEXT NOT NULL,
    title             TEXT NOT NULL,
    spec              TEXT NOT NULL,
    reference         TEXT,
    eps               REAL NOT NULL,
    selectivity       REAL,
    want              REAL,
    coordinate_bytes  REAL,
    point_bytes       REAL,
    overlap_predicted REAL,
    overlap_low       REAL,
    overlap_high      REAL,
    prediction        TEXT,
    overlap           REAL,
    overlap_p01       REAL,
    overlap_min       REAL,
    worst_point       INTEGER CHECK (worst_point >= 0),
    pairs_kept        REAL,
    pairs_right       REAL,
    error_of_eps      REAL,
    error_p999_of_eps REAL,
    error_most_of_eps REAL,
    error_bias_of_eps REAL,
    inputs_share      REAL,
    k                 INTEGER CHECK (k > 0),
    knn_recall        REAL,
    kendall_tau       REAL,
    complete_eps      REAL,
    complete_price    REAL,
    rescore           REAL,
    rate_tflops       REAL,
    rate_gpu          TEXT,
    sampled           INTEGER CHECK (sampled > 0)
) STRICT;
CREATE INDEX rung_command ON rung (command_id);
CREATE INDEX rung_place ON rung (dataset_id, eps);
