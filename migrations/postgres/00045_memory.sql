-- Facts that agents remember about users.

-- +goose Up

-- owner is the principal, or '' without authentication. expires_at is null for facts that stay.
CREATE TABLE memory (
    owner      text        NOT NULL,
    agent_name text        NOT NULL,
    key        text        NOT NULL,
    content    jsonb       NOT NULL,
    updated_at timestamptz NOT NULL,
    expires_at timestamptz,
    PRIMARY KEY (owner, agent_name, key)
);
