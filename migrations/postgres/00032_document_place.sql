-- The folders of documents.

-- +goose Up

CREATE INDEX document_folder ON document (folder COLLATE "C");
