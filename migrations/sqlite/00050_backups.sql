-- Finished backups, and an index for new gaps.

-- +goose Up

-- place is the file. problem says why a backup failed, or is ''.
CREATE TABLE backup_run (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    place   TEXT    NOT NULL,
    size    INTEGER NOT NULL,
    problem TEXT    NOT NULL
) STRICT;

CREATE INDEX gap_first ON gap (state, first_at);
