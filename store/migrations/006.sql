-- Version 6: what a person predicted in a lesson, and what came out.

CREATE TABLE lesson_answer (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session(id),
    answered TEXT NOT NULL,
    lesson TEXT NOT NULL,
    step INTEGER NOT NULL CHECK (step >= 1),
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    expected TEXT NOT NULL,
    correct INTEGER NOT NULL CHECK (correct IN (0, 1)),
    hinted INTEGER NOT NULL CHECK (hinted IN (0, 1))
) STRICT;
CREATE INDEX lesson_answer_lesson ON lesson_answer(lesson, step);
