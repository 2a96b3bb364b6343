-- Messages that replace earlier turns, sessions that were reset, and who may
-- do what.

-- +goose Up

-- The turn from which on a user's message replaces what was said before it:
-- turns t with replaces <= t < turn are no part of the conversation any more,
-- but stay on record. 0 replaces nothing.
ALTER TABLE chat ADD COLUMN replaces INTEGER NOT NULL DEFAULT 0;
CREATE INDEX chat_replaces ON chat (session_id, turn, replaces) WHERE replaces > 0;

-- The seq given last when the session was reset; what had it or less is gone.
ALTER TABLE session ADD COLUMN reset_seq INTEGER NOT NULL DEFAULT 0;

-- What a token or a user may do: words of ask, ingest, admin with a blank between.
ALTER TABLE api_token ADD COLUMN scopes TEXT NOT NULL DEFAULT 'ask';
ALTER TABLE api_token ADD COLUMN user_id INTEGER REFERENCES app_user (id) ON DELETE CASCADE; -- on whose behalf; null: its own
CREATE UNIQUE INDEX api_token_name ON api_token (name);
ALTER TABLE app_user ADD COLUMN scopes TEXT NOT NULL DEFAULT 'ask';

-- Who is logged in, by the hash of a cookie.
CREATE TABLE login (
    hash         BLOB    PRIMARY KEY,
    user_id      INTEGER NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_user ON login (user_id);
CREATE INDEX login_expires ON login (expires_at);
