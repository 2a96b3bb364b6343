-- Searchable text that a chat model wrote about chunks.

-- +goose Up

-- The key is a hash of the prompt, the model, and the passage. Rows without a
-- chunk are a cache for a passage that is read again.
CREATE TABLE enrichment (
    key  TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE chunk_enrichment (
    chunk_id INTEGER NOT NULL PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    key      TEXT NOT NULL REFERENCES enrichment (key)
) STRICT;
CREATE INDEX chunk_enrichment_key ON chunk_enrichment (key);
