-- Archived conversations, folders for conversations, and conversations that begin with a copy.

-- +goose Up

ALTER TABLE session ADD COLUMN archived boolean NOT NULL DEFAULT false;
ALTER TABLE session ADD COLUMN folder text NOT NULL DEFAULT '';

-- The first turns, up to this one, are a copy of another session. 0 without a copy.
ALTER TABLE session ADD COLUMN copied bigint NOT NULL DEFAULT 0;
