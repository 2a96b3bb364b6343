-- Changes of the contents of documents.

-- +goose Up

-- added and removed count paragraphs. edits is a list in JSON with the first of them.
CREATE TABLE document_change (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    at          INTEGER NOT NULL,
    title       TEXT    NOT NULL,
    sha256      TEXT    NOT NULL,
    size        INTEGER NOT NULL,
    added       INTEGER NOT NULL,
    removed     INTEGER NOT NULL,
    edits       TEXT    NOT NULL
) STRICT;
CREATE INDEX document_change_document ON document_change (document_id);
