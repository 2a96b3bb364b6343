-- Managers count the gaps of a collection from one index.

-- +goose Up

-- state and first_at are those of the gap.
ALTER TABLE gap_collection ADD COLUMN state text NOT NULL DEFAULT 'open';
ALTER TABLE gap_collection ADD COLUMN first_at timestamptz;
UPDATE gap_collection SET state = (SELECT g.state FROM gap g WHERE g.id = gap_id), first_at = (SELECT g.first_at FROM gap g WHERE g.id = gap_id);
CREATE INDEX gap_collection_counts ON gap_collection (collection_id, state, first_at, gap_id);
DROP INDEX gap_collection_collection;
