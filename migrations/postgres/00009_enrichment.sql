-- Searchable text that a chat model wrote about chunks.

-- +goose Up

-- The key is a hash of the prompt, the model, and the passage. Rows without a
-- chunk are a cache for a passage that is read again.
CREATE TABLE enrichment (
    key  text NOT NULL PRIMARY KEY,
    text text NOT NULL
);

CREATE TABLE chunk_enrichment (
    chunk_id bigint NOT NULL PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    key      text NOT NULL REFERENCES enrichment (key)
);
CREATE INDEX chunk_enrichment_key ON chunk_enrichment (key);
