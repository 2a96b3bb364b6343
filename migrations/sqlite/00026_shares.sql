-- Links with which others read a part of a session.

-- +goose Up

-- expires_at is null if the link does not expire.
CREATE TABLE share (
    link       TEXT    PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    owner      TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    turn       INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    only_turn  INTEGER NOT NULL,
    files      INTEGER NOT NULL,
    public     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT;
CREATE INDEX share_session ON share (session_id);
CREATE INDEX share_owner ON share (owner, created_at);
