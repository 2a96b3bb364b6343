-- Syncs that began and did not end, because their process was killed.

-- +goose Up

ALTER TABLE source ADD COLUMN begun INTEGER NOT NULL DEFAULT 0; -- since the last one that ended
