-- The preferences of users for answers.

-- +goose Up

-- owner is the principal, or '' without authentication. language is en, de, or '' for that of each question.
CREATE TABLE preference (
    owner        text PRIMARY KEY,
    language     text NOT NULL,
    instructions text NOT NULL
);
