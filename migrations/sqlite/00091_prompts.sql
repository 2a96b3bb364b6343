-- Prompts that users keep.

-- +goose Up

-- owner is the principal, or '' without authentication, and after the owner's account was deleted.
CREATE TABLE prompt (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    shared     INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX prompt_owner ON prompt (owner);
CREATE INDEX prompt_shared ON prompt (id) WHERE shared;
