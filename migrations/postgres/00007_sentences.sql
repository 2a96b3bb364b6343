-- The id and params of stored sentences: why a document or an item failed, and
-- replies with a fixed text. '' has none, as in all rows stored before.

-- +goose Up

ALTER TABLE document ADD COLUMN sentence TEXT NOT NULL DEFAULT ''; -- of error, JSON {id, params}
ALTER TABLE source_item ADD COLUMN sentence TEXT NOT NULL DEFAULT ''; -- of reason
ALTER TABLE chat ADD COLUMN sentence TEXT NOT NULL DEFAULT ''; -- of content
