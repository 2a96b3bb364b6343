-- Processes that share this database, and the process that runs each session.

-- +goose Up

-- A process renews its row. Another process deletes the row after expires_at,
-- and then all sessions of that process are free.
CREATE TABLE replica (
    id         TEXT    NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The process that runs the session, or empty. fence counts the processes that
-- loaded it. Writes with an older fence are refused.
ALTER TABLE session ADD COLUMN replica TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;
