-- +goose Up

-- SQLite reads the text of a document before its folder and tags, so the index has all columns
-- that a scope needs.
CREATE INDEX document_place ON document (folder, collection_id, skipped, status, tags, own_tags);
