-- Facts that agents remember about users.

-- +goose Up

-- owner is the principal, or '' without authentication. expires_at is null for facts that stay.
CREATE TABLE memory (
    owner      TEXT    NOT NULL,
    agent_name TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    content    TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (owner, agent_name, key)
) STRICT;
