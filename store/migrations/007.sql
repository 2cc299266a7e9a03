-- Version 7: recall of an inverted file against its throughput: an index and what was asked of it (recall), a format
-- at an nprobe (recall_point), each of its timed passes (recall_trial).

-- Queries are rows of the dataset that were taken out of it, where no source is named. n: the points that are left.
CREATE TABLE recall (
    id               INTEGER PRIMARY KEY,
    command_id       INTEGER NOT NULL REFERENCES command (id),
    dataset_id       INTEGER NOT NULL REFERENCES dataset (id),
    device_id        INTEGER NOT NULL REFERENCES device (id),
    started          TEXT NOT NULL,
    implementation   TEXT NOT NULL,
    layout           TEXT,
    threads          INTEGER NOT NULL,
    queries          INTEGER NOT NULL CHECK (queries > 0),
    queries_source   TEXT,
    k                INTEGER NOT NULL CHECK (k > 0),
    n                INTEGER NOT NULL CHECK (n > 0),
    nlist            INTEGER NOT NULL CHECK (nlist > 0),
    m                INTEGER NOT NULL CHECK (m > 0),
    rounds           INTEGER NOT NULL,
    seed             INTEGER NOT NULL,
    accumulate       TEXT NOT NULL CHECK (accumulate IN ('f32', 'f16')),
    scale            REAL NOT NULL CHECK (scale >= 0),
    refine           INTEGER CHECK (refine >= k),
    points_wanted    INTEGER NOT NULL,
    trials_wanted    INTEGER NOT NULL,
    build_s          REAL,
    truth_s          REAL
) STRICT;
CREATE INDEX recall_command ON recall (command_id);

-- recall_low, recall_high: 95 %. From lookups on, of one pass on a GPU: warps' look-ups, their kernel's time, blocks an SM
-- holds, what one takes of shared memory, queries that a look-up serves; counters are NULL where nobody counted.
CREATE TABLE recall_point (
    id               INTEGER PRIMARY KEY,
    recall_id        INTEGER NOT NULL REFERENCES recall (id),
    lut              TEXT NOT NULL,
    entry_bytes      INTEGER NOT NULL CHECK (entry_bytes > 0),
    nprobe           INTEGER NOT NULL CHECK (nprobe > 0),
    recall           REAL NOT NULL CHECK (recall BETWEEN 0 AND 1),
    recall_low       REAL NOT NULL,
    recall_high      REAL NOT NULL,
    lookups          INTEGER,
    kernel_s         REAL,
    blocks_per_sm    INTEGER,
    shared_bytes     INTEGER,
    queries_per_lookup INTEGER,
    lookup_conflicts REAL,
    occupancy        REAL
) STRICT;
CREATE INDEX recall_point_recall ON recall_point (recall_id);

-- pass_s: all queries once; where that is short, the mean of so many passes.
CREATE TABLE recall_trial (
    point_id INTEGER NOT NULL REFERENCES recall_point (id),
    trial    INTEGER NOT NULL CHECK (trial >= 0),
    ended    TEXT NOT NULL,
    passes   INTEGER NOT NULL CHECK (passes > 0),
    pass_s   REAL NOT NULL CHECK (pass_s > 0),
    PRIMARY KEY (point_id, trial)
) STRICT, WITHOUT ROWID;
