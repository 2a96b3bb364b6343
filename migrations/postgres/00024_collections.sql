-- Collections are described to people. Their names do not change.

-- +goose Up

ALTER TABLE collection ADD COLUMN title text NOT NULL DEFAULT '';
ALTER TABLE collection ADD COLUMN description text NOT NULL DEFAULT '';
ALTER TABLE collection ADD COLUMN color text NOT NULL DEFAULT '';
ALTER TABLE collection ADD COLUMN owner text NOT NULL DEFAULT '';
ALTER TABLE collection ADD COLUMN questions text NOT NULL DEFAULT '[]';

-- Earlier versions did not list collections without documents, and could not remove them.
DELETE FROM collection WHERE name <> 'default' AND NOT restricted
    AND id NOT IN (SELECT collection_id FROM document) AND name NOT IN (SELECT collection FROM source);
