-- The agent of a session whose public id alone is known.

-- +goose Up
CREATE INDEX session_public ON session (session_id);

-- +goose Down
DROP INDEX session_public;
