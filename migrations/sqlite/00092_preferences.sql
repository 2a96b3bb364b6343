-- The preferences of users for answers.

-- +goose Up

-- owner is the principal, or '' without authentication. language is en, de, or '' for that of each question.
CREATE TABLE preference (
    owner        TEXT PRIMARY KEY,
    language     TEXT NOT NULL,
    instructions TEXT NOT NULL
) STRICT;
