-- Version 10: where a person is in a lesson, so that the next process goes on there.

-- At most one row: the open question. tries: wrong answers to it so far. hinted: 1 after a hint.
CREATE TABLE lesson_place (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    session_id INTEGER NOT NULL REFERENCES session (id),
    moment     TEXT NOT NULL,
    lesson     TEXT NOT NULL,
    step       INTEGER NOT NULL CHECK (step >= 1),
    tries      INTEGER NOT NULL CHECK (tries >= 0),
    hinted     INTEGER NOT NULL CHECK (hinted IN (0, 1))
) STRICT;
