-- Settings that administrators changed while docent runs.

-- +goose Up

-- value is a text, and a JSON array for the chat models (key models). secret has encrypted API keys.
CREATE TABLE setting (
    key        text        PRIMARY KEY,
    value      text        NOT NULL,
    secret     bytea,
    changed_at timestamptz NOT NULL
);
