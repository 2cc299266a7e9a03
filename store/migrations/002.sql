-- Version 2: what a device does at best, measured; the newest measurement of each limit.

CREATE TABLE device_limit (
    device_id   INTEGER NOT NULL REFERENCES device (id),
    metric      TEXT NOT NULL,
    value       REAL NOT NULL CHECK (value > 0),
    unit        TEXT NOT NULL,
    measured_at TEXT NOT NULL,
    PRIMARY KEY (device_id, metric)
) STRICT, WITHOUT ROWID;
