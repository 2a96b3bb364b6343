-- Settings that administrators changed while docent runs.

-- +goose Up

-- value is a text, and a JSON array for the chat models (key models). secret has encrypted API keys.
CREATE TABLE setting (
    key        TEXT    NOT NULL PRIMARY KEY,
    value      TEXT    NOT NULL,
    secret     BLOB,
    changed_at INTEGER NOT NULL
) STRICT;
