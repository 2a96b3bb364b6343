-- A session remembers the key of its last commit, and the seq before it, so that
-- the same commit can be written again without effect.

-- +goose Up
ALTER TABLE session ADD COLUMN commit_key TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN commit_seq INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE session DROP COLUMN commit_key;
ALTER TABLE session DROP COLUMN commit_seq;
