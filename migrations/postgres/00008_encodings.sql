-- Encoders embed chunks in the background. One row per model: its last write,
-- and the process that encodes.

-- +goose Up

CREATE TABLE encoder (
    model       text        NOT NULL PRIMARY KEY,
    revision    bigint      NOT NULL,
    lease_owner text        NOT NULL DEFAULT '',
    lease_until timestamptz NOT NULL DEFAULT '-infinity'
);

CREATE TABLE encoding (
    chunk_id bigint NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
    model    text   NOT NULL,
    revision bigint NOT NULL, -- of encoder
    vector   bytea  NOT NULL, -- int8
    PRIMARY KEY (chunk_id, model)
);
-- Numbers do not compress: trying costs more than it saves.
ALTER TABLE encoding ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX encoding_revision ON encoding (model, revision);
