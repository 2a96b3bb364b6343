-- Counts the documents of collections.

-- +goose Up

-- SQLite would read the texts of all documents, so the index has all columns that the counts need.
CREATE INDEX document_counts ON document (collection_id, status, skipped, chunks, updated_at);
