-- Version 8: a session says which devices its machine has, and the log keeps what each command answered.

CREATE TABLE session_device (
    session_id INTEGER NOT NULL REFERENCES session (id),
    device_id  INTEGER NOT NULL REFERENCES device (id),
    PRIMARY KEY (session_id, device_id)
) STRICT, WITHOUT ROWID;

-- dataset_id: the points that were loaded when the command ended. items: the report as JSON (store/kept.h); NULL if it
-- is longer than the log keeps.
CREATE TABLE report (
    command_id INTEGER PRIMARY KEY REFERENCES command (id),
    dataset_id INTEGER REFERENCES dataset (id),
    conclusion TEXT,
    items      TEXT
) STRICT;
