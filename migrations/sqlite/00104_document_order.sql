-- Orders of lists of documents.

-- +goose Up

-- SQLite reads the text of a document before its tags, so this index has all columns that filters of a
-- list need.
CREATE INDEX document_newest ON document (
    skipped, id, collection_id, status, media_type, language, updated_at, tags, own_tags, folded
);
CREATE INDEX document_title ON document (skipped, substr(folded, length(source) + 2, 200), id, collection_id);
CREATE INDEX document_size ON document (skipped, size, id, collection_id);
CREATE INDEX document_updated ON document (skipped, updated_at, id, collection_id);
CREATE INDEX document_date ON document (skipped, date, id, collection_id);
