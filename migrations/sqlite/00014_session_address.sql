-- The address of the client that created a session counts the work of its timed
-- transitions. It is empty for clients that are one person.

-- +goose Up

ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';
