-- Encoders embed chunks in the background. One row per model: its last write,
-- and the process that encodes.

-- +goose Up

CREATE TABLE encoder (
    model       TEXT    NOT NULL PRIMARY KEY,
    revision    INTEGER NOT NULL,
    lease_owner TEXT    NOT NULL DEFAULT '',
    lease_until INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE encoding (
    chunk_id INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
    model    TEXT    NOT NULL,
    revision INTEGER NOT NULL, -- of encoder
    vector   BLOB    NOT NULL, -- int8
    PRIMARY KEY (chunk_id, model)
) STRICT;
CREATE INDEX encoding_revision ON encoding (model, revision);
