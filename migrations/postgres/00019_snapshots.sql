-- The saved indexes of this database.

-- +goose Up

-- A process adds a row before it saves an index that it made from this database. An
-- earlier copy of the database does not have the row, and so does not use the index.
CREATE TABLE snapshot (
    number BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name   TEXT   NOT NULL UNIQUE
);
