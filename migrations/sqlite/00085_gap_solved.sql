-- People learn that a question without an answer has one now.

-- +goose Up

-- The document that answers a solved gap, or 0.
ALTER TABLE gap ADD COLUMN solution INTEGER NOT NULL DEFAULT 0;

-- A person solved the gap of the question, and the person who asked has not seen that.
ALTER TABLE answer ADD COLUMN solved INTEGER NOT NULL DEFAULT 0;
CREATE INDEX answer_solved ON answer (session_id, turn) WHERE solved;
