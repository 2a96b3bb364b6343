-- Orders of lists of documents.

-- +goose Up

CREATE INDEX document_newest ON document (skipped, id, collection_id);
CREATE INDEX document_title ON document (skipped, (substr(folded, length(source) + 2, 200) COLLATE "C"), id, collection_id);
CREATE INDEX document_size ON document (skipped, size, id, collection_id);
CREATE INDEX document_updated ON document (skipped, updated_at, id, collection_id);
CREATE INDEX document_date ON document (skipped, date, id, collection_id);
