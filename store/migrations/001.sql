-- Version 1: the tables. Moments are ISO 8601 in UTC with nanoseconds; what is unknown is NULL, never 0.

CREATE TABLE build (
    id          INTEGER PRIMARY KEY,
    version     TEXT NOT NULL,
    commit_hash TEXT NOT NULL,
    flags       TEXT NOT NULL,
    compiler    TEXT NOT NULL,
    UNIQUE (version, commit_hash, flags, compiler)
) STRICT;

-- A process is told apart from a later one of the same number by its start, in clock ticks since the boot.
CREATE TABLE session (
    id            INTEGER PRIMARY KEY,
    build_id      INTEGER NOT NULL REFERENCES build (id),
    started       TEXT NOT NULL,
    ended         TEXT,
    state         TEXT NOT NULL CHECK (state IN ('running', 'ended', 'interrupted')),
    host          TEXT NOT NULL,
    boot          TEXT NOT NULL,
    pid           INTEGER NOT NULL,
    process_start INTEGER NOT NULL
) STRICT;
CREATE INDEX session_running ON session (state) WHERE state = 'running';

CREATE TABLE command (
    id         INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    text       TEXT NOT NULL,
    started    TEXT NOT NULL,
    duration_s REAL,
    outcome    TEXT NOT NULL CHECK (outcome IN ('running', 'ok', 'failed', 'cancelled', 'interrupted')),
    error_code TEXT,
    message    TEXT
) STRICT;
CREATE INDEX command_session ON command (session_id);

-- The hash covers element type, shape and values; the same points from two places are two rows with one hash.
CREATE TABLE dataset (
    id     INTEGER PRIMARY KEY,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    source TEXT NOT NULL,
    format TEXT NOT NULL,
    n      INTEGER NOT NULL CHECK (n > 0),
    d      INTEGER NOT NULL CHECK (d > 0),
    dtype  TEXT NOT NULL,
    UNIQUE (sha256, source, format)
) STRICT;

CREATE TABLE device (
    id           INTEGER PRIMARY KEY,
    kind         TEXT NOT NULL CHECK (kind IN ('cpu', 'cuda')),
    name         TEXT NOT NULL,
    model        TEXT NOT NULL,
    architecture TEXT NOT NULL,
    units        INTEGER,
    memory_bytes INTEGER,
    clock_hz     REAL,
    driver       TEXT
) STRICT;

-- executed_flops: floating-point operations of one join as the engine does it; the derived ones follow from n and d.
CREATE TABLE run (
    id                 INTEGER PRIMARY KEY,
    command_id         INTEGER NOT NULL REFERENCES command (id),
    dataset_id         INTEGER NOT NULL REFERENCES dataset (id),
    device_id          INTEGER NOT NULL REFERENCES device (id),
    engine             TEXT NOT NULL,
    is_truth           INTEGER NOT NULL CHECK (is_truth IN (0, 1)),
    eps                REAL NOT NULL CHECK (eps >= 0),
    mode               TEXT NOT NULL CHECK (mode IN ('count', 'table')),
    threads            INTEGER NOT NULL,
    tensor             TEXT,
    switches           TEXT,
    memory_limit_bytes INTEGER,
    trials_wanted      INTEGER NOT NULL,
    started            TEXT NOT NULL,
    ended              TEXT,
    state              TEXT NOT NULL CHECK (state IN ('running', 'done', 'partial', 'failed', 'interrupted')),
    pairs              INTEGER CHECK (pairs >= 0),
    batches            INTEGER,
    executed_flops     REAL,
    remark             TEXT
) STRICT;
CREATE INDEX run_command ON run (command_id);

CREATE TABLE trial (
    run_id           INTEGER NOT NULL REFERENCES run (id),
    trial            INTEGER NOT NULL CHECK (trial >= 0),
    ended            TEXT NOT NULL,
    upload_s         REAL,
    convert_s        REAL,
    norms_s          REAL,
    kernel_s         REAL,
    download_s       REAL,
    table_s          REAL,
    total_s          REAL,
    energy_j         REAL,
    sm_clock_hz      REAL,
    throttle_reasons INTEGER,
    PRIMARY KEY (run_id, trial)
) STRICT, WITHOUT ROWID;

-- Key columns first: integrity_check of some SQLite versions misreads tables without rowid that mix them.
CREATE TABLE counter (
    run_id INTEGER NOT NULL REFERENCES run (id),
    metric TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('cupti', 'nvml', 'model')),
    value  REAL,
    unit   TEXT NOT NULL,
    PRIMARY KEY (run_id, metric, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE accuracy (
    id           INTEGER PRIMARY KEY,
    fast_run_id  INTEGER REFERENCES run (id),
    truth_run_id INTEGER REFERENCES run (id),
    recorded     TEXT NOT NULL,
    n            INTEGER NOT NULL,
    eps          REAL NOT NULL,
    pairs_fast   INTEGER NOT NULL,
    pairs_true   INTEGER NOT NULL,
    common       INTEGER NOT NULL,
    only_fast    INTEGER NOT NULL,
    only_true    INTEGER NOT NULL,
    overlap      REAL,
    overlap_min  REAL,
    error_mean   REAL,
    error_std    REAL,
    error_max    REAL,
    error_nan    INTEGER NOT NULL,
    errors_under INTEGER NOT NULL,
    errors_over  INTEGER NOT NULL
) STRICT;
CREATE INDEX accuracy_fast ON accuracy (fast_run_id);
CREATE INDEX accuracy_truth ON accuracy (truth_run_id);

CREATE TABLE histogram_bin (
    accuracy_id INTEGER NOT NULL REFERENCES accuracy (id),
    quantity    TEXT NOT NULL CHECK (quantity IN ('error', 'overlap')),
    bin         INTEGER NOT NULL CHECK (bin >= 0),
    low         REAL NOT NULL,
    high        REAL NOT NULL,
    count       INTEGER NOT NULL CHECK (count >= 0),
    PRIMARY KEY (accuracy_id, quantity, bin)
) STRICT, WITHOUT ROWID;

-- The pairs nearest to ε, nearest first, with both verdicts.
CREATE TABLE boundary_pair (
    accuracy_id INTEGER NOT NULL REFERENCES accuracy (id),
    place       INTEGER NOT NULL CHECK (place >= 0),
    i           INTEGER NOT NULL,
    j           INTEGER NOT NULL,
    dist_fast   REAL,
    dist_true   REAL,
    in_fast     INTEGER NOT NULL CHECK (in_fast IN (0, 1)),
    in_true     INTEGER NOT NULL CHECK (in_true IN (0, 1)),
    PRIMARY KEY (accuracy_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE target (
    id              INTEGER PRIMARY KEY,
    command_id      INTEGER NOT NULL REFERENCES command (id),
    dataset_id      INTEGER NOT NULL REFERENCES dataset (id),
    engine          TEXT NOT NULL,
    wanted          REAL NOT NULL,
    eps             REAL NOT NULL,
    selectivity     REAL NOT NULL,
    pairs           INTEGER NOT NULL,
    ties            INTEGER NOT NULL,
    sampled_eps     REAL,
    bracket_low     REAL,
    bracket_high    REAL,
    passes          INTEGER NOT NULL,
    reached_at_zero INTEGER NOT NULL CHECK (reached_at_zero IN (0, 1))
) STRICT;
CREATE INDEX target_command ON target (command_id);

-- A sampled point has an error and no pairs, an exact one pairs and no error.
CREATE TABLE sweep_point (
    id                INTEGER PRIMARY KEY,
    command_id        INTEGER NOT NULL REFERENCES command (id),
    dataset_id        INTEGER NOT NULL REFERENCES dataset (id),
    engine            TEXT NOT NULL,
    eps               REAL NOT NULL,
    selectivity       REAL,
    selectivity_error REAL,
    pairs             INTEGER
) STRICT;
CREATE INDEX sweep_command ON sweep_point (command_id);

CREATE TABLE note (
    id         INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    run_id     INTEGER REFERENCES run (id),
    written    TEXT NOT NULL,
    text       TEXT NOT NULL
) STRICT;
CREATE INDEX note_session ON note (session_id);
CREATE INDEX note_run ON note (run_id);
