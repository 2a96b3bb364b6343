-- Users who cannot sign in, and one-time links with which users set their password.

-- +goose Up

ALTER TABLE app_user ADD COLUMN disabled boolean NOT NULL DEFAULT false;
ALTER TABLE app_user ADD COLUMN last_seen_at timestamptz;

-- The program with which a user signed in, as it describes itself.
ALTER TABLE login ADD COLUMN client text NOT NULL DEFAULT '';

-- A user has at most one link.
CREATE TABLE password_link (
    user_id    bigint      PRIMARY KEY REFERENCES app_user (id) ON DELETE CASCADE,
    hash       bytea       NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL
);
