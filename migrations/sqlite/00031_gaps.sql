-- Gaps: groups of questions that the documents do not answer.

-- +goose Up

-- vector is the sum of the vectors of the questions. typical is the question that is most similar to
-- it. A gap without questions keeps its totals.
CREATE TABLE gap (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    model         TEXT NOT NULL,
    vector        BLOB NOT NULL,
    questions     INTEGER NOT NULL,
    people        INTEGER NOT NULL,
    first_at      INTEGER NOT NULL,
    last_at       INTEGER NOT NULL,
    typical       INTEGER NOT NULL, -- the question may have been deleted
    typical_score REAL NOT NULL,
    title         TEXT NOT NULL DEFAULT '',
    owner         TEXT NOT NULL DEFAULT '',
    state         TEXT NOT NULL DEFAULT 'open', -- open, proposed, solved, or stays_open
    note          TEXT NOT NULL DEFAULT '',
    proposal      TEXT NOT NULL DEFAULT '', -- the new answer
    asked         INTEGER NOT NULL DEFAULT 0 -- the revision of the corpus when it was asked again
) STRICT;
CREATE INDEX gap_last ON gap (model, last_at);
CREATE INDEX gap_state ON gap (state, questions, id);

ALTER TABLE answer ADD COLUMN gap_id INTEGER REFERENCES gap (id) ON DELETE SET NULL;
CREATE INDEX answer_gap ON answer (gap_id, asker);
CREATE INDEX answer_ungrouped ON answer (id)
    WHERE gap_id IS NULL AND mark = '' AND (outcome IN ('unsure', 'not_found') OR rating < 0);

CREATE TABLE gap_collection (
    gap_id        INTEGER NOT NULL REFERENCES gap (id) ON DELETE CASCADE,
    collection_id INTEGER NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    PRIMARY KEY (gap_id, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX gap_collection_collection ON gap_collection (collection_id);

-- The process that groups questions and asks gaps again.
CREATE TABLE gap_lease (
    name  TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT;
