-- Finds documents with the same content.

-- +goose Up

CREATE INDEX document_sha256 ON document (sha256);
