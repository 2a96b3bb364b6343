-- Users who cannot sign in, and one-time links with which users set their password.

-- +goose Up

ALTER TABLE app_user ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE app_user ADD COLUMN last_seen_at INTEGER;

-- The program with which a user signed in, as it describes itself.
ALTER TABLE login ADD COLUMN client TEXT NOT NULL DEFAULT '';

-- A user has at most one link.
CREATE TABLE password_link (
    user_id    INTEGER PRIMARY KEY REFERENCES app_user (id) ON DELETE CASCADE,
    hash       BLOB    NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL
) STRICT;
