-- Passages below approved answers.

-- +goose Up

-- revision is the version of the linked document in which quote was last found, or 0.
CREATE TABLE approved_passage (
    document_id INTEGER NOT NULL REFERENCES approved_answer (document_id) ON DELETE CASCADE,
    place       INTEGER NOT NULL,
    linked      INTEGER NOT NULL, -- the document may have been deleted
    revision    INTEGER NOT NULL,
    quote       TEXT    NOT NULL,
    PRIMARY KEY (document_id, place)
) STRICT, WITHOUT ROWID;
