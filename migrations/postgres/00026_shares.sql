-- Links with which others read a part of a session.

-- +goose Up

-- expires_at is null if the link does not expire.
CREATE TABLE share (
    link       text        PRIMARY KEY,
    session_id bigint      NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    owner      text        NOT NULL,
    name       text        NOT NULL,
    turn       bigint      NOT NULL,
    seq        bigint      NOT NULL,
    only_turn  boolean     NOT NULL,
    files      boolean     NOT NULL,
    public     boolean     NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz
);
CREATE INDEX share_session ON share (session_id);
CREATE INDEX share_owner ON share (owner, created_at);
