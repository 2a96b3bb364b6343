-- Approved answers. Each is a document that people wrote for some questions.

-- +goose Up

-- questions has one question in each line. review is the day of the next check, YYYY-MM-DD, or ''.
CREATE TABLE approved_answer (
    document_id INTEGER NOT NULL PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    questions   TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    signed      TEXT    NOT NULL,
    owner       TEXT    NOT NULL,
    review      TEXT    NOT NULL,
    at          INTEGER NOT NULL
) STRICT;

-- The documents below an approved answer. sha256 is their content when somebody last checked it.
CREATE TABLE approved_link (
    document_id INTEGER NOT NULL REFERENCES approved_answer (document_id) ON DELETE CASCADE,
    linked      INTEGER NOT NULL, -- the document may have been deleted
    sha256      TEXT    NOT NULL,
    PRIMARY KEY (document_id, linked)
) STRICT, WITHOUT ROWID;
