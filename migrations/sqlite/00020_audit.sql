-- Acts of administrators and operators that others must be able to check. Rows are only
-- added. A new row displaces the oldest one at the limit of package auth/audit.

-- +goose Up

CREATE TABLE audit (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp INTEGER NOT NULL,
    actor     TEXT    NOT NULL,
    address   TEXT    NOT NULL,
    action    TEXT    NOT NULL,
    object    TEXT    NOT NULL
) STRICT;
