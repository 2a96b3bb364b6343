-- Questions that are kept as tests, and the runs that ask them.

-- +goose Up

-- A question without a collection searches all collections. history is a JSON array of
-- {"role","text"}. expect is passage, absent, or '' while nobody has decided. The results of the
-- last run and of the one before have no time without a run.
CREATE TABLE kept_question (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id   INTEGER REFERENCES collection (id) ON DELETE CASCADE,
    question        TEXT NOT NULL,
    history         TEXT NOT NULL,
    expect          TEXT NOT NULL,
    file            TEXT NOT NULL,
    quote           TEXT NOT NULL,
    answer_id       INTEGER UNIQUE REFERENCES answer (id) ON DELETE SET NULL,
    edits           INTEGER NOT NULL DEFAULT 0,
    at              INTEGER NOT NULL,
    last_at         INTEGER,
    last_outcome    TEXT NOT NULL DEFAULT '',
    last_evidence   REAL,
    last_rank       INTEGER NOT NULL DEFAULT 0,
    before_at       INTEGER,
    before_outcome  TEXT NOT NULL DEFAULT '',
    before_evidence REAL,
    before_rank     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX kept_question_collection ON kept_question (collection_id, id);

-- A run without an end still runs, or its process was killed.
CREATE TABLE quality_run (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    questions  INTEGER NOT NULL,
    done       INTEGER NOT NULL DEFAULT 0,
    failed     INTEGER NOT NULL DEFAULT 0,
    reason     TEXT NOT NULL DEFAULT '',
    sentence   TEXT NOT NULL DEFAULT ''
) STRICT;

-- Questions that were marked before.
INSERT INTO kept_question (collection_id, question, history, expect, file, quote, answer_id, at)
SELECT (SELECT min(k.collection_id) FROM answer_collection k WHERE k.answer_id = a.id), a.question, '[]', '', '', '', a.id, a.at
FROM answer a WHERE a.mark = 'test' ORDER BY a.id LIMIT 1000;
