-- Archived conversations, folders for conversations, and conversations that begin with a copy.

-- +goose Up

ALTER TABLE session ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN folder TEXT NOT NULL DEFAULT '';

-- The first turns, up to this one, are a copy of another session. 0 without a copy.
ALTER TABLE session ADD COLUMN copied INTEGER NOT NULL DEFAULT 0;
